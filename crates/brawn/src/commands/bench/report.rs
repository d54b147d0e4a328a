//! `brawn bench report RESULTS`

use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::text::shown;
use brawn_measure::export::Format;
use clap::Args;

use crate::cli::Options;
use crate::exit::Result;
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// A results.json, or the folder with it
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// Where it goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The form [default: by the ending of FILE, else html]
    #[arg(long, value_name = "FORM", value_parser = format)]
    format: Option<Format>,
}

/// `brawn bench report`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let results = super::compare::load(&arguments.results)?;
    let format = arguments.format.or_else(|| by_ending(arguments.output.as_ref()?)).unwrap_or(Format::Html);
    let text = format.render(&results);
    match &arguments.output {
        Some(path) => {
            brawn_measure::write_whole(path, &text)?;
            if !options.quiet {
                output::say(&format!("written: {}", shown(path)));
            }
        }
        None if format == Format::Json => output::json_text(&text),
        None => output::document(&text),
    }
    Ok(ExitCode::SUCCESS)
}

/// A form by its name.
pub fn format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("there are: {}", names.join(", "))
    })
}

fn by_ending(path: &std::path::Path) -> Option<Format> {
    Some(match path.extension()?.to_str()? {
        "html" | "htm" => Format::Html,
        "md" => Format::Markdown,
        "csv" => Format::Csv,
        "json" => Format::Json,
        "txt" => Format::Text,
        _ => return None,
    })
}
