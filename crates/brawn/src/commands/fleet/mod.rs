//! `brawn fleet`: the question of `tune` on many machines.

mod block;
mod canary;
mod collect;
mod delete;
mod plan;
mod planned;
mod report;
mod run;
mod status;

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
    /// Show what would run, where and how long; write fleet.toml if there is none
    Plan(Box<plan::Arguments>),
    /// Run all blocks: as jobs of a cluster, over ssh, or in a queue
    Run(run::Arguments),
    /// Show how far a fleet is
    Status(planned::Folder),
    /// Delete all that a fleet made where it runs; its folder stays
    Delete(planned::Folder),
    /// One block, as a pod or a task of a queue runs it
    #[command(hide = true)]
    Block(block::Arguments),
}

/// `brawn fleet`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Command::Collect(arguments) => collect::run(options, arguments),
        Command::Canary(arguments) => canary::run(options, *arguments),
        Command::Report(arguments) => report::run(options, *arguments),
        Command::Plan(arguments) => plan::run(options, *arguments),
        Command::Run(arguments) => run::run(options, arguments),
        Command::Status(arguments) => status::run(options, arguments),
        Command::Delete(arguments) => delete::run(options, arguments),
        Command::Block(arguments) => block::run(arguments),
    }
}
