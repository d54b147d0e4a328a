//! `brawn fleet`: the question of `tune` on many machines.

mod canary;
mod collect;
mod report;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::cli::Options;
use crate::exit::Result;

#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read the blocks in the logs of a fleet's pods into its file, as often as wanted
    Collect(collect::Arguments),
    /// Judge a canary by what Prometheus measured of it and of what runs beside it, or print the experiment for Argo Rollouts
    Canary(Box<canary::Arguments>),
    /// Answer for each pool and for all, with what was collected so far
    Report(Box<report::Arguments>),
}

/// `brawn fleet`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Command::Collect(arguments) => collect::run(options, arguments),
        Command::Canary(arguments) => canary::run(options, *arguments),
        Command::Report(arguments) => report::run(options, *arguments),
    }
}
