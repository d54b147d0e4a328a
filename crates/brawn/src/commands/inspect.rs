mod functions;
mod render;

use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::text::shown;
use brawn_elf::Image;
use clap::Args;

use crate::cli::{Files, Options};
use crate::exit::{Context as _, Result};
use crate::output;

/// What `brawn inspect` is given.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,
    /// List musl's functions in static executables, stripped ones as well: where they are, and how that is known
    #[arg(long)]
    functions: bool,
    /// A libc.a of your own whose functions are looked for as well (repeatable)
    #[arg(long = "libc", value_name = "FILE", requires = "functions")]
    libcs: Vec<PathBuf>,
}

/// `brawn inspect`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let json = arguments.files.json || options.json();
    let libcs = functions::signatures(&arguments.libcs)?;
    for file in &arguments.files.files {
        let doing = || format!("cannot inspect {}", shown(file));
        let data = brawn_base::file::elf(file)?;
        let mut inspection = brawn_elf::inspect(&data).context(doing)?;
        let image = Image::parse(&data).context(doing)?;
        let found = brawn_identify::examine(&image, &libcs);
        if arguments.functions {
            inspection.functions = Some(functions::all(found.context(doing)?));
        } else {
            inspection.functions = found.ok().map(|found| functions::summary(&found));
        }
        match inspection.functions.as_ref().filter(|_| arguments.functions) {
            _ if json => output::json(&inspection)?,
            Some(functions) => functions::print(&shown(file).to_string(), functions),
            None => render::print(&shown(file).to_string(), &inspection),
        }
    }
    Ok(ExitCode::SUCCESS)
}
