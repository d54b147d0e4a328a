use std::process::ExitCode;

use brawn_base::Code;
use brawn_check::doctor::{Finding, State};
use clap::Args;

use crate::cli::Options;
use crate::exit::Result;
use crate::output::{self, Line, STRONG};

#[derive(Args)]
pub struct Arguments {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// `brawn doctor`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let report = brawn_check::doctor::examine();
    if arguments.json || options.json() {
        output::json(&report)?;
    } else {
        for finding in &report.findings {
            if !(options.quiet && finding.state == State::Good) {
                print(finding);
            }
        }
        let verdict = match report.ok {
            true => "executables can be built here",
            false => "no executable can be built here",
        };
        Line::new().styled(STRONG, verdict).print();
    }
    Ok(if report.ok { ExitCode::SUCCESS } else { Code::Missing.into() })
}

fn print(finding: &Finding) {
    let (style, word) = match finding.state {
        State::Good => (output::HINT, "good"),
        State::Limited => (output::WARNING, "limited"),
        State::Missing => (output::ERROR, "missing"),
    };
    let line = Line::new().styled(style, format_args!("{word:7}")).plain(" ").styled(STRONG, &finding.name);
    line.plain(format_args!(": {}", finding.found)).print();
    if let Some(cost) = &finding.cost {
        outln!("        costs: {cost}");
    }
    if let Some(hint) = &finding.hint {
        Line::labelled("        ", output::HINT, "hint:", hint).print();
    }
}
