//! Why tuning gave no answer.

use std::path::PathBuf;

use brawn_base::{Asked, Code, Diagnostic};
use brawn_measure::format;

/// Why tuning ended without an answer. What was measured until then is kept, wherever something was measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Building or linking failed, or there is no record of a link.
    #[error(transparent)]
    Link(#[from] brawn_link::Error),

    /// An allocator, preset or knob is not known.
    #[error(transparent)]
    Libc(#[from] brawn_libc::Error),

    /// A measurement failed for a reason that is not one candidate's: no room, a refused quota, a port in use.
    #[error(transparent)]
    Measure(#[from] brawn_measure::Error),

    /// Reading or writing failed; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),

    /// cargo failed, and has said why.
    #[error("cargo failed with {0}")]
    Cargo(std::process::ExitStatus),

    /// The package has no executable.
    #[error("nothing was built that can be run")]
    NoExecutable,

    /// The package has several.
    #[error("{} executables were built: {}", names.len(), names.join(", "))]
    ManyExecutables {
        /// Their names.
        names: Vec<String>,
    },

    /// The program fails under every candidate.
    #[error("the program fails under every candidate that was tried; the first, `{name}`: {reason}")]
    AllFail {
        /// The first candidate's name.
        name: String,
        /// What happened to it.
        reason: String,
    },

    /// The program hangs under every candidate.
    #[error("the program does not end within {} under any candidate that was tried", format::seconds(*seconds))]
    AllHang {
        /// The limit.
        seconds: f64,
    },

    /// No candidate stays below the memory limit.
    #[error("no candidate stays within {}", format::bytes(*limit as f64))]
    ImpossibleLimit {
        /// The limit, in bytes.
        limit: u64,
        /// The smallest peak without a limit, and whose it is.
        smallest: Option<(String, u64)>,
    },

    /// The program prints something else each time that it runs.
    #[error("two runs of `{name}` print different output: {difference}")]
    OutputVaries {
        /// The candidate that ran twice.
        name: String,
        /// Where.
        difference: String,
    },

    /// The same program, measured against itself, differs more than the candidates do.
    #[error(
        "this machine is too noisy: the same program measured twice differs by up to {:.0} %, and no difference \
         between candidates is certain",
        resolution * 100.0
    )]
    TooNoisy {
        /// What can be distinguished here: 0.2 for 20 percent.
        resolution: f64,
    },

    /// A figure that the goal needs is not to be had.
    #[error("the goal `{goal}` needs {what}, which {why}")]
    NoFigure {
        /// The goal's name.
        goal: &'static str,
        /// The figure.
        what: &'static str,
        /// Why it is missing.
        why: &'static str,
    },

    /// The setup command failed.
    #[error("the setup command ended with {status}{}", said(.stderr))]
    Setup {
        /// How it ended.
        status: String,
        /// What it wrote.
        stderr: String,
    },

    /// A state that cannot be gone on with.
    #[error("{}: {what}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do.
        hint: &'static str,
    },

    /// A manifest that cannot be edited.
    #[error("{}: {what}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do.
        hint: &'static str,
    },

    /// An address or URL that means nothing.
    #[error("`{given}` is no place where a server can be ready: {what}")]
    Ready {
        /// What was given.
        given: String,
        /// What is wrong with it.
        what: String,
    },

    /// The built-in load found no server, or a wrong one.
    #[error("the load on {url} failed: {what}")]
    Load {
        /// The URL.
        url: String,
        /// What happened.
        what: String,
    },

    /// It was told to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Self::Link(error) => error.code(),
            Self::Libc(error) => error.code(),
            Self::Measure(error) => error.code(),
            Self::Io(error) => error.code(),
            Self::NoExecutable
            | Self::ManyExecutables { .. }
            | Self::NoFigure { .. }
            | Self::Ready { .. } => Code::Usage,
            Self::State { .. } | Self::Manifest { .. } => Code::Input,
            Self::ImpossibleLimit { .. } | Self::TooNoisy { .. } => Code::NoAnswer,
            Self::Interrupted => Code::Interrupted,
            Self::Cargo(_)
            | Self::AllFail { .. }
            | Self::AllHang { .. }
            | Self::OutputVaries { .. }
            | Self::Setup { .. }
            | Self::Load { .. } => Code::Failed,
        }
    }

    fn asked(&self) -> &[Asked] {
        if let Self::Link(error) = self { error.asked() } else { &[] }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Link(error) => return error.hint(),
            Self::Libc(error) => return error.hint(),
            Self::Measure(error) => return error.hint(),
            Self::Io(error) => return error.hint(),
            Self::NoExecutable => "is it a library? Name the package with -p, or an example with --example".into(),
            Self::ManyExecutables { .. } => "name one with --bin".into(),
            Self::AllFail { .. } => {
                "run it by hand first: the arguments after `--`, the folder (--dir), standard input (--stdin) and the \
                 expected exit status (--status) must be right; of a server also what --ready names, and the time that it takes to \
                 get there (--ready-limit)"
                    .into()
            }
            Self::AllHang { .. } => "raise --run-limit, or give it less work; a server needs --serve".into(),
            Self::ImpossibleLimit { smallest: Some((name, bytes)), .. } => format!(
                "without a limit `{name}` takes the least: {}; raise --limit beyond that",
                format::bytes(*bytes as f64)
            ),
            Self::ImpossibleLimit { .. } => "raise --limit".into(),
            Self::OutputVaries { .. } => {
                "if it does so by nature, say so: --output sorted where only the order of lines varies, --ignore-lines \
                 TEXT for lines with a time or a number, --output ignore otherwise (with --check to look at the result)"
                    .into()
            }
            Self::TooNoisy { .. } => {
                "end other programs, give the program more work, or raise --budget; what was measured is kept".into()
            }
            Self::NoFigure { goal: "latency", .. } => "latency is a server's: --serve --ready URL".into(),
            Self::NoFigure { .. } => {
                "in a container allow ptrace with --cap-add SYS_PTRACE or a newer seccomp profile; or take --goal time".into()
            }
            Self::Setup { .. } => "run it by hand; it runs in the program's folder, by `sh -c`".into(),
            Self::State { hint, .. } | Self::Manifest { hint, .. } => (*hint).to_owned(),
            Self::Ready { .. } => "give a URL as http://127.0.0.1:8080/health, a port, or line:TEXT".into(),
            Self::Load { .. } => "give another --url, or a command of your own with --load".into(),
            Self::Cargo(_) | Self::Interrupted => return None,
        })
    }
}

fn said(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("; it wrote:\n{text}") }
}
