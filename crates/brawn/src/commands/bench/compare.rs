//! `brawn bench compare OLD NEW`

use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::Code;
use brawn_measure::compare::{Basis, Gate, Options as How, compare};
use brawn_measure::results::Results;
use clap::Args;

use crate::cli::Options;
use crate::exit::Result;
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// Results to compare with: a results.json, or the folder with it
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// Results that are compared
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// A condition under which the command fails: 'time>3%', 'memory@balanced>5%' (repeatable)
    #[arg(long = "fail-if", value_name = "CONDITION")]
    fail_if: Vec<String>,
    /// Compare each variant's ratio to its own baseline, for results of two machines
    #[arg(long)]
    ratios: bool,
    /// Compare results that were not measured in the same way
    #[arg(long)]
    force: bool,
}

/// `brawn bench compare`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let gates = arguments.fail_if.iter().map(|text| text.parse()).collect::<Result<Vec<Gate>, _>>()?;
    let (old, new) = (load(&arguments.old)?, load(&arguments.new)?);
    let basis = if arguments.ratios { Basis::Ratios } else { Basis::Figures };
    let comparison = compare(&old, &new, &How { basis, force: arguments.force })?;
    let failures = comparison.check(&gates)?;
    if options.json() {
        output::json_text(&comparison.to_json(&failures));
    } else if !options.quiet {
        output::document(&comparison.to_text());
    }
    for warning in &comparison.warnings {
        output::warn(warning);
    }
    for failure in &failures {
        output::failed(failure);
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { Code::Gate.into() })
}

/// Results by their file, or by the folder that `--out` made.
pub fn load(path: &std::path::Path) -> Result<Results> {
    let file = if path.is_dir() { path.join(brawn_bench::output::JSON) } else { path.to_owned() };
    Ok(Results::load(&file)?)
}
