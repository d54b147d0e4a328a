pub mod render;

use std::process::ExitCode;

use anyhow::Context;
use brawn_base::text::shown;

use crate::cli::{Files, Options};
use crate::output;

/// `brawn inspect`
pub fn run(before: Options, arguments: Files) -> anyhow::Result<ExitCode> {
    let json = arguments.json;
    let options = arguments.options.over(before);
    for file in &arguments.files {
        let data = brawn_base::file::elf(file)?;
        let inspection =
            brawn_elf::inspect(&data).with_context(|| format!("cannot inspect {}", shown(file)))?;
        if json || options.json() {
            output::json(&inspection)?;
        } else {
            render::print(&shown(file).to_string(), &inspection);
        }
    }
    Ok(ExitCode::SUCCESS)
}
