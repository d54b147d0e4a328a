//! What can go wrong while variants are measured.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brawn_base::text::wrote;
use nix::sys::signal::Signal;

use crate::Exit;

brawn_base::errors! {
    /// Why a session gave no result.
    pub enum Error {
        from {
            /// A file could not be read or written; the message names it.
            File(io::Error),
        }

        /// The program could not be started at all.
        #[error("cannot start `{}`", program.display())]
        Start { program: PathBuf, source: io::Error } => Failed,
            "check that the file exists and is executable on this machine";

        /// The program ran and ended otherwise than it should.
        #[error("variant `{variant}` ended with {exit}, expected status {expected}{}", wrote(.stderr))]
        Exit { variant: String, exit: Exit, expected: i32, stderr: String } => Failed,
            (*exit == Exit::Signal(Signal::SIGKILL)).then_some(
                "a program that did not kill itself was probably too large: see whether the kernel's log (`dmesg`) or the \
                 container's memory limit explains it",
            );

        /// The program wanted more memory than it may have, and in production would have been killed.
        #[error("variant `{variant}` wanted more than the limit of {}{}", bytes(*.limit), peaked(*.limit, *.peak))]
        OverLimit { variant: String, limit: u64, peak: Option<u64> } => Failed,
            "raise the limit, or take an allocator that holds less";

        /// The program did not end in time.
        #[error("variant `{variant}` did not end within {limit:?}")]
        Timeout { variant: String, limit: Duration } => Failed, "raise the limit, or give the program less work";

        /// Two variants printed different things, so their times cannot be compared.
        #[error(
            "variants `{reference}` and `{variant}` print different output, first at line {line}\n\
             {}\n{}",
            excerpt(.reference, .expected),
            excerpt(.variant, .found)
        )]
        OutputDiffers { reference: String, variant: String, line: usize, expected: Vec<String>, found: Vec<String> } => Failed,
            "if only the order of lines may change from run to run, compare sorted lines instead";

        /// The session was told to stop while a program ran.
        #[error("interrupted")]
        Interrupted => Interrupted;

        /// What a program printed gives no figures, or a wrong answer.
        #[error("the output of variant `{variant}` {reason}")]
        Metrics { variant: String, reason: String } => Failed;

        /// The client of a server failed.
        #[error("the client `{}` of variant `{variant}` ended with {exit}{}", client.display(), wrote(.stderr))]
        Client { variant: String, client: PathBuf, exit: Exit, stderr: String } => Failed;

        /// A server was not ready in time.
        #[error("variant `{variant}` was not ready within {limit:?} ({ready}){}", wrote(.stderr))]
        NotReady { variant: String, ready: String, limit: Duration, stderr: String } => Failed;

        /// A server did not stop in time.
        #[error("variant `{variant}` did not end within {limit:?} after {signal}")]
        NotStopped { variant: String, signal: Signal, limit: Duration } => Failed;

        /// Something else listens where a server was to listen.
        #[error(
            "something already accepts connections at {ready}, so the server to be measured would not be the one that answers"
        )]
        Taken { ready: String } => Failed, "stop that server, or give this one another port";

        /// There is no room for what a program prints.
        #[error("no room left in `{}` for the output of the programs", folder.display())]
        DiskFull { folder: PathBuf, source: io::Error } => Failed,
            "make room there, or set TMPDIR to a folder that has some";

        /// A program cannot be held to a share of the CPU time.
        #[error("cannot hold a program to {cores} cores of CPU time")]
        Quota { cores: f64, source: io::Error } => Failed,
            "a quota needs a control group that may be written: run as root, under `systemd-run --user --scope -p \
             Delegate=yes`, or in a container started with --cgroupns=private; or hold the programs to cores \
             instead";

        /// A core that is not there, or not for us.
        #[error("core {core} may not be used here, only {}", list(.allowed))]
        Core { core: usize, allowed: Vec<usize> } => Failed;

        /// `ptrace` is not allowed here.
        #[error("this machine refuses ptrace, so system calls cannot be counted")]
        TraceRefused => Failed, "in a container, allow ptrace with --cap-add SYS_PTRACE or a newer seccomp profile";

        /// There is nothing to run.
        #[error("a session needs at least one variant and one block")]
        Empty => Failed;

        /// Two variants have the same name, so that results could not be distinguished.
        #[error("two variants are named `{name}`")]
        SameName { name: String } => Failed;

        /// A call of the operating system failed.
        #[error("{doing}")]
        System { doing: &'static str, source: io::Error } => source.code(), source.hint();
    }
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
