//! What can go wrong while variants are measured.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brawn_base::{Code, Diagnostic};
use nix::sys::signal::Signal;

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

    /// The program wanted more memory than it may have, and in production would have been killed.
    #[error("variant `{variant}` wanted more than the limit of {}{}", bytes(*.limit), peaked(*.limit, *.peak))]
    OverLimit {
        /// Name of the variant.
        variant: String,
        /// The limit, in bytes.
        limit: u64,
        /// Its peak, in bytes, where it lived long enough to have one.
        peak: Option<u64>,
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
        "variants `{reference}` and `{variant}` print different output, first at line {line}\n\
         {}\n{}",
        excerpt(.reference, .expected),
        excerpt(.variant, .found)
    )]
    OutputDiffers {
        /// Name of the variant that printed first.
        reference: String,
        /// Name of the variant that differs.
        variant: String,
        /// Number of the first line that differs, from 1, in the order in which lines were compared.
        line: usize,
        /// A few lines of the reference from there on; none where it ends.
        expected: Vec<String>,
        /// The same lines of the variant.
        found: Vec<String>,
    },

    /// The session was told to stop while a program ran.
    #[error("interrupted")]
    Interrupted,

    /// What a program printed gives no figures, or a wrong answer.
    #[error("the output of variant `{variant}` {reason}")]
    Metrics {
        /// Name of the variant.
        variant: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The client of a server failed.
    #[error("the client `{}` of variant `{variant}` ended with {exit}{}", client.display(), quoted(.stderr))]
    Client {
        /// Name of the variant that it was to use.
        variant: String,
        /// Its program.
        client: PathBuf,
        /// How it ended.
        exit: Exit,
        /// The last lines that it wrote to stderr.
        stderr: String,
    },

    /// A server was not ready in time.
    #[error("variant `{variant}` was not ready within {limit:?} ({ready}){}", quoted(.stderr))]
    NotReady {
        /// Name of the variant.
        variant: String,
        /// Where it was looked for.
        ready: String,
        /// The limit.
        limit: Duration,
        /// The last lines that the server wrote to stderr.
        stderr: String,
    },

    /// A server did not stop in time.
    #[error("variant `{variant}` did not end within {limit:?} after {signal}")]
    NotStopped {
        /// Name of the variant.
        variant: String,
        /// What it was told to stop by.
        signal: Signal,
        /// The limit.
        limit: Duration,
    },

    /// Something else listens where a server was to listen.
    #[error(
        "something already accepts connections at {ready}, so the server to be measured would not be the one that answers"
    )]
    Taken {
        /// The address.
        ready: String,
    },

    /// There is no room for what a program prints.
    #[error("no room left in `{}` for the output of the programs", folder.display())]
    DiskFull {
        /// The folder that the output is kept in.
        folder: PathBuf,
        /// The reason that the system gave.
        source: io::Error,
    },

    /// A program cannot be held to a share of the CPU time.
    #[error("cannot hold a program to {cores} cores of CPU time")]
    Quota {
        /// The share, in cores.
        cores: f64,
        /// The reason that the system gave.
        source: io::Error,
    },

    /// A core that is not there, or not for us.
    #[error("core {core} may not be used here, only {}", list(.allowed))]
    Core {
        /// The core asked for.
        core: usize,
        /// The cores that may be used.
        allowed: Vec<usize>,
    },

    /// `ptrace` is not allowed here.
    #[error("this machine refuses ptrace, so system calls cannot be counted")]
    TraceRefused,

    /// There is nothing to run.
    #[error("a session needs at least one variant and one block")]
    Empty,

    /// Two variants have the same name, so that results could not be distinguished.
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
    /// What the system refused, for `map_err`.
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }

    /// An error of writing output into a folder.
    pub(crate) fn writing(folder: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { folder: folder.to_owned(), source }
            }
            _ => Self::File(source),
        }
    }
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Self::System { source: error, .. } | Self::File(error) => error.code(),
            Self::Interrupted => Code::Interrupted,
            Self::Start { .. }
            | Self::Exit { .. }
            | Self::OverLimit { .. }
            | Self::Timeout { .. }
            | Self::OutputDiffers { .. }
            | Self::Metrics { .. }
            | Self::Client { .. }
            | Self::NotReady { .. }
            | Self::NotStopped { .. }
            | Self::Taken { .. }
            | Self::DiskFull { .. }
            | Self::Quota { .. }
            | Self::Core { .. }
            | Self::TraceRefused
            | Self::Empty
            | Self::SameName(_) => Code::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Start { .. } => "check that the file exists and is executable on this machine",
            Self::Exit { exit: Exit::Signal(Signal::SIGKILL), .. } => {
                "a program that did not kill itself was probably too large: see whether the kernel's log (`dmesg`) or \
                 the container's memory limit explains it"
            }
            Self::OutputDiffers { .. } => {
                "if only the order of lines may change from run to run, compare sorted lines instead"
            }
            Self::OverLimit { .. } => "raise the limit, or take an allocator that holds less",
            Self::Timeout { .. } => "raise the limit, or give the program less work",
            Self::Taken { .. } => "stop that server, or give this one another port",
            Self::DiskFull { .. } => "make room there, or set TMPDIR to a folder that has some",
            Self::Quota { .. } => {
                "a quota needs a control group that may be written: run as root, under `systemd-run --user --scope -p \
                 Delegate=yes`, or in a container started with --cgroupns=private; or hold the programs to cores \
                 instead"
            }
            Self::TraceRefused => {
                "in a container, allow ptrace with --cap-add SYS_PTRACE or a newer seccomp profile"
            }
            Self::System { source: error, .. } | Self::File(error) => return error.hint(),
            Self::Exit { .. }
            | Self::Interrupted
            | Self::Metrics { .. }
            | Self::Client { .. }
            | Self::NotReady { .. }
            | Self::NotStopped { .. }
            | Self::Core { .. }
            | Self::Empty
            | Self::SameName(_) => return None,
        };
        Some(hint.to_owned())
    }
}

fn quoted(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; it wrote:\n{stderr}") }
}

/// Lines of a variant's output, each behind its name.
fn excerpt(variant: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return format!("  {variant} | (nothing more)");
    }
    lines.iter().map(|line| format!("  {variant} | {line}")).collect::<Vec<_>>().join("\n")
}

fn bytes(bytes: u64) -> String {
    crate::format::bytes(bytes as f64)
}

fn peaked(limit: u64, peak: Option<u64>) -> String {
    peak.filter(|peak| *peak > limit)
        .map_or(", and was killed".into(), |peak| format!(": it had {}", bytes(peak)))
}

fn list(cores: &[usize]) -> String {
    cores.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
