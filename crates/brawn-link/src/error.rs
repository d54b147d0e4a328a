use std::path::PathBuf;

use brawn_base::{Asked, Code, Diagnostic};

use crate::cc::Language;

/// Why a link, a build or a replay did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The overlay could not be made.
    #[error(transparent)]
    Libc(#[from] brawn_libc::Error),

    /// Reading or writing failed; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),

    /// A program could not be started.
    #[error("cannot run {program}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },

    /// A program that Brawn asked for facts gave none.
    #[error("{command} failed: {stderr}")]
    Query {
        /// The command line.
        command: String,
        /// What it said.
        stderr: String,
    },

    /// Cargo's configuration cannot be read.
    #[error("cannot read cargo's configuration")]
    CargoConfig(#[source] Box<dyn std::error::Error + Send + Sync>),

    /// A configuration file is not valid.
    #[error("{}: {what}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do about it.
        hint: Option<String>,
    },

    /// Preset and allocator were given in the same place and do not agree.
    #[error("{place}: preset '{preset}' is {its}, but malloc '{malloc}' was given as well")]
    Contradiction {
        /// Where both stand.
        place: String,
        /// The preset.
        preset: String,
        /// The preset's allocator.
        its: String,
        /// The other allocator.
        malloc: String,
    },

    /// An environment variable says something that it cannot.
    #[error("{variable}: {what}")]
    Variable {
        /// The variable.
        variable: String,
        /// What is wrong.
        what: String,
    },

    /// The target is not one that Brawn makes executables for.
    #[error("target '{0}' is not static musl Linux on a 64-bit architecture that Brawn knows")]
    Target(String),

    /// The Rust toolchain has no standard library for the target.
    #[error("the Rust toolchain in {} has no {triple} target", sysroot.display())]
    NoRustTarget {
        /// rustc's folder.
        sysroot: PathBuf,
        /// The target.
        triple: String,
    },

    /// No libc.a could be found for a link.
    #[error("no libc.a found for this link")]
    NoLibc,

    /// No linker at all.
    #[error("no linker found for {triple}")]
    NoLinker {
        /// The target.
        triple: String,
    },

    /// No C or C++ compiler for the target.
    #[error("no {} compiler for {triple} found", if *language == Language::C { "C" } else { "C++" })]
    NoCompiler {
        /// What it should compile.
        language: Language,
        /// The target.
        triple: String,
        /// What was looked for.
        tried: Vec<Asked>,
    },

    /// The compiler that was named is for something else.
    #[error("{command} {instead}")]
    NotForMusl {
        /// The compiler.
        command: String,
        /// What it is for.
        instead: String,
        /// The variable that names it.
        variable: &'static str,
        /// What it was asked.
        asked: Vec<Asked>,
    },

    /// `brawn cc` was asked for something that its compiler cannot do.
    #[error("{what}")]
    Unsupported {
        /// What it was.
        what: String,
        /// What to do instead.
        hint: String,
    },

    /// The linker itself failed; it has said why.
    #[error("the linker failed with {0}")]
    LinkerFailed(std::process::ExitStatus),

    /// The linker failed, and the libraries that it was given show why it may have.
    #[error("{what}")]
    LibraryUnfit {
        /// What does not fit.
        what: String,
        /// What to do about it.
        hint: String,
    },

    /// The linker failed without the allocator that a crate brings, of which the program needs more than another heap has.
    #[error("the linker failed: --one-heap leaves {heaps} out, and the program calls more of it than another heap has: {}", names.join(", "))]
    OneHeap {
        /// The allocator, or two of them.
        heaps: String,
        /// What it calls.
        names: Vec<String>,
    },

    /// What was linked does not keep Brawn's promises.
    #[error("{} does not pass verification: {}", output.display(), problems.join("; "))]
    Unverified {
        /// The executable, which is gone.
        output: PathBuf,
        /// What is wrong with it.
        problems: Vec<String>,
        /// What to do about the first problem.
        hint: Option<String>,
    },

    /// No record of how an executable was linked.
    #[error("there is no record of how {} was linked", .0.display())]
    NoRecord(PathBuf),

    /// The cache grew over its limit since, and the record lost its copies.
    #[error("what {} was linked from is no longer in the cache", .0.display())]
    Trimmed(PathBuf),

    /// A record would run a linker that no current setting names.
    #[error(
        "the record of how {} was linked would run {linker}, which the current settings would not choose",
        output.display()
    )]
    ForeignLinker {
        /// The executable.
        output: PathBuf,
        /// The program with its fixed arguments.
        linker: String,
    },

    /// A record that cannot be read.
    #[error("the link record in {} cannot be read", path.display())]
    BadRecord {
        /// The record's folder.
        path: PathBuf,
        /// What the parser said.
        #[source]
        source: serde_json::Error,
    },

    /// An input of a recorded link is gone or differs.
    #[error("{} {what} since {} was linked", input.display(), output.display())]
    InputChanged {
        /// The input.
        input: PathBuf,
        /// `changed` or `is gone`.
        what: &'static str,
        /// The executable.
        output: PathBuf,
    },

    /// An executable that cargo calls up to date carries another overlay, and its link cannot be done again.
    #[error("{} carries {carries}, but {wanted} was asked for", path.display())]
    Stale {
        /// The executable.
        path: PathBuf,
        /// What its note says.
        carries: String,
        /// What was asked for.
        wanted: String,
    },
}

impl Error {
    /// What a failed verification found.
    pub(crate) fn unverified(output: &std::path::Path, report: brawn_elf::Report) -> Error {
        Error::Unverified {
            output: output.to_owned(),
            hint: report.findings.first().and_then(|problem| problem.hint.clone()),
            problems: report.findings.into_iter().map(|problem| problem.message).collect(),
        }
    }
}

impl Diagnostic for Error {
    fn code(&self) -> Code {
        match self {
            Error::Libc(error) => error.code(),
            Error::Io(error) => error.code(),
            Error::Config { .. }
            | Error::CargoConfig(_)
            | Error::Contradiction { .. }
            | Error::Variable { .. }
            | Error::Target(_)
            | Error::NotForMusl { .. }
            | Error::Unsupported { .. } => Code::Usage,
            Error::Spawn { .. }
            | Error::Query { .. }
            | Error::NoRustTarget { .. }
            | Error::NoLibc
            | Error::NoLinker { .. }
            | Error::NoCompiler { .. } => Code::Missing,
            Error::NoRecord(_)
            | Error::BadRecord { .. }
            | Error::ForeignLinker { .. }
            | Error::Trimmed(_)
            | Error::InputChanged { .. } => Code::Input,
            Error::LinkerFailed(_)
            | Error::LibraryUnfit { .. }
            | Error::OneHeap { .. }
            | Error::Unverified { .. }
            | Error::Stale { .. } => Code::Failed,
        }
    }

    fn asked(&self) -> &[Asked] {
        if let Error::NoCompiler { tried: asked, .. } | Error::NotForMusl { asked, .. } = self {
            return asked;
        }
        &[]
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Libc(error) => return error.hint(),
            Error::Io(error) => return error.hint(),
            Error::Config { hint, .. } | Error::Unverified { hint, .. } => return hint.clone(),
            Error::Contradiction { .. } => "give only one of the two".into(),
            Error::Variable { variable, .. } => format!("set {variable} right, or unset it"),
            Error::Spawn { program, .. } => format!("is {program} installed, and on PATH?"),
            Error::Target(_) => {
                let known: Vec<_> = brawn_elf::Arch::ALL.iter().map(|arch| arch.musl_triple()).collect();
                format!("there are {}", known.join(" and "))
            }
            Error::NoRustTarget { triple, .. } => format!("rustup target add {triple}"),
            Error::NoLibc => "Brawn looks where the linker would look: is musl installed for this target?".into(),
            Error::NoLinker { triple } => {
                format!("rustup's toolchains bring rust-lld; or set CARGO_TARGET_{}_LINKER", upper(triple))
            }
            Error::NoCompiler { language: Language::C, tried, .. } => format!(
                "looked for {}; install musl-gcc (`apt-get install musl-tools`) or zig (`pip install ziglang`), or \
                 set BRAWN_CC",
                names(tried)
            ),
            Error::NoCompiler { language: Language::Cxx, tried, .. } => format!(
                "looked for {}; install zig (`pip install ziglang`), or set BRAWN_CXX to a compiler whose C++ library \
                 was made for musl (glibc's does not fit)",
                names(tried)
            ),
            Error::NotForMusl { variable, .. } => format!(
                "set {variable} to a compiler whose C library is musl; `brawn -v` shows what this one was asked"
            ),
            Error::Unsupported { hint, .. } | Error::LibraryUnfit { hint, .. } => hint.clone(),
            Error::OneHeap { .. } => "leave out what calls these (statistics, settings and further heaps of that allocator), \
                                      or build without --one-heap: then there are two heaps, and \
                                      --allow-second-heap accepts them"
                .into(),
            Error::NoRecord(_) => {
                "only links that went through Brawn are recorded, until the build folder is cleaned: build it again"
                    .into()
            }
            Error::Trimmed(output) => format!(
                "remove {} and build it again; `brawn cache --help` tells about the limit",
                output.display()
            ),
            Error::ForeignLinker { .. } => {
                "build the program again; or, if that is the linker that you want, --trust-record".into()
            }
            Error::BadRecord { .. } => "it was written by another version: build the program again".into(),
            Error::InputChanged { .. } => "build the program again".into(),
            Error::Stale { .. } => "`cargo clean` and build again".into(),
            Error::Query { .. } | Error::CargoConfig(_) | Error::LinkerFailed(_) => return None,
        })
    }
}

fn names(tried: &[Asked]) -> String {
    tried.iter().map(|asked| asked.question.as_str()).collect::<Vec<_>>().join(", ")
}

/// A target triple as cargo writes it in the names of environment variables.
pub(crate) fn upper(triple: &str) -> String {
    triple.to_uppercase().replace(['-', '.'], "_")
}
