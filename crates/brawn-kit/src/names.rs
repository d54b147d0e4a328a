use brawn_elf::Arch;

use crate::{NAMES, Packed};

/// The names by which crates call an allocator that they bring, on top of whatever heap serves `malloc`.
#[derive(Debug)]
pub struct Names {
    /// The architecture that they were compiled for.
    pub arch: Arch,
    /// The allocator whose names they are: `mimalloc` or `jemalloc`.
    pub heap: &'static str,
    /// The names, sorted. The object defines these and nothing else for others.
    pub names: &'static [&'static str],
    /// A relocatable ELF object.
    pub file: Packed,
}

impl Names {
    /// Whether it defines this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.binary_search(&name).is_ok()
    }
}

/// Every set of names for an architecture; an allocator has one for each prefix.
pub fn names(arch: Arch) -> impl Iterator<Item = &'static Names> {
    NAMES.iter().filter(move |names| names.arch == arch)
}
