//! Development tool behind `make tune-study`: tunes five real programs, each twice and once exhaustively, checks that the
//! answers repeat, and writes what came out into `docs/tune/`.

mod build;
mod programs;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use programs::{PROGRAMS, Program};
use serde_json::Value;

/// What was asked for.
struct Arguments {
    brawn: PathBuf,
    work: PathBuf,
    out: PathBuf,
    budget: String,
    only: Vec<String>,
}

const USAGE: &str = "usage: brawn-tune-study BRAWN WORK OUT BUDGET [PROGRAM…]";

fn main() -> ExitCode {
    match arguments().and_then(|arguments| study(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  caused by: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [brawn, work, out, budget, only @ ..] = words.as_slice() else { anyhow::bail!(USAGE) };
    fs_err::create_dir_all(work)?;
    fs_err::create_dir_all(out)?;
    Ok(Arguments {
        brawn: fs_err::canonicalize(brawn)?,
        work: fs_err::canonicalize(work)?,
        out: fs_err::canonicalize(out)?,
        budget: budget.clone(),
        only: only.to_vec(),
    })
}

fn study(arguments: &Arguments) -> Result<()> {
    let sources = build::input(&arguments.work)?;
    for program in PROGRAMS {
        if !arguments.only.is_empty() && !arguments.only.iter().any(|name| name == program.name) {
            continue;
        }
        say(&format!("{}: building", program.name));
        let exe = build::executable(program, &arguments.brawn, &arguments.work)?;
        let folder = arguments.out.join(program.name);
        fs_err::create_dir_all(&folder)?;
        for (run, more) in [("first", &[][..]), ("second", &[]), ("exhaustive", &["--exhaustive"])] {
            say(&format!("{}: {run} run", program.name));
            tune(arguments, program, &exe, &sources, &folder, run, more)?;
        }
    }
    table::write(&arguments.out)
}

/// One run, of which the answer is kept; the first one's report, too.
fn tune(
    arguments: &Arguments,
    program: &Program,
    exe: &Path,
    sources: &Path,
    folder: &Path,
    run: &str,
    more: &[&str],
) -> Result<()> {
    let results = arguments.work.join("results").join(program.name).join(run);
    if results.exists() {
        fs_err::remove_dir_all(&results)?;
    }
    let fill = |text: &str| {
        text.replace("{work}", &arguments.work.display().to_string())
            .replace("{sources}", &sources.display().to_string())
    };
    let mut command = Command::new(&arguments.brawn);
    command.arg("tune").arg("--exe").arg(exe).args(["--goal", program.goal, "--budget", &arguments.budget]);
    if let Some(limit) = program.limit {
        command.args(["--limit", limit]);
    }
    command.args(program.options.iter().map(|option| fill(option))).args(more).arg("--out").arg(&results);
    command.arg("--").args(program.args.iter().map(|arg| fill(arg)));
    let status =
        command.env("BRAWN_CACHE_DIR", arguments.work.join("cache")).stdout(Stdio::null()).status()?;
    // No answer on a noisy machine is one that is worth telling.
    ensure!(matches!(status.code(), Some(0 | 8)), "{}: brawn tune ended with {status}", program.name);
    let answer = results.join("answer.json");
    let text = if answer.exists() { fs_err::read_to_string(&answer)? } else { "null\n".to_owned() };
    let home = std::env::home_dir().map(|home| home.display().to_string()).unwrap_or_default();
    let public = |text: String| {
        let text = text.replace(&arguments.work.display().to_string(), "WORK");
        if home.len() > 1 { text.replace(&home, "HOME") } else { text }
    };
    fs_err::write(folder.join(format!("{run}.json")), public(text))?;
    for (from, to) in [("tune.md", "README.md"), ("results.md", "results.md")] {
        if run == "first" && results.join(from).exists() {
            fs_err::write(folder.join(to), public(fs_err::read_to_string(results.join(from))?))?;
        }
    }
    Ok(())
}

/// An answer that a run has left.
fn read(path: &Path) -> Result<Option<Value>> {
    let value: Value = serde_json::from_str(&fs_err::read_to_string(path)?).context("this is no answer")?;
    Ok(Some(value).filter(|value| !value.is_null()))
}

fn say(text: &str) {
    eprintln!("==> {text}");
}

/// The word for advice in a table.
fn advice(answer: &Value) -> &'static str {
    match answer["advice"].as_str().unwrap_or_default() {
        "change" => "certainly better",
        "change-for-second" => "as good, less memory",
        "change-for-failure" => "the other would be killed",
        "keep-best" => "keep, the best",
        _ => "keep, no difference",
    }
}
