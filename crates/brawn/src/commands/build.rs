use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brawn_base::text::{exact, shown};
use brawn_link::cargo::{Built, Invocation};
use serde_json::json;

use super::{executable, take_options};
use crate::cli::Options;
use crate::exit;
use crate::exit::Result;
use crate::output::{self, Line};

/// `brawn build ARGS`
pub fn run(options: Options, args: Vec<OsString>) -> Result<ExitCode> {
    let (options, args) = take_options(options, args);
    run_parsed(options, args)
}

/// The same, with Brawn's own options taken out of the arguments.
pub fn run_parsed(options: Options, args: Vec<String>) -> Result<ExitCode> {
    let mut args = args;
    if options.json() && !args.iter().any(|arg| arg.starts_with("--message-format")) {
        args.insert(0, "--message-format=json".into());
    }
    let json = args.iter().any(|arg| arg.contains("json"))
        && args.iter().any(|arg| arg.starts_with("--message-format"));
    let quiet = options.quiet || args.iter().any(|arg| arg == "-q" || arg == "--quiet");
    let invocation = Invocation::new("build", args, options.layer(), &executable()?)?;
    if options.dry_run || options.verbose > 0 {
        describe(&invocation);
    }
    if options.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let built = match invocation.build(output::json_text)? {
        Ok(built) => built,
        Err(status) => {
            match invocation.report() {
                Some(report) => output::last_word(&report),
                None => invocation.hint().iter().for_each(|hint| output::hint(hint)),
            }
            return Ok(exit::code_of_status(status));
        }
    };
    for executable in &built {
        let path = shown(&executable.path).to_string();
        for warning in &executable.linked.warnings {
            output::warning(&path, warning);
        }
        if json {
            output::json_text(&message(executable)?);
        } else if quiet {
            outln!("{path}");
        } else {
            print(executable)?;
        }
    }
    let own = |path: &PathBuf| built.iter().any(|executable| executable.path == *path);
    say_relinked(&invocation, own);
    if built.is_empty() && !quiet && !json {
        output::say("no executable among the targets");
    }
    Ok(ExitCode::SUCCESS)
}

/// Names the executables of former commands that are other files now, apart from those that are spoken of already.
pub fn say_relinked(invocation: &Invocation, spoken_of: impl Fn(&PathBuf) -> bool) {
    let others: Vec<&PathBuf> = invocation.relinked().iter().filter(|path| !spoken_of(path)).collect();
    let Some((first, rest)) = others.split_first() else { return };
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    output::warn(&format!(
        "linked again with what this command asks for: {}{more} below the target folder, no longer what was tested before",
        first.display()
    ));
    output::hint("CARGO_TARGET_DIR or --target-dir gives each preset a folder of its own");
}

/// Says which command will run, and in which environment.
pub fn describe(invocation: &Invocation) {
    for (name, value) in invocation.environment() {
        output::say(&format!("{name}={}", value.to_string_lossy().replace('\u{1f}', " ")));
    }
    output::say(&invocation.display());
}

fn print(built: &Built) -> Result<()> {
    let inspection = brawn_elf::inspect(&brawn_base::file::elf(&built.path)?)?;
    let manifest = &built.linked.overlay.manifest;
    Line::new().styled(output::STRONG, shown(&built.path)).print();
    let how = how(built);
    outln!("  {}, {}, {}{how}", output::size(inspection.sizes.file), inspection.kind, manifest.libc);
    let replaced = match manifest.functions() {
        0 => String::new(),
        functions => format!(": {} members of libc.a out, {functions} functions in", manifest.dropped.len()),
    };
    outln!("  malloc {}{replaced}", super::libc::heap(manifest));
    for (family, because) in &manifest.unfit {
        outln!("  {family} stays musl's: {because}");
    }
    outln!("  verified: static, {}", built.linked.heaps);
    Ok(())
}

/// The same on one line of standard error, for commands whose standard output is another program's.
pub fn report(built: &Built, name: &str, json: bool, quiet: bool) {
    for warning in &built.linked.warnings {
        output::warning(name, warning);
    }
    if json {
        match message(built) {
            Ok(text) => output::json_beside(&text),
            Err(error) => output::error(&error),
        }
    } else if !quiet {
        let manifest = &built.linked.overlay.manifest;
        let preset = manifest.preset.as_ref().map(|preset| format!(", preset {preset}")).unwrap_or_default();
        let size = fs_err::metadata(&built.path).map_or(0, |data| data.len());
        output::say(&format!(
            "{name}: {}, {}{preset}{}; verified: static, {}",
            output::size(size),
            manifest.libc,
            how(built),
            built.linked.heaps
        ));
    }
}

/// A path as it is short to read: from here, where it lies below.
pub fn from_here(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    shown(path.strip_prefix(here).unwrap_or(path)).to_string()
}

/// The name under which cargo installs an executable, which it links as `NAME-0123456789abcdef` in a folder that it removes.
pub fn name_installed(path: &Path) -> String {
    let name = shown(path.file_name().unwrap_or_default()).to_string();
    let hash = |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.rsplit_once('-') {
        Some((name, end)) if hash(end) => name.to_owned(),
        _ => name,
    }
}

fn how(built: &Built) -> &'static str {
    match (built.relinked, built.fresh) {
        (true, _) => ", linked again without compiling",
        (false, true) => ", up to date",
        (false, false) => "",
    }
}

fn message(built: &Built) -> Result<String> {
    let value = json!({
        "reason": "brawn-executable",
        "path": exact(&built.path),
        "size": fs_err::metadata(&built.path)?.len(),
        "fresh": built.fresh,
        "relinked": built.relinked,
        "overlay": built.linked.overlay.manifest,
        "heaps": built.linked.heaps,
        "warnings": built.linked.warnings,
    });
    Ok(value.to_string())
}
