//! What maintainers run: `make demo`, the measurements that the documentation quotes, the search for presets, and the study
//! of `brawn tune`. Nothing of it is in what a user installs.

mod alternatives;
mod costs;
mod demo;
mod hundred;
mod jaq;
mod leptosfmt;
mod merge;
#[cfg(test)]
mod pages;
mod presets;
mod quote;
mod report;
mod results;
mod study;
mod three_ways;
mod workshop;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::Diagnostic;
use clap::{Parser, Subcommand};

/// Builds programs several ways and measures them side by side.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build a real program with glibc, stock musl and Brawn, and run the three on real input.
    Demo {
        /// The `brawn` to build with.
        #[arg(long)]
        brawn: PathBuf,
        /// Runs of each variant that count.
        #[arg(long, default_value = "9")]
        blocks: NonZeroUsize,
        /// Seed of an earlier run, to repeat its order.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Measure the candidates for presets side by side, and say which no other beats.
    Presets {
        /// The `brawn` to measure with.
        #[arg(long, required_unless_present = "read")]
        brawn: Option<PathBuf>,
        /// Folder for the results, the page with its picture of time against memory, and the table.
        #[arg(long)]
        out: PathBuf,
        /// Where the runs of single cases are kept until all are there: the same command goes on from them.
        #[arg(long, default_value = "target/presets")]
        parts: PathBuf,
        /// Where programs are built and kept; where `brawn bench` has them otherwise.
        #[arg(long)]
        work: Option<PathBuf>,
        /// Time for each case, in seconds.
        #[arg(long, default_value_t = 20.0)]
        time: f64,
        /// Fewest runs of each candidate that count, in each case.
        #[arg(long, default_value_t = 5)]
        blocks: usize,
        /// The important candidates and cases only.
        #[arg(long)]
        reduced: bool,
        /// Only cases whose names, suite first, hold this text.
        #[arg(long)]
        case: Option<String>,
        /// Only candidates whose names hold this text, besides glibc and stock musl.
        #[arg(long)]
        candidate: Option<String>,
        /// Measures nothing: makes table and pictures again from the results that lie in the folder.
        #[arg(long)]
        read: bool,
    },
    /// Make one document of several runs of `brawn bench`, which says what state of the repository was measured.
    Collect {
        /// Folder for results.json, report.html and results.md.
        #[arg(long)]
        out: PathBuf,
        /// The command that the document names.
        #[arg(long)]
        command: String,
        /// The folders of the runs; one that has no results is said and left out.
        #[arg(required = true)]
        parts: Vec<PathBuf>,
    },
    /// Put the tables of docs/results/ into the documents that quote them.
    Quote,
    /// Tune real programs again, for docs/tune/.
    #[command(subcommand)]
    Study(study::Step),
    /// A hundred programs of others, for docs/hundred/.
    #[command(subcommand)]
    Hundred(hundred::Step),
    /// Measure everything that docs/results/ reports, and write it there.
    Results {
        /// The `brawn` to build with.
        #[arg(long)]
        brawn: PathBuf,
        /// Folder for the Markdown and JSON files.
        #[arg(long)]
        out: PathBuf,
        /// Only these parts; all of them otherwise.
        #[arg(long, value_enum)]
        only: Vec<results::Part>,
        /// Runs of each variant that count.
        #[arg(long, default_value = "7")]
        blocks: NonZeroUsize,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Demo { brawn, blocks, seed } => demo::run(&brawn, blocks.get(), seed),
        Command::Presets { brawn, out, parts, work, time, blocks, reduced, case, candidate, read } => {
            let search = brawn.filter(|_| !read).map(|brawn| presets::Search {
                brawn,
                parts,
                work,
                time,
                blocks,
                reduced,
                case,
                candidate,
            });
            presets::run(&out, search.as_ref())
        }
        Command::Collect { out, command, parts } => results::collect(&out, &command, &parts),
        Command::Quote => quote::run(),
        Command::Study(step) => study::run(step),
        Command::Hundred(step) => hundred::run(step),
        Command::Results { brawn, out, only, blocks } => results::run(&brawn, &out, &only, blocks.get()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  caused by: {cause}");
            }
            if let Some(hint) = error.downcast_ref::<brawn_measure::Error>().and_then(Diagnostic::hint) {
                eprintln!("hint: {hint}");
            }
            ExitCode::FAILURE
        }
    }
}
