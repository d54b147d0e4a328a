//! `brawn fleet report FLEET`

use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::text::shown;
use brawn_collect::answer::Answer;
use brawn_collect::prices::Prices;
use brawn_collect::report::{Document, Form, render};
use brawn_collect::{Kept, page, patch};
use clap::Args;

use crate::cli::Options;
use crate::exit::Result;
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// The folder that `brawn fleet run` made, or the file fleet.json in it, to which `collect` adds
    #[arg(value_name = "FLEET")]
    fleet: PathBuf,
    /// Prices of pools, for what a year costs
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Print JSON
    #[arg(long, group = "form")]
    json: bool,
    /// Print Markdown
    #[arg(long, group = "form")]
    markdown: bool,
    /// Print one page with pictures
    #[arg(long, group = "form")]
    html: bool,
    /// Print the patch that brings the answer to a pool's workload, or to the one on all pools; nothing is applied
    #[arg(long, group = "form", value_name = "POOL", num_args = 0..=1, require_equals = true)]
    apply: Option<Option<String>>,
    /// The container that the patch is for
    #[arg(long, value_name = "NAME", requires = "apply", default_value = "app")]
    container: String,
    /// Where it goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// `brawn fleet report`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let kept = Kept::load(&super::planned::kept(&arguments.fleet))?;
    let answer = Answer::of(&kept);
    let prices = arguments.prices.as_ref();
    let yearly = prices.map(|path| Prices::load(path)?.yearly(path, &kept.plan, &answer)).transpose()?;
    let is_json = arguments.json || arguments.apply.is_some() || options.json();
    let text = if let Some(pool) = &arguments.apply {
        output::pretty(&patch::patch(&kept.plan, &answer, pool.as_deref(), &arguments.container)?)? + "\n"
    } else if is_json {
        output::pretty(&Document { answer, yearly })? + "\n"
    } else if arguments.html {
        page::html(&kept, &answer, &format!("brawn fleet report {}", shown(&arguments.fleet)))
    } else {
        let form = if arguments.markdown { Form::Markdown } else { Form::Text };
        render(&answer, yearly.as_ref(), form)
    };
    match &arguments.output {
        Some(path) => {
            brawn_measure::write_whole(path, &text)?;
            if !options.quiet {
                output::say(&format!("written: {}", shown(path)));
            }
        }
        None if is_json => output::json_text(&text),
        None => output::document(&text),
    }
    Ok(ExitCode::SUCCESS)
}
