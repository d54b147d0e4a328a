//! The command line.

use std::ffi::OsString;
use std::iter::successors;
use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::Code;
use brawn_base::text::shown;
use brawn_link::cc::Language;
use brawn_link::settings::Layer;
use clap::{ArgAction, ArgMatches, Args, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::exit::Result;
use crate::{commands, help, origin, uses};

/// Makes Rust, C and C++ programs static and fast: musl executables with the heap and slow functions replaced.
#[derive(Parser)]
#[command(name = "brawn", version, long_version = origin::VERSION.as_str(), max_term_width = 100, after_help = after_help())]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

// Options that mean the same everywhere: `uses` adds them to the commands. A doc comment would become what help says of
// each command.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Target triple [default: musl for this machine's architecture]
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,
    /// What to aim at: balanced, fast, small, hardened or stock
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// The allocator, instead of a preset's: `brawn libc --help` lists them
    #[arg(long, value_name = "NAME")]
    pub malloc: Option<String>,
    /// Keep musl's own string functions
    #[arg(long)]
    pub no_strings: bool,
    /// Keep musl's own functions of these families, with commas between: strings, environment, … or all
    #[arg(long, value_name = "FAMILIES", value_delimiter = ',')]
    pub musl: Vec<String>,
    /// String functions for this kind of processor only, without a look at the one they run on: x86-64-v3 or x86-64-v4
    #[arg(long, value_name = "NAME", conflicts_with = "no_strings")]
    pub cpu: Option<String>,
    /// A setting of the allocator, or strings.level=sse2|avx2|avx512 (repeatable)
    #[arg(long = "knob", value_name = "KEY=VALUE", value_parser = pair("a knob is KEY=VALUE"))]
    pub knobs: Vec<(String, String)>,
    /// Refuse an executable that would otherwise be handed over with a warning
    #[arg(long)]
    pub strict: bool,
    /// Accept a heap of the program's own beside Brawn's, such as that of a #[global_allocator]
    #[arg(long)]
    pub allow_second_heap: bool,
    /// Serve the mimalloc or jemalloc that a crate brings from Brawn's heap, which is then the only one
    #[arg(long)]
    pub one_heap: bool,
    /// How to print results
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub message_format: Format,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub color: When,
    /// Say what would be done, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Say more
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
    /// Say less
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// What the commands take that look into files.
#[derive(Args)]
pub struct Files {
    /// Executables; `inspect` takes shared libraries as well
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Print one JSON object for each file
    #[arg(long)]
    pub json: bool,
}

/// How to print results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Subcommand)]
enum Command {
    /// Build the package as static executables, verified (all of cargo build's arguments)
    Build(Passed),
    /// Run any cargo subcommand with the replaced heap: run, test, install, bench, nextest run, …
    Cargo(Passed),
    /// Compile and link C for static musl: a compiler for make, CMake, autotools (`CC='brawn cc'`)
    Cc(Passed),
    /// Compile and link C++ for static musl (`CXX='brawn c++'`)
    #[command(name = "c++")]
    Cxx(Passed),
    /// Print the variables that make cargo and other build systems use Brawn
    Env(commands::env::Arguments),
    /// Write a libc.a with the heap and slow functions replaced into a folder
    Libc(commands::libc::Arguments),
    /// Replace a toolchain's libc.a in place, keeping the original beside it
    Patch(commands::patch::Arguments),
    /// Bring back a patched toolchain's original libc.a, or an executable as it was before `graft`
    Restore(commands::patch::Arguments),
    /// Link an executable that Brawn made again, with another allocator, in about a second
    Relink(commands::relink::Arguments),
    /// Give a finished static executable Brawn's string functions and others, without its source
    Graft(commands::graft::Arguments),
    /// Write an allocator as a shared library, for programs that stay dynamic (`LD_PRELOAD`)
    Preload(commands::preload::Arguments),
    /// Run a dynamic program, ours or not, with an allocator preloaded
    Run(commands::run::Arguments),
    /// Exit 0 only if each executable is static and has exactly one heap, the one that its note says
    Verify(Files),
    /// Show what is inside any ELF executable: linkage, libc, heaps, hardening, sizes
    Inspect(commands::inspect::Arguments),
    /// Run an executable in an empty root, and say what an image must carry for it
    Check(commands::check::Arguments),
    /// Say what this machine has and lacks, what that costs, and what cures it
    Doctor(commands::doctor::Arguments),
    /// Write or push a minimal container image of a static executable, without a daemon
    Image(Box<commands::image::Arguments>),
    /// Measure the standard suites, or builds of your own program (A B -- ARGS), side by side
    Bench(Box<commands::bench::Arguments>),
    /// Find the right allocator for a program by measuring it: one compilation, a link for each candidate
    Tune(Box<commands::tune::Arguments>),
    /// Find the right allocator for each kind of node, by measuring there: Kubernetes jobs, ssh, Slurm
    Fleet(commands::fleet::Arguments),
    /// Write what a project needs to build with Brawn, after showing it
    Init(Box<commands::init::Arguments>),
    /// Show, trim or clear the cache
    Cache(Box<commands::cache::Arguments>),
    /// Print a shell's completions for brawn
    Completions(commands::completions::Arguments),
    /// Print the manual page of brawn or of one of its commands, or write all of them
    Man(commands::man::Arguments),
    /// The load that `tune` puts on a server
    #[command(hide = true)]
    TuneLoad(commands::tune::LoadArguments),
}

/// Arguments that are another program's.
#[derive(Args)]
struct Passed {
    /// Arguments, passed through untouched
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

impl Options {
    /// The settings among the options.
    pub fn layer(&self) -> Layer {
        Layer {
            preset: self.preset.clone(),
            malloc: self.malloc.clone(),
            target: self.target.clone(),
            strings: self.no_strings.then_some(false),
            musl: (!self.musl.is_empty()).then(|| self.musl.clone()),
            cpu: self.cpu.clone(),
            knobs: self.knobs.iter().cloned().collect(),
            strict: self.strict.then_some(true),
            allow_second_heap: self.allow_second_heap.then_some(true),
            one_heap: self.one_heap.then_some(true),
        }
    }

    /// Those of a whole command line: what was given before a command holds unless the command's own say otherwise.
    fn of(matches: &ArgMatches) -> Result<Options, clap::Error> {
        let levels = successors(Some(matches), |matches| matches.subcommand().map(|(_, inner)| inner));
        // Every level that takes the options has a value of this one, if it is not given as well.
        let with_options = levels.filter(|matches| matches.ids().any(|id| id == "quiet"));
        with_options
            .map(Options::from_arg_matches)
            .try_fold(Options::default(), |before, own| Ok(own?.over(before)))
    }

    /// These, with what was given before them.
    pub fn over(self, before: Options) -> Options {
        let message_format = if self.json() { self.message_format } else { before.message_format };
        Options {
            target: self.target.or(before.target),
            preset: self.preset.clone().or(before.preset.filter(|_| self.malloc.is_none())),
            malloc: self.malloc.clone().or(before.malloc.filter(|_| self.preset.is_none())),
            message_format,
            no_strings: self.no_strings || (before.no_strings && self.cpu.is_none()),
            cpu: self.cpu.or(before.cpu.filter(|_| !self.no_strings)),
            musl: if self.musl.is_empty() { before.musl } else { self.musl },
            knobs: before.knobs.into_iter().chain(self.knobs).collect(),
            strict: self.strict || before.strict,
            allow_second_heap: self.allow_second_heap || before.allow_second_heap,
            one_heap: self.one_heap || before.one_heap,
            color: if self.color == When::Auto { before.color } else { self.color },
            dry_run: self.dry_run || before.dry_run,
            verbose: self.verbose.max(before.verbose),
            quiet: self.quiet || before.quiet,
        }
    }

    /// Whether results are for programs.
    pub fn json(&self) -> bool {
        self.message_format == Format::Json
    }

    fn set_colours(&self) {
        match self.color {
            When::Auto => {}
            When::Always => anstream::ColorChoice::Always.write_global(),
            When::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

/// The compiler's arguments, where the command line is `brawn cc ARGS` or `brawn c++ ARGS` and there is nothing else to read in
/// it. A build starts it once for each source, and to make the definition of all commands takes longer than all else
/// that it does.
fn compiler() -> Option<(Language, Vec<OsString>)> {
    let mut args = std::env::args_os().skip(1);
    let called = args.next()?;
    let language = [Language::C, Language::Cxx].into_iter().find(|language| called == language.command())?;
    let args: Vec<OsString> = args.collect();
    let is_ours = args.first().is_some_and(|arg| arg == "-h" || arg == "--help" || arg == "--");
    (!is_ours).then_some((language, args))
}

/// Reads the command line and runs the command.
pub fn run() -> Result<ExitCode> {
    if let Some((language, args)) = compiler() {
        return commands::cc::run(language, Options::default(), args);
    }
    let (options, Cli { command }) = parse();
    options.set_colours();
    if options.verbose > 0 {
        crate::output::be_verbose();
    }
    match command {
        Command::Build(passed) => commands::build::run(options, passed.args),
        Command::Cargo(passed) => commands::cargo::run(options, passed.args),
        Command::Cc(passed) => commands::cc::run(Language::C, options, passed.args),
        Command::Cxx(passed) => commands::cc::run(Language::Cxx, options, passed.args),
        Command::Env(arguments) => commands::env::run(options, arguments),
        Command::Libc(arguments) => commands::libc::run(options, arguments),
        Command::Patch(arguments) => commands::patch::patch(options, arguments),
        Command::Restore(arguments) => commands::patch::restore(options, arguments),
        Command::Relink(arguments) => commands::relink::run(options, arguments),
        Command::Graft(arguments) => commands::graft::run(options, arguments),
        Command::Preload(arguments) => commands::preload::run(options, arguments),
        Command::Run(arguments) => commands::run::run(options, arguments),
        Command::Verify(arguments) => commands::verify::run(options, arguments),
        Command::Inspect(arguments) => commands::inspect::run(options, arguments),
        Command::Check(arguments) => commands::check::run(options, arguments),
        Command::Doctor(arguments) => commands::doctor::run(options, arguments),
        Command::Image(arguments) => commands::image::run(options, *arguments),
        Command::Bench(arguments) => commands::bench::run(options, *arguments),
        Command::Tune(arguments) => commands::tune::run(options, *arguments),
        Command::Fleet(arguments) => commands::fleet::run(options, arguments),
        Command::Init(arguments) => commands::init::run(options, *arguments),
        Command::Cache(arguments) => commands::cache::run(options, *arguments),
        Command::Completions(arguments) => commands::completions::run(help::command(), arguments),
        Command::Man(arguments) => commands::man::run(help::command(), options, arguments),
        Command::TuneLoad(arguments) => commands::tune::run_load(arguments),
    }
}

/// Reads the command line. What is wrong with it is said with the arguments made visible.
fn parse() -> (Options, Cli) {
    let matches = help::command().try_get_matches().unwrap_or_else(|error| {
        let visible: Vec<String> = std::env::args_os().map(|word| shown(&word).to_string()).collect();
        if std::env::args_os().eq(visible.iter().map(OsString::from)) {
            error.exit();
        }
        match help::command().try_get_matches_from(visible) {
            Err(error) => error.exit(),
            // Nothing else was wrong with it.
            Ok(_) => {
                help::command().error(clap::error::ErrorKind::InvalidUtf8, "an argument is not UTF-8").exit()
            }
        }
    });
    uses::check(&matches).unwrap_or_else(|message| usage(message));
    let parsed = Options::of(&matches).and_then(|options| Ok((options, Cli::from_arg_matches(&matches)?)));
    parsed.unwrap_or_else(|error| error.exit())
}

/// A wrong use of the command line that clap cannot know.
pub fn usage(message: impl std::fmt::Display) -> ! {
    let mut root = help::command();
    root.build();
    // The command that was called shows how it is used.
    let words = std::env::args_os().skip(1).take_while(|word| word != "--");
    let called = words.fold(&root, |command, word| command.find_subcommand(&word).unwrap_or(command));
    let message = shown(&message.to_string()).to_string();
    called.clone().error(clap::error::ErrorKind::ValueValidation, message).exit()
}

/// Reads a name and a value; `form` says what they look like.
pub fn pair(
    form: &'static str,
) -> impl Fn(&str) -> Result<(String, String), String> + Clone + Send + Sync + 'static {
    move |text| match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(form.to_owned()),
    }
}

fn after_help() -> String {
    let mut text = String::from("Exit codes:\n  0  success\n");
    for code in Code::ALL {
        text.push_str(&format!("  {}  {}\n", u8::from(*code), code.meaning()));
    }
    text.push_str(
        "  `build`, `cargo`, `cc` and `c++` otherwise end with the code of the program that they ran.\n",
    );
    text.push_str("\nEnvironment:\n");
    for var in brawn_link::vars::ALL {
        text.push_str(&format!("  {:16} {}\n", var.name, var.summary.trim()));
    }
    text
}

/// Where a command looks for a file that it was given.
pub fn existing(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.exists() { Ok(path) } else { Err("there is no such file".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        help::command().debug_assert();
    }

    #[test]
    fn a_commands_own_options_win() {
        let of = |preset: Option<&str>, malloc: Option<&str>| Options {
            preset: preset.map(str::to_owned),
            malloc: malloc.map(str::to_owned),
            ..Options::default()
        };
        let both = of(None, Some("stock")).over(of(Some("hardened"), None));
        assert_eq!((both.preset, both.malloc.as_deref()), (None, Some("stock")));
        let kept = Options::default().over(of(Some("hardened"), None));
        assert_eq!(kept.preset.as_deref(), Some("hardened"));
    }
}
