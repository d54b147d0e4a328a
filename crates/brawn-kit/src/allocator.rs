use crate::{ALLOCATORS, ARCHES, Knobs, Object};
use brawn_elf::Arch;

/// An allocator of the kit, compiled with one set of build options.
#[derive(Debug)]
pub struct Allocator {
    /// The name on the command line: `mimalloc`, `mimalloc-secure`, …
    pub name: &'static str,
    /// The name for people: `mimalloc 3, secure`.
    pub title: &'static str,
    /// The version of the allocator itself: `3.6.0`.
    pub version: &'static str,
    /// One sentence for lists: what it is good for.
    pub summary: &'static str,
    /// Whether it is built with hardening that costs time.
    pub secure: bool,
    /// Whether musl's own heap stays behind it.
    pub on_mallocng: bool,
    /// The crate that carries the sources.
    pub source_crate: &'static str,
    /// The version of that crate, as pinned in `Cargo.lock`.
    pub source_crate_version: &'static str,
    /// The SPDX licence expression of the allocator.
    pub license: &'static str,
    /// Its settings, if it has any.
    pub knobs: Option<Knobs>,
    /// One object per architecture, in the order of [`ARCHES`].
    pub(crate) objects: [Object; ARCHES.len()],
}

impl Allocator {
    /// The object to put into a `libc.a` of this architecture, if it is one of [`ARCHES`].
    pub fn object(&self, arch: Arch) -> Option<&Object> {
        self.objects.iter().find(|object| object.arch == arch)
    }
}

/// The name of the heap that counts what a program allocates. It is for looking and not for use, so no list shows it.
pub const TRACE: &str = "trace";

/// Every allocator in the kit, in the order in which lists show them.
pub fn allocators() -> &'static [Allocator] {
    // The heap that counts stands last in the table, as a test shows.
    &ALLOCATORS[..ALLOCATORS.len() - 1]
}

/// The allocator with this name on the command line.
pub fn allocator(name: &str) -> Option<&'static Allocator> {
    ALLOCATORS.iter().find(|allocator| allocator.name == name)
}
