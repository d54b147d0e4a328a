use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brawn_base::text::{exact, shown};
use brawn_elf::Arch;
use brawn_graft::{Choice, Heap, Report, Row};
use brawn_libc::LEVEL_KNOB;
use clap::Args;
use serde_json::json;

use crate::cli::{Options, existing, usage};
use crate::exit::{Context as _, Result};
use crate::output;

/// The heap of choice: on musl's own, in the least memory.
const DEFAULT: &str = "brawn";

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
    /// The libc.a that the heap stands on: a file, `rustup` (the Rust toolchain's) or `system` (the C compiler's)
    #[arg(long, value_name = "PATH|rustup|system", default_value = "rustup")]
    from: String,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
    /// What --check gives the program
    #[arg(last = true, value_name = "ARGS", requires = "check")]
    args: Vec<OsString>,
}

/// `brawn graft`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let mut choice = choice(&options);
    let file = fs_err::canonicalize(&arguments.file)?;
    let to = arguments.output.as_ref().unwrap_or(&file);
    if arguments.output.is_some() && fs_err::canonicalize(to).is_ok_and(|to| to == file) {
        usage("-o names the file itself: say --in-place");
    }
    let name = shown(&arguments.file);
    let doing = || format!("cannot graft onto {name}");
    let source = brawn_graft::Source::read(&file).context(doing)?;
    choice.heap = heap(&options, &arguments.from, source.bytes())?;
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
    let mut choice = Choice { musl: options.musl.clone(), ..Choice::default() };
    if choice.musl.iter().any(|name| name == "all") {
        usage("--musl all leaves nothing to graft");
    }
    if options.no_strings {
        choice.musl.push("strings".into());
    }
    choice.level = options.knobs.iter().find(|(key, _)| key == LEVEL_KNOB).map(|(_, value)| value.clone());
    choice
}

/// The heap that was asked for, or the smallest; none where there is no libc.a to take it from, and no one asked.
fn heap(options: &Options, from: &str, data: &[u8]) -> Result<Option<Heap>> {
    let asked = options.malloc.is_some();
    let wanted = brawn_libc::Choice::malloc(options.malloc.as_deref().unwrap_or(DEFAULT))?;
    let mut wanted = wanted.with_strings(false);
    for (key, value) in options.knobs.iter().filter(|(key, _)| key != LEVEL_KNOB) {
        wanted = wanted.with_knob(key, value)?;
    }
    if wanted.malloc.name() == brawn_elf::STOCK {
        return Ok(None);
    }
    let arch = brawn_elf::Image::parse(data).ok().and_then(|image| Arch::from_elf_machine(image.machine));
    let Some(arch) = arch else { return Ok(None) };
    let base = super::libc::base(from, Some(&format!("{arch}-unknown-linux-musl")));
    let overlay = base.and_then(|(base, arch)| {
        let archive = brawn_base::file::archive(&base)?;
        Ok(brawn_libc::overlay::make(&base, &archive, arch, &wanted)?)
    });
    match overlay {
        Ok(made) => {
            let name = wanted.malloc.name().to_owned();
            Ok(Some(Heap { name, archive: made.libc_a, required: asked }))
        }
        Err(error) if asked => Err(error),
        Err(error) => {
            output::warn(&format!("the program keeps its heap: {error}"));
            Ok(None)
        }
    }
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
