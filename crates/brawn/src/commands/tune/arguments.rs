use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use brawn_measure::service::Signal;
use brawn_tune::Goal;
use clap::builder::UnknownArgumentValueParser;
use clap::{Args, Parser};

use super::units::{positive, size, time};
use crate::cli::{Options, existing};
use crate::commands::called::Called;

#[derive(Args, Clone)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// What it shall be good at: time, memory, balanced, or latency (of a server)
    #[arg(long, value_name = "GOAL", default_value = "balanced", value_parser = |text: &str| text.parse::<Goal>())]
    pub goal: Goal,
    /// Memory that the program may hold; what wants more is out
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub limit: Option<u64>,
    /// Thread counts: `{threads}` in ARGS is replaced, otherwise the usual variables are set
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Vec<u16>,
    /// Cores that the program is held to; a fraction is a quota of CPU time
    #[arg(long, value_name = "N", value_parser = positive)]
    pub cpus: Option<f64>,
    /// Time for measuring
    #[arg(long, value_name = "TIME", default_value = "4m", value_parser = time)]
    pub budget: Duration,
    /// What other programs call the budget.
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest_arg("--budget"))]
    pub time: Option<()>,
    /// Stop earlier when every ratio is known to so many percent
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = positive)]
    pub precision: f64,
    /// Try the allocators with their defaults only
    #[arg(long)]
    pub no_knobs: bool,
    /// Let no one leave early: takes longer, and checks what the race would have missed
    #[arg(long)]
    pub exhaustive: bool,
    /// Do not build for glibc to compare with: that is a compilation of its own
    #[arg(long)]
    pub no_glibc: bool,
    /// The seed of an earlier run
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where results go [default: brawn-tune-DATE]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with an interrupted run
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// Write the answer into Cargo.toml
    #[arg(long)]
    pub apply: bool,
    /// Keep the candidates' executables
    #[arg(long)]
    pub keep: bool,

    /// An executable instead of a package: one that Brawn linked, or several, NAME=FILE, to be compared as they are
    #[arg(long, value_name = "[NAME=]FILE", help_heading = "What is tuned")]
    pub exe: Vec<String>,
    /// Run the linker of its record, whatever it is
    #[arg(long, help_heading = "What is tuned")]
    pub trust_record: bool,
    /// An executable to compare with, which is never the answer (repeatable)
    #[arg(long, value_name = "[NAME=]FILE", help_heading = "What is tuned")]
    pub reference: Vec<String>,
    /// Another candidate, by the options that ask for it: '--malloc jemalloc --knob jemalloc.narenas=2' (repeatable)
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, help_heading = "What is tuned")]
    pub also: Vec<String>,
    /// The package to build
    #[arg(short, long, value_name = "NAME", help_heading = "What is tuned")]
    pub package: Option<String>,
    /// The executable of the package
    #[arg(long, value_name = "NAME", help_heading = "What is tuned")]
    pub bin: Option<String>,
    /// An example of the package
    #[arg(long, value_name = "NAME", help_heading = "What is tuned")]
    pub example: Option<String>,
    /// The profile to build with
    #[arg(long, value_name = "NAME", default_value = "release", help_heading = "What is tuned")]
    pub profile: String,
    /// Features of the package
    #[arg(long, value_name = "LIST", help_heading = "What is tuned")]
    pub features: Option<String>,
    /// The package's Cargo.toml
    #[arg(long, value_name = "FILE", help_heading = "What is tuned")]
    pub manifest_path: Option<PathBuf>,
    /// Another argument for cargo (repeatable)
    #[arg(long, value_name = "ARG", allow_hyphen_values = true, help_heading = "What is tuned")]
    pub cargo_arg: Vec<String>,

    #[command(flatten)]
    pub run: Called,
    /// A folder of which each run gets a fresh copy to run in
    #[arg(long, value_name = "DIR", value_parser = existing, conflicts_with = "dir", help_heading = "The run")]
    pub copy_dir: Option<PathBuf>,
    /// A command for the shell, before each run
    #[arg(long, value_name = "COMMAND", help_heading = "The run")]
    pub setup: Option<String>,
    /// A command for the shell that looks at each result: the output is its input, and it fails by its status
    #[arg(long, value_name = "COMMAND", help_heading = "The run")]
    pub check: Option<String>,
    /// Longest time of a run [default: what takes 8 times as long as now is given up]
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "The run")]
    pub run_limit: Option<Duration>,

    /// The program is a server; `{port}` in any text is replaced by a free port
    #[arg(long, requires = "ready", help_heading = "Servers")]
    pub serve: bool,
    /// When it is ready: a URL that answers, a port that accepts, or line:TEXT that it prints
    #[arg(long, value_name = "WHERE", requires = "serve", help_heading = "Servers")]
    pub ready: Option<String>,
    /// A command for the shell that drives it, such as wrk [default: a load built in]
    #[arg(long, value_name = "COMMAND", requires = "serve", help_heading = "Servers")]
    pub load: Option<String>,
    /// What the built-in load asks for [default: the URL of --ready]
    #[arg(long, value_name = "URL", requires = "serve", conflicts_with = "load", help_heading = "Servers")]
    pub url: Option<String>,
    /// Connections of the built-in load
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Servers")]
    pub connections: u16,
    /// Time of the built-in load in each run
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = time, help_heading = "Servers")]
    pub load_time: Duration,
    /// Longest time until it is ready
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = time, help_heading = "Servers")]
    pub ready_limit: Duration,
    /// How long it is left alone before its size after the load is read
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time, help_heading = "Servers")]
    pub idle: Duration,
    /// What it is told to stop by: TERM, INT or QUIT
    #[arg(long, value_name = "SIGNAL", default_value = "TERM", value_parser = brawn_tune::load::stop_signal, help_heading = "Servers")]
    pub stop: Signal,
    /// The memory of its child processes counts
    #[arg(long, requires = "serve", help_heading = "Servers")]
    pub with_children: bool,

    /// The program's arguments
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

const AFTER_HELP: &str = "The program's arguments follow `--`, which must be there even when there are none.";

/// The arguments alone, for those that a run has kept.
#[derive(Parser)]
#[command(name = "brawn tune")]
pub struct Kept {
    #[command(flatten)]
    pub arguments: Arguments,
    #[command(flatten)]
    pub options: Options,
}

/// The options of another candidate.
#[derive(Parser)]
#[command(name = "--also", no_binary_name = true, disable_help_flag = true)]
pub struct Also {
    #[command(flatten)]
    pub options: Options,
}
