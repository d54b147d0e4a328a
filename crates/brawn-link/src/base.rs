//! Which `libc.a` an overlay is made of: the link's own, or the Rust toolchain's where that holds no heap.

use std::path::{Path, PathBuf};

use brawn_elf::Arch;
use brawn_libc::archive::Archive;
use brawn_libc::musl::Musl;
use brawn_libc::{Cache, Choice, Overlay};

use crate::Error;
use crate::toolchain::Rust;

/// The overlay of `base` for `choice`.
///
/// The hardened Brawn heap stands on musl's mallocng, and zig's `libc.a` has none since 0.16. There the Rust toolchain's `libc.a`
/// takes its place, if that is the same musl or a newer one: headers, start files and C++ runtime of the one go with the
/// other.
///
/// # Errors
/// [`Error::Libc`], of the link's own `libc.a`.
pub fn overlay(cache: &Cache, base: &Path, arch: Arch, choice: &Choice) -> Result<Overlay, Error> {
    match cache.overlay(base, Some(arch), choice) {
        Err(error @ brawn_libc::Error::HeapElsewhere { .. }) => match of_rust(base, arch) {
            Some(other) => Ok(cache.overlay(&other, Some(arch), choice)?),
            None => Err(error.into()),
        },
        result => Ok(result?),
    }
}

/// The Rust toolchain's `libc.a`, if it can stand for the one at `base`.
pub fn of_rust(base: &Path, arch: Arch) -> Option<PathBuf> {
    let folder = Rust::find().ok()?.self_contained(arch).ok()?;
    let other = brawn_libc::patch::base_of(&folder.join("libc.a")).ok()?;
    (version(&other, arch)? >= version(base, arch)?).then_some(other)
}

fn version(libc: &Path, arch: Arch) -> Option<(u32, u32, u32)> {
    let bytes = brawn_base::file::archive(libc).ok()?;
    let archive = Archive::parse(libc, &bytes).ok()?;
    Musl::recognise(libc, &archive, Some(arch)).ok()?.numbers()
}
