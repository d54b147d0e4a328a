pub mod render;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::cli::Options;

#[derive(Args)]
pub struct Arguments {
    /// Executables or shared objects
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print one JSON object for each file (schema: docs/schema/inspect.schema.json)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: Options,
}

/// `brawn inspect`
pub fn run(before: Options, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let json = arguments.json;
    let options = arguments.options.over(before);
    for file in &arguments.files {
        let data = fs_err::read(file)?;
        let inspection =
            brawn_elf::inspect(&data).with_context(|| format!("cannot inspect {}", file.display()))?;
        if json || options.json() {
            anstream::println!("{}", serde_json::to_string_pretty(&inspection)?);
        } else {
            render::print(&file.display().to_string(), &inspection);
        }
    }
    Ok(ExitCode::SUCCESS)
}
