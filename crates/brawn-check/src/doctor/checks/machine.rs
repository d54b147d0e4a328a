//! What several checks ask of the machine.

/// A setting of the kernel's, if there is such a one.
pub(super) fn kernel_setting(name: &str) -> Option<i64> {
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    fs_err::read_to_string(path).ok()?.trim().parse().ok()
}
