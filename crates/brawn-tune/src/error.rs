//! Why tuning gave no answer.

use std::path::PathBuf;

use brawn_base::text::wrote;
use brawn_measure::format;

brawn_base::errors! {
    /// Why tuning ended without an answer. What was measured until then is kept, wherever something was measured.
    pub enum Error {
        from {
            /// Building or linking failed, or there is no record of a link.
            Link(brawn_link::Error),
            /// An allocator, preset or knob is not known.
            Libc(brawn_libc::Error),
            /// A measurement failed for a reason that is not one candidate's: no room, a refused quota, a port in use.
            Measure(brawn_measure::Error),
            /// Reading or writing failed; the message names the path.
            Io(std::io::Error),
        }

        /// cargo failed, and has said why.
        #[error("cargo failed with {status}")]
        Cargo { status: std::process::ExitStatus } => Failed;

        /// The package has no executable.
        #[error("nothing was built that can be run")]
        NoExecutable => Usage, "is it a library? Name the package with -p, or an example with --example";

        /// The package has several.
        #[error("{} executables were built: {}", names.len(), names.join(", "))]
        ManyExecutables { names: Vec<String> } => Usage, "name one with --bin";

        /// The program fails under every candidate.
        #[error("the program fails under every candidate that was tried; the first, `{name}`: {reason}")]
        AllFail { name: String, reason: String } => Failed,
            "run it by hand first: the arguments after `--`, the folder (--dir), standard input (--stdin) and the \
             expected exit status (--status) must be right; of a server also what --ready names, and the time that it takes to \
             get there (--ready-limit)";

        /// The program hangs under every candidate.
        #[error("the program does not end within {} under any candidate that was tried", format::seconds(*seconds))]
        AllHang { seconds: f64 } => Failed, "raise --run-limit, or give it less work; a server needs --serve";

        /// No candidate stays below the memory limit.
        #[error("no candidate stays within {}", format::bytes(*limit as f64))]
        ImpossibleLimit { limit: u64, smallest: Option<(String, u64)> } => NoAnswer,
            match smallest {
                Some((name, bytes)) => format!(
                    "without a limit `{name}` takes the least: {}; raise --limit beyond that",
                    format::bytes(*bytes as f64)
                ),
                None => "raise --limit".to_owned(),
            };

        /// The program prints something else each time that it runs.
        #[error("two runs of `{name}` print different output: {difference}")]
        OutputVaries { name: String, difference: String } => Failed,
            "if it does so by nature, say so: --output sorted where only the order of lines varies, --ignore-lines \
             TEXT for lines with a time or a number, --output ignore otherwise (with --check to look at the result)";

        /// The same program, measured against itself, differs more than the candidates do.
        #[error(
            "this machine is too noisy: the same program measured twice differs by up to {:.0} %, and no difference \
             between candidates is certain",
            resolution * 100.0
        )]
        TooNoisy { resolution: f64 } => NoAnswer,
            "end other programs, give the program more work, or raise --budget; what was measured is kept";

        /// A figure that the goal needs is not to be had.
        #[error("the goal `{goal}` needs {what}, which {why}")]
        NoFigure { goal: &'static str, what: &'static str, why: &'static str } => Usage,
            match *goal {
                "latency" => "latency is a server's: --serve --ready URL",
                _ => "in a container allow ptrace with --cap-add SYS_PTRACE or a newer seccomp profile; or take --goal time",
            };

        /// The setup command failed.
        #[error("the setup command ended with {status}{}", wrote(.stderr))]
        Setup { status: String, stderr: String } => Failed,
            "run it by hand; it runs in the program's folder, by `sh -c`";

        /// A state that cannot be gone on with, or a manifest that cannot be edited.
        #[error("{}: {what}", path.display())]
        Document { path: PathBuf, what: String, hint: &'static str } => Input, hint;

        /// An address or URL that means nothing.
        #[error("`{given}` is no place where a server can be ready: {what}")]
        Ready { given: String, what: String } => Usage,
            "give a URL as http://127.0.0.1:8080/health, a port, or line:TEXT";

        /// The built-in load found no server, or a wrong one.
        #[error("the load on {url} failed: {what}")]
        Load { url: String, what: String } => Failed, "give another --url, or a command of your own with --load";

        /// It was told to stop.
        #[error("interrupted")]
        Interrupted => Interrupted;
    }
}
