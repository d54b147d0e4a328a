use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brawn_base::text::{exact, shown};
use brawn_graft::{Choice, Report, Row};
use clap::Args;
use serde_json::json;

use crate::cli::{Options, existing, usage};
use crate::exit::{Context as _, Result};
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// A static executable with musl in it
    #[arg(value_name = "FILE", value_parser = existing)]
    file: PathBuf,
    /// Where the new one goes
    #[arg(short, long, value_name = "NEW", required_unless_present_any = ["in_place", "dry_run"])]
    output: Option<PathBuf>,
    /// Put the new one in the place of FILE; `brawn restore FILE` brings the old one back
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
    /// Run both with the arguments behind `--` and the same input first, and write nothing unless they do the same
    #[arg(long)]
    check: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
    /// What --check gives the program
    #[arg(last = true, value_name = "ARGS", requires = "check")]
    args: Vec<OsString>,
}

/// `brawn graft`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let choice = choice(&options);
    let file = fs_err::canonicalize(&arguments.file)?;
    let to = arguments.output.as_ref().unwrap_or(&file);
    if arguments.output.is_some() && fs_err::canonicalize(to).is_ok_and(|to| to == file) {
        usage("-o names the file itself: say --in-place");
    }
    let name = shown(&arguments.file);
    let doing = || format!("cannot graft onto {name}");
    let source = brawn_graft::Source::read(&file).context(doing)?;
    let report = if options.dry_run {
        brawn_graft::examine(source.bytes(), &choice).context(doing)?
    } else {
        let grafted = brawn_graft::graft(source.bytes(), &choice).context(doing)?;
        let new = source.write_beside(&grafted.file, to)?;
        if arguments.check {
            source.compare(&new, &arguments.args).context(|| format!("{} was not written", shown(to)))?;
        }
        source.put(new, to).context(|| format!("{} was not written", shown(to)))?;
        grafted.report
    };
    for warning in source.warnings(&report.original) {
        output::warn(&warning);
    }
    if arguments.json || options.json() {
        let path = (!options.dry_run).then(|| exact(to));
        output::json_text(&json!({ "path": path, "dry-run": options.dry_run, "report": report }).to_string());
    } else if options.quiet {
        outln!("{}", shown(to));
    } else {
        print(&shown(if options.dry_run { &file } else { to }).to_string(), &report, options.dry_run);
    }
    Ok(ExitCode::SUCCESS)
}

fn choice(options: &Options) -> Choice {
    if let Some(malloc) = options.malloc.as_deref().filter(|name| *name != brawn_elf::STOCK) {
        let malloc = shown(malloc);
        usage(format!(
            "a heap cannot be grafted yet, so not {malloc}: the executable keeps its own (--malloc stock)"
        ));
    }
    let mut choice = Choice { musl: options.musl.clone(), level: None };
    if choice.musl.iter().any(|name| name == "all") {
        usage("--musl all leaves nothing to graft");
    }
    if options.no_strings {
        choice.musl.push("strings".into());
    }
    for (key, value) in &options.knobs {
        match key.as_str() {
            "strings.level" => choice.level = Some(value.clone()),
            _ => usage(format!("`brawn graft` has one knob, strings.level, and not {}", shown(key))),
        }
    }
    choice
}

fn print(path: &str, report: &Report, dry_run: bool) {
    let count = report.grafted().count();
    let functions = if count == 1 { "function" } else { "functions" };
    let what = if dry_run { "would be grafted" } else { "grafted" };
    outln!("{path}: {count} {functions} {what}, {} left", report.functions.len() - count);
    for family in report.families() {
        let rows = report.grafted().filter(|row| row.family == family);
        outln!("  {family:12} {}", rows.map(name).collect::<Vec<_>>().join(", "));
    }
    for row in &report.functions {
        if let Some(reason) = &row.refused {
            outln!("  left         {}: {reason}", name(row));
        }
    }
}

/// The name that people know.
fn name(row: &Row) -> &str {
    row.names.iter().min_by_key(|name| name.starts_with('_')).map_or("", String::as_str)
}

/// `brawn restore` of an executable.
pub fn restore(options: &Options, path: &Path) -> Result<()> {
    let path = &fs_err::canonicalize(path)?;
    let doing = || format!("cannot restore {}", shown(path));
    let source = brawn_graft::Source::read(path).context(doing)?;
    let original = brawn_graft::restore(source.bytes()).context(doing)?;
    if !options.dry_run {
        let new = source.write_beside(&original, path)?;
        source.put(new, path).context(doing)?;
    }
    if options.json() {
        let (path, bytes) = (exact(path), original.len());
        output::json_text(&json!({ "path": path, "dry-run": options.dry_run, "bytes": bytes }).to_string());
    } else if !options.quiet {
        let would = if options.dry_run { "would be " } else { "" };
        outln!("{}: {would}restored, {}", shown(path), output::size(original.len() as u64));
    }
    Ok(())
}
