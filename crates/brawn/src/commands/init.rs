//! `brawn init`

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use brawn_init::{Action, Change, Kind, Part, Project, Report, SCHEMA_VERSION};
use brawn_tune::{apply, setting::Setting};
use clap::Args;

use super::choice;
use crate::cli::{Options, existing, usage};
use crate::exit::Result;
use crate::output::{self, Line, STRONG};

#[derive(Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".", value_parser = existing)]
    folder: PathBuf,
    /// What is written [default: settings and github for Rust, otherwise github]
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = part)]
    with: Vec<Part>,
    /// The build system, where there are several
    #[arg(long, value_name = "NAME", value_parser = kind)]
    project: Option<Kind>,
    /// The executable that is verified, and that the image holds [default: the first that the project's files name]
    #[arg(long, value_name = "NAME")]
    bin: Option<String>,
    /// Do not ask before writing
    #[arg(short, long)]
    yes: bool,
    /// Take out again what was written, as far as nobody changed it
    #[arg(long, conflicts_with_all = ["with", "project", "bin"])]
    undo: bool,
}

/// `brawn init`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let root = fs_err::canonicalize(&arguments.folder)?;
    let (project, changes) = if arguments.undo {
        crate::uses::refuse_here("init", &options, crate::uses::LINKING, "--undo only takes out");
        (None, brawn_init::undo(&root)?)
    } else {
        let project = Project::find(&root, arguments.project)?;
        let parts = match arguments.with.as_slice() {
            [] => Part::usual(&project),
            parts => parts.to_vec(),
        };
        let changes = brawn_init::plan(&project, &parts, &settings(&options)?, bin(&arguments))?;
        (Some(project.kind), changes)
    };
    let idle = changes.iter().all(|change| change.action == Action::Keep);
    let quiet = options.json() || options.quiet;
    if !quiet {
        changes.iter().for_each(show);
    }
    let wanted = !idle && !options.dry_run && (quiet || agreed(&arguments)?);
    if wanted {
        brawn_init::apply(&root, &changes)?;
    }
    if options.json() {
        let folder = root.display().to_string();
        let report = Report { schema_version: SCHEMA_VERSION, folder, project, written: wanted, changes };
        output::json(&report)?;
    } else if !quiet {
        output::say(match (idle, wanted) {
            (true, _) => "everything is there already",
            (false, true) if arguments.undo => "taken out",
            (false, true) => "written; `brawn init --undo` takes it out again",
            (false, false) => "nothing is written",
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// The lines of a manifest's table, without its head.
fn settings(options: &Options) -> Result<String> {
    let lines = apply::lines(&Setting::of(&choice(options)?));
    Ok(lines.split_once('\n').map(|(_, body)| body.to_owned()).unwrap_or_default())
}

/// The executable's name, which goes into commands.
fn bin(arguments: &Arguments) -> Option<&str> {
    let name = arguments.bin.as_deref()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        usage(format!("'{name}' is no name of an executable"));
    }
    Some(name)
}

/// Asks, where somebody can answer.
fn agreed(arguments: &Arguments) -> Result<bool> {
    let asks = !arguments.yes && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    Ok(!asks || output::ask(if arguments.undo { "Take this out?" } else { "Write this?" })?)
}

/// A change as a difference.
fn show(change: &Change) {
    let what = match change.action {
        Action::Keep => "as it is",
        Action::Create => "new",
        Action::Append => "lines added",
        Action::Renew => "written anew",
        Action::Cut => "lines taken out",
        Action::Remove => "removed",
    };
    Line::new().styled(STRONG, &change.path).plain(format_args!(": {what}")).print();
    let lines = |text: &str, sign, style| {
        for line in text.lines() {
            Line::new().styled(style, format_args!("{sign}{line}")).print();
        }
    };
    lines(&change.removed, '-', output::ERROR);
    lines(&change.added, '+', output::HINT);
}

fn part(name: &str) -> Result<Part, String> {
    Part::from_name(name).ok_or_else(|| there_are(Part::ALL.iter().map(|part| part.name())))
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::from_name(name).ok_or_else(|| there_are(Kind::ALL.iter().map(|kind| kind.name())))
}

fn there_are<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("there are: {}", names.collect::<Vec<_>>().join(", "))
}

fn after_help() -> &'static str {
    "Parts:\n  \
       settings    [package.metadata.brawn] in Cargo.toml: the preset, or what --malloc and --knob say\n  \
       github      .github/workflows/brawn.yml: builds and verifies for x86_64 and aarch64\n  \
       dockerfile  Dockerfile: an image with the executable alone\n\n\
     Files of others are never changed: only Cargo.toml gets lines, at its end."
}
