brawn_base::errors! {
    /// Why functions cannot be looked for, or not in this file.
    pub enum Error {
        from {
            /// The executable cannot be read.
            Elf(brawn_elf::Error),
        }

        #[error("this is for {found}; signatures are for x86_64 and aarch64")]
        Architecture { found: String } => Input;

        #[error("this is {found}: its libc is a file of its own")]
        Dynamic { found: String } => Input, "a statically linked executable has libc in it";

        /// Of a format that unpacks itself in memory.
        #[error("this is packed by {packer}: its code is not in the file as it runs")]
        Packed { packer: &'static str } => Input, "unpack it first (`upx -d FILE`)";

        #[error("this executable's libc is not musl: {found}")]
        NotMusl { found: String } => Input;

        #[error("no function of a musl that is known here was found in it")]
        Nothing => Input, "give the libc.a that it was linked with, if you have it (`--libc FILE`)";

        #[error("not a libc.a: {what}")]
        Archive { what: String } => Input, "give a static library of machine code (`libc.a`)";

        /// In the text of signatures.
        #[error("line {line} of the signatures cannot be read")]
        Text { line: usize } => Input, "`BRAWN_RENEW=1 cargo test -p brawn-identify --test signatures` writes them";
    }
}
