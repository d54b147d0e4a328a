//! What several checks ask of the machine.

use brawn_elf::Arch;

/// A setting of the kernel's, if there is such a one.
pub(super) fn kernel_setting(name: &str) -> Option<i64> {
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    fs_err::read_to_string(path).ok()?.trim().parse().ok()
}

/// The architecture of this machine and the triple of its musl target.
pub(super) fn host() -> Option<(Arch, &'static str)> {
    let arch = Arch::host()?;
    Some((arch, arch.musl_triple()))
}
