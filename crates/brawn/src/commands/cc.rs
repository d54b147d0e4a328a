use std::ffi::OsString;
use std::process::ExitCode;

use crate::cli::Options;
use crate::{exit, output};

/// `brawn cc ARGS`
pub fn run(options: Options, args: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let warn = |warnings: &[brawn_elf::Problem]| {
        for warning in warnings {
            output::warning("brawn cc", warning);
        }
    };
    let status = brawn_driver::cc::run(args, options.layer(), warn)?;
    Ok(exit::code_of_status(status))
}

/// The same under the name of a compiler for one target.
pub fn run_for(triple: String, args: impl IntoIterator<Item = OsString>) -> anyhow::Result<ExitCode> {
    let options = Options { target: Some(triple), ..Options::default() };
    run(options, args.into_iter().collect())
}
