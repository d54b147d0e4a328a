pub mod render;

use std::process::ExitCode;

use anyhow::Context;

use crate::cli::{Files, Options};

/// `brawn inspect`
pub fn run(before: Options, arguments: Files) -> anyhow::Result<ExitCode> {
    let json = arguments.json;
    let options = arguments.options.over(before);
    for file in &arguments.files {
        let data = fs_err::read(file)?;
        let inspection =
            brawn_elf::inspect(&data).with_context(|| format!("cannot inspect {}", file.display()))?;
        if json || options.json() {
            outln!("{}", serde_json::to_string_pretty(&inspection)?);
        } else {
            render::print(&file.display().to_string(), &inspection);
        }
    }
    Ok(ExitCode::SUCCESS)
}
