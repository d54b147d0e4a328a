//! `brawn completions`

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::exit::Result;

#[derive(Args)]
pub struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// `brawn completions`
pub fn run(mut command: clap::Command, arguments: Arguments) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "brawn", &mut text);
    crate::output::own(&String::from_utf8_lossy(&text));
    Ok(ExitCode::SUCCESS)
}
