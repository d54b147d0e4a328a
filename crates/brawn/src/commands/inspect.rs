mod render;

use std::process::ExitCode;

use brawn_base::text::shown;

use crate::cli::{Files, Options};
use crate::exit::{Context as _, Result};
use crate::output;

/// `brawn inspect`
pub fn run(options: Options, arguments: Files) -> Result<ExitCode> {
    let json = arguments.json;
    for file in &arguments.files {
        let data = brawn_base::file::elf(file)?;
        let inspection = brawn_elf::inspect(&data).context(|| format!("cannot inspect {}", shown(file)))?;
        if json || options.json() {
            output::json(&inspection)?;
        } else {
            render::print(&shown(file).to_string(), &inspection);
        }
    }
    Ok(ExitCode::SUCCESS)
}
