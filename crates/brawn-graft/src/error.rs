use brawn_base::text::shown;

brawn_base::errors! {
    /// Why a file gets nothing grafted, or cannot be restored. The caller knows its name and adds it.
    pub enum Error {
        from {
            /// It is no ELF file that can be read.
            Elf(brawn_elf::Error),
            /// The system says no.
            Io(std::io::Error),
        }

        #[error("the file ends before its last segment does")]
        CutOff => Input, "the file may be cut off or still being written: make or copy it again";

        #[error("it is packed with UPX, so its code is not there to be found")]
        Packed => Input, "unpack it first (`upx -d`), and pack the result again";

        #[error("it is {kind}: its libc is not inside")]
        NotStatic { kind: String } => Input,
            "`brawn preload` and `brawn run` give dynamic programs an allocator and string functions";

        #[error("its libc is {libc}, not musl")]
        OtherLibc { libc: String } => Input,
            "only functions of musl are known well enough to be replaced: build it for a musl target";

        #[error("it is for {arch}, which there is no kit for")]
        OtherArch { arch: String } => Input;

        #[error("this brawn was built without the kit for {arch}")]
        NoKit { arch: String } => Missing, "take a brawn that was built for that architecture, or with its feature";

        #[error("Brawn linked it: its functions are those of the kit already")]
        MadeByBrawn => Input, "`brawn relink` links it again with another allocator or other functions";

        #[error("functions were grafted onto it already")]
        AlreadyGrafted => Input, "`brawn restore` gives the original back; graft onto that";

        #[error("nothing was grafted onto it")]
        NotGrafted => Input, "`brawn restore` takes a file that `brawn graft` wrote, or a patched libc.a";

        #[error("it is not as `brawn graft` left it: the original would have the SHA-256 {expected}, and this gives {found}")]
        Changed { expected: String, found: String } => Input,
            "`strip` and other tools rewrite files: restore the file as graft wrote it";

        #[error("none of its functions can be replaced")]
        Nothing { refused: usize } => Input, match refused {
            0 => "no function of musl was recognised in it".to_owned(),
            count => format!("{count} were recognised and refused: --dry-run says why"),
        };

        #[error("it cannot get the heap {name}: {reason}")]
        NoHeap { name: String, reason: String } => Input,
            "without --malloc it keeps its heap and gets the rest; `brawn` and `brawn-hardened` can be grafted";

        #[error("there is no family of functions {}", shown(name))]
        NoFamily { name: String, known: String } => Usage, format!("the families are {known}");

        #[error("there is no level of string functions {} for {arch}", shown(name))]
        NoLevel { name: String, arch: String } => Usage;

        /// Programs look for such data at the end of their file, or with a distance from it.
        #[error("{length} bytes of data follow the executable in the same file")]
        Payload { length: u64 } => Input,
            "an archive or a script was added to it, which it may look for at its end: graft before that is added";

        /// The file's layout leaves no place for what is new.
        #[error("there is no place for new segments: {reason}")]
        NoPlace { reason: String } => Input;

        #[error("it was written to meanwhile")]
        WrittenTo => Input, "wait until nothing changes it, and try again";

        #[error("cannot write to {}", shown(path))]
        Write { path: std::path::PathBuf, source: std::io::Error } => Io, brawn_base::hint_of_writing(source);

        #[error("cannot run {}", shown(path))]
        Run { path: std::path::PathBuf, source: std::io::Error } => Failed,
            "--check runs the executable here: leave it out for one of another architecture";

        #[error("the grafted program does not do the same: {what}")]
        Differs { what: String } => Failed, "this is a fault in Brawn worth a report; with --musl FAMILY its own functions stay";

        #[error("the program itself does not do the same twice: {what}")]
        Unsteady { what: String } => Failed, "--check needs arguments and an input with which its output is always the same";

        #[error("the original could not be had back from the new file")]
        NotKept => Failed, "this is a fault in Brawn worth a report";

        /// A fault in the kit or in the linker here.
        #[error("cannot link {member} of the kit: {reason}")]
        Link { member: String, reason: String } => Failed, "this is a fault in Brawn worth a report";
    }
}

impl Error {
    pub(crate) fn no_place(reason: &str) -> Error {
        Error::NoPlace { reason: reason.to_owned() }
    }
}
