use std::path::{Path, PathBuf};

use brawn_base::{Asked, names};
use brawn_elf::Arch;

use crate::cc::Language;

brawn_base::errors! {
    /// Why a link, a build or a replay did not come about.
    pub enum Error {
        from {
            /// The overlay could not be made.
            Libc(brawn_libc::Error),
            /// Reading or writing failed; the message names the path.
            Io(std::io::Error),
        }

        #[error("cannot run {program}")]
        Spawn { program: String, source: std::io::Error } => Missing, format!("is {program} installed, and on PATH?");

        /// A program that Brawn asked for facts gave none.
        #[error("{command} failed: {stderr}")]
        Query { command: String, stderr: String } => Missing;

        #[error("cannot read cargo's configuration")]
        CargoConfig { source: Box<dyn std::error::Error + Send + Sync> } => Usage;

        /// A configuration file is not valid.
        #[error("{}: {what}", path.display())]
        Config { path: PathBuf, what: String, hint: Option<String> } => Usage, hint;

        #[error("{place}: preset '{preset}' is {its}, but malloc '{malloc}' was given as well")]
        Contradiction { place: String, preset: String, its: String, malloc: String } => Usage,
            "give only one of the two";

        /// An environment variable says something that it cannot.
        #[error("{variable}: {what}")]
        Variable { variable: String, what: String } => Usage, format!("set {variable} right, or unset it");

        #[error("target '{triple}' is not static musl Linux on a 64-bit architecture that Brawn knows")]
        Target { triple: String } => Usage,
            format!("there are {}", Arch::ALL.map(Arch::musl_triple).join(" and "));

        #[error("the Rust toolchain in {} has no {triple} target", sysroot.display())]
        NoRustTarget { sysroot: PathBuf, triple: String } => Missing, format!("rustup target add {triple}");

        #[error("no libc.a found for this link")]
        NoLibc => Missing, "Brawn looks where the linker would look: is musl installed for this target?";

        #[error("no linker found for {triple}")]
        NoLinker { triple: String } => Missing,
            format!("rustup's toolchains bring rust-lld; or set CARGO_TARGET_{}_LINKER", upper(triple));

        #[error("no {} compiler for {triple} found", if *language == Language::C { "C" } else { "C++" })]
        NoCompiler { language: Language, triple: String, tried: Vec<Asked> } => Missing,
            match language {
                Language::C => format!(
                    "looked for {}; install musl-gcc (`apt-get install musl-tools`) or zig (`pip install ziglang`), or \
                     set BRAWN_CC",
                    questions(tried)
                ),
                Language::Cxx => format!(
                    "looked for {}; install zig (`pip install ziglang`), or set BRAWN_CXX to a compiler whose C++ library \
                     was made for musl (glibc's does not fit)",
                    questions(tried)
                ),
            } => tried;

        /// The compiler that was named is for something else.
        #[error("{command} {instead}")]
        NotForMusl { command: String, instead: String, variable: &'static str, asked: Vec<Asked> } => Usage,
            format!("set {variable} to a compiler whose C library is musl; `brawn -v` shows what this one was asked")
            => asked;

        /// `brawn cc` was asked for something that its compiler cannot do.
        #[error("{what}")]
        Unsupported { what: String, hint: String } => Usage, hint;

        /// The linker itself failed; it has said why.
        #[error("the linker failed with {status}")]
        LinkerFailed { status: std::process::ExitStatus } => Failed;

        /// The linker failed, and the libraries that it was given show why it may have.
        #[error("{what}")]
        LibraryUnfit { what: String, hint: String } => Failed, hint;

        #[error(
            "the linker failed: --one-heap leaves {heaps} out, and the program calls more of it than another heap has: {}",
            names::joined(called)
        )]
        OneHeap { heaps: String, called: Vec<String> } => Failed,
            "leave out what calls these (statistics, settings and further heaps of that allocator), or \
             build without --one-heap: then there are two heaps, and --allow-second-heap accepts them";

        #[error("{} does not pass verification: {}", output.display(), problems.join("; "))]
        Unverified { output: PathBuf, problems: Vec<String>, hint: Option<String> } => Failed, hint;

        /// A shared library came out that no program of musl could load, or that would change its heap.
        #[error("{} {what}", path.display())]
        ModuleUnfit { path: PathBuf, what: String, hint: String } => Failed, hint;

        #[error("there is no record of how {} was linked", path.display())]
        NoRecord { path: PathBuf } => Input,
            "only links that went through Brawn are recorded, until the build folder is cleaned: build it again";

        /// The cache grew over its limit since, and the record lost its copies.
        #[error("what {} was linked from is no longer in the cache", output.display())]
        Trimmed { output: PathBuf } => Input,
            format!("remove {} and build it again; `brawn cache --help` tells about the limit", output.display());

        #[error(
            "the record of how {} was linked would run {linker}, which the current settings would not choose",
            output.display()
        )]
        ForeignLinker { output: PathBuf, linker: String } => Input,
            "build the program again; or, if that is the linker that you want, --trust-record";

        #[error("the link record in {} cannot be read", path.display())]
        BadRecord { path: PathBuf, source: serde_json::Error } => Input,
            "it was written by another version: build the program again";

        #[error("{} {what} since {} was linked", input.display(), output.display())]
        InputChanged { input: PathBuf, what: &'static str, output: PathBuf } => Input, "build the program again";

        /// An executable that cargo calls up to date carries another overlay, and its link cannot be done again.
        #[error("{} carries {carries}, but {wanted} was asked for", path.display())]
        Stale { path: PathBuf, carries: String, wanted: String } => Failed, "`cargo clean` and build again";
    }
}

impl From<cargo_config2::Error> for Error {
    fn from(error: cargo_config2::Error) -> Error {
        Error::CargoConfig { source: error.into() }
    }
}

impl Error {
    /// What a failed verification found.
    pub(crate) fn unverified(output: &Path, report: brawn_elf::Report) -> Error {
        Error::Unverified {
            output: output.to_owned(),
            hint: report.findings.first().and_then(|problem| problem.hint.clone()),
            problems: report.findings.into_iter().map(|problem| problem.message).collect(),
        }
    }
}

fn questions(tried: &[Asked]) -> String {
    names::joined(&tried.iter().map(|asked| &asked.question).collect::<Vec<_>>())
}

/// A target triple as cargo writes it in the names of environment variables.
pub(crate) fn upper(triple: &str) -> String {
    triple.to_uppercase().replace(['-', '.'], "_")
}
