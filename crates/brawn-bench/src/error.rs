//! What can go wrong before and while suites are measured.

use std::path::PathBuf;

use brawn_base::text::{shown, wrote};

brawn_base::errors! {
    /// Why a suite gave no result.
    pub enum Error {
        from {
            /// Finding a toolchain, linking or replaying a link failed.
            Link(brawn_link::Error),
            /// Making an overlay failed.
            Libc(brawn_libc::Error),
            /// Making a library to preload failed, or the program takes none.
            Preload(brawn_preload::Error),
            /// Measuring failed.
            Measure(brawn_measure::Error),
            /// A file could not be read or written; the message names it.
            Io(std::io::Error),
        }

        /// Something that a suite needs is not on this machine: the suite is skipped with this line.
        #[error("{reason}")]
        Absent { reason: String, hint: String } => Missing, hint;

        /// A name that no one knows.
        #[error("unknown {kind} '{given}'")]
        UnknownName { kind: &'static str, given: String, known: Vec<String> } => Usage,
            brawn_base::names::nearest_and_all(given, known);

        /// The same name twice in a list.
        #[error("{kind} '{given}' was given twice")]
        NamedTwice { kind: &'static str, given: String } => Usage, match *kind {
            "build" => "give each build a name: NAME=FILE",
            _ => "name it once",
        };

        /// A build of the user's own that is not there.
        #[error("there is no executable {}", shown(path))]
        NoBuild { path: PathBuf, source: std::io::Error } => Usage,
            "builds are named by their files, before `--`: brawn bench ./before ./after -- ARGS";

        /// A build that cannot be run.
        #[error("{} {}", shown(path), if *is_file { "is not executable" } else { "is no file" })]
        NotExecutable { path: PathBuf, is_file: bool } => Usage,
            if *is_file { "`chmod +x` makes it so" } else { "name the executable itself" };

        /// Nothing to compare a build with.
        #[error("a comparison needs two builds or more")]
        OneBuild => Usage, "name them before `--`, the baseline first: brawn bench ./before ./after -- ARGS";

        /// A command of a build failed.
        #[error("{doing}: {program} ended with {status}{}", wrote(.tail))]
        Build { doing: String, program: String, status: String, tail: String, log: PathBuf } => Failed,
            format!("all that it wrote is in {}", log.display());

        /// A program that a build needs could not be started.
        #[error("cannot run {program}")]
        Spawn { program: String, source: std::io::Error } => Missing, format!("is {program} installed, and on PATH?");

        /// A file that was fetched is not the one that the suite names.
        #[error("{} has the SHA-256 {found}, not {wanted}", path.display())]
        Checksum { path: PathBuf, found: String, wanted: String } => Input,
            format!("remove {}, and it is fetched again", path.display());

        /// A program that knows its rows did not list them.
        #[error("{program} lists no rows: it ended with {status}")]
        NoRows { program: String, status: String } => Failed;
    }
}

impl Error {
    /// Something is missing on this machine; `hint` says how to get it.
    pub fn absent(reason: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::Absent { reason: reason.into(), hint: hint.into() }
    }
}
