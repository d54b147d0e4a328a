use brawn_elf::Arch;

/// A relocatable ELF object, ready to become a member of a `libc.a`.
pub struct Object {
    /// The architecture that it was compiled for.
    pub arch: Arch,
    /// The name of the archive member, the same for both architectures: `brawn-mimalloc.o`.
    pub member_name: &'static str,
    /// The ELF file.
    pub bytes: &'static [u8],
    /// The compiler that made it, as it names itself.
    pub compiler: &'static str,
    /// The flags that it was compiled with, less those that name folders of the build machine.
    pub flags: &'static [&'static str],
    /// The symbols that it defines for others, sorted. Everything else in it is local.
    pub exports: &'static [&'static str],
    /// The symbols that it needs from the rest of the `libc.a`, sorted.
    pub imports: &'static [&'static str],
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Object")
            .field("arch", &self.arch)
            .field("member_name", &self.member_name)
            .field("bytes", &format_args!("[{} bytes]", self.bytes.len()))
            .field("compiler", &self.compiler)
            .field("flags", &self.flags)
            .field("exports", &self.exports)
            .field("imports", &self.imports)
            .finish()
    }
}
