//! What can go wrong while variants are measured.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::Exit;

/// Why a session gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program could not be started at all.
    #[error("cannot start `{}`", program.display())]
    Start {
        /// The program of the variant.
        program: PathBuf,
        /// The reason that the system gave.
        source: io::Error,
    },

    /// The program ran and ended otherwise than it should.
    #[error("variant `{variant}` ended with {exit}, expected status {expected}{}", quoted(.stderr))]
    Exit {
        /// Name of the variant.
        variant: String,
        /// How it ended.
        exit: Exit,
        /// The exit status that the variant names as its success.
        expected: i32,
        /// The last lines that it wrote to stderr.
        stderr: String,
    },

    /// The program did not end in time.
    #[error("variant `{variant}` did not end within {limit:?}")]
    Timeout {
        /// Name of the variant.
        variant: String,
        /// The limit of the session.
        limit: Duration,
    },

    /// Two variants printed different things, so their times cannot be compared.
    #[error(
        "variants `{reference}` and `{variant}` print different output, first at line {line}: \
         {expected:?} against {found:?}"
    )]
    OutputDiffers {
        /// Name of the variant that printed first.
        reference: String,
        /// Name of the variant that differs.
        variant: String,
        /// Number of the line, from 1, in the order in which lines were compared.
        line: usize,
        /// That line of the reference; empty where it has none.
        expected: String,
        /// That line of the variant; empty where it has none.
        found: String,
    },

    /// There is nothing to run.
    #[error("a session needs at least one variant and one block")]
    Empty,

    /// Two variants have the same name, so that results could not be told apart.
    #[error("two variants are named `{0}`")]
    SameName(String),

    /// A call of the operating system failed.
    #[error("{doing}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// The reason that the system gave.
        source: io::Error,
    },

    /// A file could not be read or written; the message names it.
    #[error(transparent)]
    File(#[from] io::Error),
}

impl Error {
    /// What the user may do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Start { .. } => Some("check that the file exists and is executable on this machine"),
            Self::OutputDiffers { .. } => {
                Some("if only the order of lines may change from run to run, compare sorted lines instead")
            }
            Self::Timeout { .. } => Some("raise the limit, or give the program less work"),
            _ => None,
        }
    }
}

fn quoted(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; it wrote:\n{stderr}") }
}
