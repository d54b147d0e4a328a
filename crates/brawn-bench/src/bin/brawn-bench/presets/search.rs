//! Runs what is not measured yet, puts it together, and judges it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use brawn_bench::export::Format;
use brawn_bench::results::Results;
use brawn_bench::{standing, write_whole};
use sha2::{Digest, Sha256};

use super::candidates::{Candidates, Case, chosen};
use super::merge::merge;
use super::picture::picture;
use crate::workshop::say;

/// What of the search is run.
pub struct Search {
    /// The `brawn` to measure with.
    pub brawn: PathBuf,
    /// Where the parts are kept until they are put together.
    pub parts: PathBuf,
    /// Where `brawn bench` builds its programs; its own folder otherwise.
    pub work: Option<PathBuf>,
    /// Seconds for each case.
    pub time: f64,
    /// Fewest blocks of each case.
    pub blocks: usize,
    /// Only the starred lines.
    pub reduced: bool,
    /// Only cases whose names hold this.
    pub case: Option<String>,
    /// Only candidates whose names hold this, besides the yardsticks.
    pub candidate: Option<String>,
}

/// Measures, and writes `results.json`, `report.html`, `standings.md` and `pareto.svg` into `out`. With `read` nothing is
/// measured: the last three are made again from the first.
pub fn run(out: &Path, search: &Search, read: bool) -> Result<()> {
    let results = if read { committed(out)? } else { measure(search)? };
    let standings = results.standings();
    ensure!(!standings.is_empty(), "no candidate has figures of both time and memory");
    let table = standing::table(&standings);
    let text = format!(
        "# Candidates for presets\n\nMade by `make presets` from the results beside it. Time and memory are geometric means of the cost over \
         that of {}, over each suite's rows and then over the suites: below 1 is better; beside them each suite's own, time and then memory. A \
         star marks those that no other beats in both. Machine: {}.\n\n{}\n{}",
        results.variants[0].name,
        results.machine.describe(),
        table.to_markdown(),
        standing::worst(&standings).to_markdown(),
    );
    fs_err::create_dir_all(out)?;
    if !read {
        results.save(&out.join("results.json"))?;
    }
    write_whole(&out.join("report.html"), &Format::Html.render(&results))?;
    write_whole(&out.join("standings.md"), &text)?;
    write_whole(&out.join("pareto.svg"), &picture(&standings, &results.variants[0].name))?;
    println!("{}\n{}", table.to_text(), standing::worst(&standings).to_text());
    say(&format!("written: results.json, report.html, standings.md and pareto.svg in {}", out.display()));
    Ok(())
}

/// The results in a folder, where they may lie compressed.
fn committed(out: &Path) -> Result<Results> {
    let plain = out.join("results.json");
    if plain.exists() {
        return Ok(Results::load(&plain)?);
    }
    let packed = out.join("results.json.gz");
    let unpacked = tempfile::NamedTempFile::new()?;
    let status = Command::new("gzip")
        .arg("-dc")
        .arg(&packed)
        .stdout(unpacked.reopen()?)
        .status()
        .context("cannot run gzip")?;
    ensure!(status.success(), "cannot unpack {}", packed.display());
    Ok(Results::load(unpacked.path())?)
}

/// A run for each case that has none yet with this `brawn` and these candidates, and all of them as one document. A case that
/// fails is said and left out: one candidate's fault in one program is no reason to lose the rest.
fn measure(search: &Search) -> Result<Results> {
    let all = chosen(search.reduced, search.case.as_deref(), search.candidate.as_deref())?;
    let brawn = fs_err::canonicalize(&search.brawn)
        .context("cannot find the brawn to measure with; run `make brawn`")?;
    let folder = search.parts.join(key(&fs_err::read(&brawn)?, &all));
    let mut parts = Vec::new();
    let mut failed = Vec::new();
    for (index, case) in all.cases.iter().enumerate() {
        let place = folder.join(case.name().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        say(&format!("{} of {}: {}", index + 1, all.cases.len(), case.name()));
        if !whole(&place) {
            bench(&brawn, search, &all, *case, parts.is_empty(), &place)?;
        }
        match whole(&place) {
            true => parts.push(Results::load(&place.join("results.json"))?),
            false => failed.push(case.name()),
        }
    }
    if !failed.is_empty() {
        say(&format!("left out, because `brawn bench` did not finish them: {}", failed.join("; ")));
    }
    let flags = format!(
        "{}--time {} --blocks {}",
        if search.reduced { "--reduced " } else { "" },
        search.time,
        search.blocks
    );
    merge(parts, &format!("brawn-bench presets {flags}"))?.context("no case was measured")
}

fn whole(place: &Path) -> bool {
    Results::load(&place.join("results.json")).is_ok_and(|results| results.complete)
}

/// What must be the same for two runs to belong together.
fn key(brawn: &[u8], all: &Candidates<'_>) -> String {
    let mut digest = Sha256::new();
    digest.update(brawn);
    digest.update(all.variants.join("\n"));
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn bench(
    brawn: &Path,
    search: &Search,
    all: &Candidates<'_>,
    case: Case<'_>,
    noise: bool,
    place: &Path,
) -> Result<()> {
    let mut command = Command::new(brawn);
    command.args(["bench", case.suite, "--variants", &all.variants.join(",")]);
    command.args(["--time", &search.time.to_string(), "--blocks", &search.blocks.to_string()]);
    if let Some(text) = case.text {
        command.args(["--case", text]);
    }
    if let Some(work) = &search.work {
        command.arg("--work").arg(work);
    }
    if !noise {
        command.arg("--no-noise");
    }
    command.arg("--out").arg(place).stdout(std::io::stderr());
    command.status().with_context(|| format!("cannot run {}", brawn.display()))?;
    Ok(())
}
