use std::ffi::OsString;
use std::process::ExitCode;

use brawn_driver::cc::Language;

use crate::cli::Options;
use crate::{exit, output};

/// `brawn cc ARGS` and `brawn c++ ARGS`
pub fn run(language: Language, options: Options, args: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let warn = |warnings: &[brawn_elf::Problem]| {
        for warning in warnings {
            output::warning(&format!("brawn {}", language.command()), warning);
        }
    };
    let status = brawn_driver::cc::run(language, args, options.layer(), warn)?;
    Ok(exit::code_of_status(status))
}

/// The same under the name of a compiler for one target.
pub fn run_for(
    language: Language,
    triple: String,
    args: impl IntoIterator<Item = OsString>,
) -> anyhow::Result<ExitCode> {
    let options = Options { target: Some(triple), ..Options::default() };
    run(language, options, args.into_iter().collect())
}
