use brawn_base::{Code, Diagnostic};

use crate::note::NOTE_SECTION;

/// Why an ELF file could not be read or changed. The caller knows the file's name and adds it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The first bytes are not those of an ELF file.
    #[error("not an ELF file")]
    NotElf,
    /// The ELF header points outside the file, or contradicts itself.
    #[error("damaged ELF file: {what}: {reason}")]
    Damaged {
        /// The table or field that could not be read.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// An ELF file of another sort than the call takes, such as an object file where an executable is due.
    #[error("this is {found}, not {wanted}")]
    WrongKind {
        /// What the file is.
        found: &'static str,
        /// What it should have been.
        wanted: &'static str,
    },
    /// A note with Brawn's name cannot be read.
    #[error("damaged Brawn note: {0}")]
    NoteDamaged(String),
    /// Two notes of the same type say different things, so neither can be believed.
    #[error("the file carries several Brawn notes that differ in `{key}`: {first:?} and {second:?}")]
    NotesDisagree {
        /// The first key in which they differ.
        key: String,
        /// What the first note says.
        first: String,
        /// What the other note says.
        second: String,
    },
    /// The object already carries a note; a second one would contradict it.
    #[error("the object already has a `{NOTE_SECTION}` section")]
    AlreadyNoted,
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Error::NotElf
            | Error::Damaged { .. }
            | Error::WrongKind { .. }
            | Error::NoteDamaged(_)
            | Error::NotesDisagree { .. }
            | Error::AlreadyNoted => Code::Input,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Error::NotElf => "give an executable for Linux; scripts and archives cannot be looked into",
            Error::Damaged { .. } => "the file may be cut off or still being written: make it again",
            Error::WrongKind { .. } => return None,
            Error::NoteDamaged(_) => "link the executable again; a tool may have rewritten its notes",
            Error::NotesDisagree { .. } => {
                "two libc.a files of Brawn went into one link: keep one overlay on the link line"
            }
            Error::AlreadyNoted => "start from the original libc.a (`brawn restore` brings it back)",
        };
        Some(hint.to_owned())
    }
}

impl Error {
    /// Wraps what the reading library says about `what`.
    pub(crate) fn damaged(what: &'static str) -> impl FnOnce(object::read::Error) -> Error {
        move |error| Error::Damaged { what, reason: error.to_string() }
    }
}
