//! The built-in load on a server: a process of its own, so that the server's client is one like any other.

use std::process::ExitCode;
use std::time::Duration;

use brawn_tune::load;
use clap::Args;

use crate::exit::Result;

#[derive(Args)]
pub struct Arguments {
    /// What is asked for
    url: String,
    /// Connections that stay open
    connections: usize,
    /// For how long, in seconds
    seconds: f64,
}

/// `brawn tune-load URL CONNECTIONS SECONDS`
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let time = Duration::from_secs_f64(arguments.seconds);
    for (name, value) in load::run(&arguments.url, arguments.connections, time)? {
        outln!("metric {name} {value}");
    }
    Ok(ExitCode::SUCCESS)
}
