use brawn_elf::Arch;

use crate::{ARCHES, LIBRARIES, Packed, knobs};

/// A shared library with an allocator and the string functions, for programs that load their libc at run time. The
/// same one serves musl and glibc.
pub struct Library {
    /// The allocator's name on the command line.
    pub name: &'static str,
    /// The architecture that it was compiled for.
    pub arch: Arch,
    /// The flags that it was compiled with, less those that name folders of the build machine.
    pub flags: &'static [&'static str],
    /// The ELF file, with the string functions in it and the knobs that are built in.
    pub(crate) packed: Packed,
    /// Where in the file the room for knobs begins, if there is any.
    pub(crate) knobs_at: Option<u64>,
    /// Where in the file the entries of the symbol table begin that offer string functions to others.
    pub(crate) strings_at: &'static [u64],
}

/// The part of an entry of a symbol table behind its name, type and visibility, in bytes: section, value and size. With
/// zeros there, loaders take the entry for a symbol that the library needs from others.
const DEFINITION: std::ops::Range<usize> = 6..24;

/// The byte of an entry that holds the symbol's binding, in its upper half.
const BINDING: usize = 4;

/// A weak symbol need not be found: not every glibc has `strlcpy`, and linkers refuse a program whose libraries need what
/// no one has.
const WEAK: u8 = 2 << 4;

impl Library {
    /// The ELF file.
    ///
    /// `strings`: whether the program gets the string functions; otherwise only the allocator uses them. `knobs`: the
    /// text of [`Knobs::text`](crate::Knobs::text), unless what is built in shall stay.
    ///
    /// # Panics
    /// If there are knobs and no room for them, or the text does not fit: no table of the kit comes near that.
    pub fn file(&self, strings: bool, knobs: Option<&str>) -> Vec<u8> {
        let mut bytes = self.packed.bytes().to_vec();
        if let Some(text) = knobs {
            let start = self.knobs_at.expect("an allocator with knobs has room for them");
            knobs::write(&mut bytes, start as usize, text);
        }
        for &entry in if strings { &[] } else { self.strings_at } {
            let entry = &mut bytes[entry as usize..];
            entry[DEFINITION].fill(0);
            entry[BINDING] = WEAK | (entry[BINDING] & 0xf);
        }
        bytes
    }
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library")
            .field("name", &self.name)
            .field("arch", &self.arch)
            .field("file", &self.packed)
            .field("flags", &self.flags)
            .finish()
    }
}

/// The shared library with this allocator, if there is one.
pub fn library(name: &str, arch: Arch) -> Option<&'static Library> {
    LIBRARIES.iter().find(|library| library.name == name && library.arch == arch)
}

/// The names of the allocators that there are shared libraries with, in the order in which lists show them.
pub fn library_names() -> impl Iterator<Item = &'static str> {
    LIBRARIES.iter().filter(|library| library.arch == ARCHES[0]).map(|library| library.name)
}
