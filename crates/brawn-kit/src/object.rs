use brawn_elf::Arch;

use crate::{Packed, knobs};

/// A relocatable ELF object, ready to become a member of a `libc.a`.
pub struct Object {
    /// The architecture that it was compiled for.
    pub arch: Arch,
    /// The name of the archive member, the same for both architectures: `brawn-mimalloc.o`.
    pub member_name: &'static str,
    /// The ELF file.
    pub file: Packed,
    /// The compiler that made it, as it names itself.
    pub compiler: &'static str,
    /// The flags that it was compiled with, less those that name folders of the build machine.
    pub flags: &'static [&'static str],
    /// The symbols that it defines for others, sorted. Everything else in it is local.
    pub exports: &'static [&'static str],
    /// The symbols that it needs from the rest of the `libc.a`, sorted.
    pub imports: &'static [&'static str],
    /// Where in the file the room for knobs begins, if there is one.
    pub(crate) knobs_at: Option<usize>,
}

impl Object {
    /// The ELF file with these knobs in place of those that are built in. The text is that of
    /// [`Knobs::text`](crate::Knobs::text).
    ///
    /// # Panics
    /// If the object has no room for knobs, or the text does not fit: no table of the kit comes near that.
    pub fn with_knobs(&self, text: &str) -> Vec<u8> {
        let start = self.knobs_at.expect("an allocator with knobs has room for them");
        let mut bytes = self.file.bytes().to_vec();
        knobs::write(&mut bytes, start, text);
        bytes
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Object")
            .field("arch", &self.arch)
            .field("member_name", &self.member_name)
            .field("file", &self.file)
            .field("compiler", &self.compiler)
            .field("flags", &self.flags)
            .field("exports", &self.exports)
            .field("imports", &self.imports)
            .finish()
    }
}
