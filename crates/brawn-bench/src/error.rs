//! What can go wrong before and while suites are measured.

use std::path::PathBuf;

use brawn_base::{Asked, Code, Diagnostic};

/// Why a suite gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something that a suite needs is not on this machine: the suite is skipped with this line.
    #[error("{reason}")]
    Absent {
        /// What is missing.
        reason: String,
        /// How to get it.
        hint: String,
    },

    /// A name that no one knows.
    #[error("unknown {kind} '{given}'")]
    UnknownName {
        /// What kind of name: `suite`, `variant`.
        kind: &'static str,
        /// What was given.
        given: String,
        /// The names that exist.
        known: Vec<String>,
    },

    /// The same name twice in a list.
    #[error("{kind} '{given}' was given twice")]
    NamedTwice {
        /// What kind of name: `suite`, `variant`.
        kind: &'static str,
        /// The name.
        given: String,
    },

    /// A command of a build failed.
    #[error("{doing}: {program} ended with {status}{}", quoted(.tail))]
    Build {
        /// What was being built.
        doing: String,
        /// The program that failed.
        program: String,
        /// How it ended.
        status: String,
        /// The last lines that it wrote.
        tail: String,
        /// The file with all that it wrote.
        log: PathBuf,
    },

    /// A program that a build needs could not be started.
    #[error("cannot run {program}")]
    Spawn {
        /// The program.
        program: String,
        /// The reason that the system gave.
        source: std::io::Error,
    },

    /// A file that was fetched is not the one that the suite names.
    #[error("{} has the SHA-256 {found}, not {wanted}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Its digest.
        found: String,
        /// The digest that the suite names.
        wanted: String,
    },

    /// A program gave no such figure.
    #[error("case `{case}`: variant `{variant}` gave no figure `{figure}`")]
    NoFigure {
        /// The case.
        case: String,
        /// The variant.
        variant: String,
        /// The figure.
        figure: String,
    },

    /// Finding a toolchain, linking or replaying a link failed.
    #[error(transparent)]
    Link(#[from] brawn_link::Error),

    /// Making an overlay failed.
    #[error(transparent)]
    Libc(#[from] brawn_libc::Error),

    /// Making a library to preload failed, or the program takes none.
    #[error(transparent)]
    Preload(#[from] brawn_preload::Error),

    /// Measuring failed.
    #[error(transparent)]
    Measure(#[from] brawn_measure::Error),

    /// A file could not be read or written; the message names it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Something is missing on this machine; `hint` says how to get it.
    pub fn absent(reason: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::Absent { reason: reason.into(), hint: hint.into() }
    }
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Error::UnknownName { .. } | Error::NamedTwice { .. } => Code::Usage,
            Error::Absent { .. } | Error::Spawn { .. } => Code::Missing,
            Error::Checksum { .. } => Code::Input,
            Error::Build { .. } | Error::NoFigure { .. } => Code::Failed,
            Error::Link(error) => error.code(),
            Error::Libc(error) => error.code(),
            Error::Preload(error) => error.code(),
            Error::Measure(error) => error.code(),
            Error::Io(error) => error.code(),
        }
    }

    fn asked(&self) -> &[Asked] {
        if let Error::Link(error) = self { error.asked() } else { &[] }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Absent { hint, .. } => hint.clone(),
            Error::UnknownName { given, known, .. } => match brawn_libc::nearest(given, known) {
                Some(name) => format!("did you mean '{name}'? There are: {}", known.join(", ")),
                None => format!("there are: {}", known.join(", ")),
            },
            Error::NamedTwice { .. } => "name it once".into(),
            Error::Build { log, .. } => format!("all that it wrote is in {}", log.display()),
            Error::Spawn { program, .. } => format!("is {program} installed, and on PATH?"),
            Error::Checksum { path, .. } => {
                format!("remove {}, and it is fetched again", path.display())
            }
            Error::Link(error) => return error.hint(),
            Error::Libc(error) => return error.hint(),
            Error::Preload(error) => return error.hint(),
            Error::Measure(error) => return error.hint(),
            Error::Io(error) => return error.hint(),
            Error::NoFigure { .. } => return None,
        })
    }
}

fn quoted(tail: &str) -> String {
    if tail.is_empty() { String::new() } else { format!("; it wrote:\n{tail}") }
}
