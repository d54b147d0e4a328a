//! The `brawn` executable: arguments, one file per command, output. What the commands do lives in the crates behind it.

#![warn(clippy::print_stdout, clippy::print_stderr)]

// First, as the others print with its macros.
#[macro_use]
mod output;

mod cli;
mod commands;
mod exit;
mod help;
mod origin;
mod uses;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use brawn_base::Code;
use brawn_link::{archiver, cc, runner, seam::Seam};

use crate::exit::{Context as _, Failure};

fn main() -> ExitCode {
    let start = SystemTime::now();
    let mut args = std::env::args_os();
    brawn_link::progress::on_progress(output::say);
    // Build systems call the same file under other names, in the linker's and in the compiler's place.
    let called_as = args.next().map(PathBuf::from).unwrap_or_default();
    let result = if let Some(seam) = Seam::from_call(&called_as) {
        seam.run(args).map(|()| ExitCode::SUCCESS).map_err(|error| {
            let error = Failure::from(error);
            output::report(&error);
            error
        })
    } else if let Some(triple) = runner::from_call(&called_as) {
        runner::run(triple, args).map(|_| Code::Failed.into()).map_err(Into::into)
    } else if archiver::is_called(&called_as) {
        archiver::run(args).map(exit::code_of_status).map_err(Into::into)
    } else if let Some((language, triple)) = cc::from_call(&called_as) {
        commands::cc::run_for(language, triple, args)
    } else {
        cli::run()
    };
    let result = result.and_then(|code| {
        output::finish().context(|| "standard output did not take everything")?;
        Ok(code)
    });
    commands::cache::trim_after(start);
    result.unwrap_or_else(|error| {
        output::error(&error);
        error.code().into()
    })
}
