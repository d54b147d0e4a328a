use crate::note::NOTE_SECTION;

brawn_base::errors! {
    /// Why an ELF file could not be read or changed. The caller knows the file's name and adds it.
    #[derive(Clone, PartialEq, Eq)]
    pub enum Error {
        from {}

        #[error("not an ELF file")]
        NotElf => Input, "give an executable for Linux; scripts and archives cannot be looked into";

        /// The ELF header points outside the file, or contradicts itself.
        #[error("damaged ELF file: {what}: {reason}")]
        Damaged { what: &'static str, reason: String } => Input,
            "the file may be cut off or still being written: make it again";

        /// An ELF file of another sort than the call takes, such as an object file where an executable is due.
        #[error("this is {found}, not {wanted}")]
        WrongKind { found: &'static str, wanted: &'static str } => Input;

        #[error("damaged Brawn note: {what}")]
        NoteDamaged { what: String } => Input, "link the executable again; a tool may have rewritten its notes";

        /// Two notes of the same type say different things, so neither can be believed.
        #[error("the file carries several Brawn notes that differ in `{key}`: {first:?} and {second:?}")]
        NotesDisagree { key: String, first: String, second: String } => Input,
            "two libc.a files of Brawn went into one link: keep one overlay on the link line";

        /// The object already carries a note; a second one would contradict it.
        #[error("the object already has a `{NOTE_SECTION}` section")]
        AlreadyNoted => Input, "start from the original libc.a (`brawn restore` brings it back)";
    }
}

impl Error {
    /// Wraps what the reading library says about `what`.
    pub(crate) fn damaged(what: &'static str) -> impl FnOnce(object::read::Error) -> Error {
        move |error| Error::Damaged { what, reason: error.to_string() }
    }
}
