//! `brawn bench`: the standard suites, and what is done with their results.

mod compare;
mod list;
mod progress;
mod report;
mod run;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::cli::Options;
use crate::exit::Result;

pub use run::free_folder;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = after_help())]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Run,
}

#[derive(Subcommand)]
enum Command {
    /// Compare two results row by row, and fail where a figure grew worse by more than allowed
    Compare(compare::Arguments),
    /// Write results in another form: a page, tables, CSV, Bencher Metric Format
    Report(report::Arguments),
}

/// `brawn bench`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Some(Command::Compare(arguments)) => compare::run(options, arguments),
        Some(Command::Report(arguments)) => report::run(options, arguments),
        None => run::run(options, arguments.run),
    }
}

fn after_help() -> String {
    let mut text = String::from("Suites:\n");
    for (name, about) in brawn_bench::registry::GROUPS {
        text.push_str(&format!("  {name:8} {about}\n"));
    }
    text.push_str("  NAME…    these: `brawn bench --list` shows all, and what each needs\n");
    text.push_str("\nVariants:\n  ");
    text.push_str(&brawn_bench::flavour::names().join(", "));
    text.push('\n');
    text
}
