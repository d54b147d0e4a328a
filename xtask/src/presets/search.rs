//! Runs what is not measured yet, puts it together, and judges it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use brawn_measure::results::Results;
use brawn_measure::write_whole;
use sha2::{Digest, Sha256};

use super::candidates::{Candidates, Case, chosen};
use super::{pages, start};
use crate::merge::merge;
use crate::workshop::say;

/// The files of the results: those of the candidates, and those of the start-up of the presets.
pub const RESULTS: &str = "results.json";
pub const STARTS: &str = "startup.json";

/// The option that stands in the results' command when only starred lines were run.
pub const REDUCED: &str = "--reduced";

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

/// Measures, and writes `results.json`, `startup.json`, `report.html`, and tables and pictures into `out`. With `read` nothing
/// is measured: the others are made again from the first two.
pub fn run(out: &Path, search: Option<&Search>) -> Result<()> {
    let (results, starts) = match search {
        None => (committed(out, RESULTS)?, committed(out, STARTS)?),
        Some(search) => measure(search)?,
    };
    let pages = pages::pages(&results, &starts)?;
    fs_err::create_dir_all(out)?;
    if search.is_some() {
        results.save(&out.join(RESULTS))?;
        starts.save(&out.join(STARTS))?;
    }
    write_whole(&out.join("report.html"), &pages::report(&results))?;
    for (name, text) in &pages {
        write_whole(&out.join(name), text)?;
    }
    for table in pages::tables(&results, &starts) {
        println!("{}", table.to_text());
    }
    let names: Vec<&str> = pages.iter().map(|(name, _)| *name).collect();
    say(&format!("written: results, report.html, {} in {}", names.join(", "), out.display()));
    Ok(())
}

/// The results of this name in a folder, where they may lie compressed. What lies there plain is newer.
pub fn committed(out: &Path, name: &str) -> Result<Results> {
    let plain = out.join(name);
    if plain.exists() {
        return Ok(Results::load(&plain)?);
    }
    let packed = out.join(format!("{name}.gz"));
    ensure!(packed.exists(), "there is neither {} nor {}", plain.display(), packed.display());
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
/// fails is said and left out: one candidate's fault in one program is no reason to lose the rest. And the start-up of the presets.
fn measure(search: &Search) -> Result<(Results, Results)> {
    let all = chosen(search.reduced, search.case.as_deref(), search.candidate.as_deref())?;
    let brawn = fs_err::canonicalize(&search.brawn)
        .context("cannot find the brawn to measure with; run `make brawn`")?;
    let folder = search.parts.join(key(&fs_err::read(&brawn)?, search, &all));
    let mut parts = Vec::new();
    let mut failed = Vec::new();
    for (index, case) in all.cases.iter().enumerate() {
        let place = folder.join(case.name().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        say(&format!("{} of {}: {}", index + 1, all.cases.len(), case.name()));
        if !whole(&place) {
            bench(&brawn, search, &all.variants.join(","), *case, parts.is_empty(), &place)?;
        }
        match whole(&place) {
            true => parts.push(Results::load(&place.join(RESULTS))?),
            false => failed.push(case.name()),
        }
    }
    if !failed.is_empty() {
        say(&format!("left out, because `brawn bench` did not finish them: {}", failed.join("; ")));
    }
    let place = folder.join(start::SUITE);
    let case = Case { suite: start::SUITE, text: None, blocks: None };
    say(&case.name());
    if !whole(&place) {
        bench(&brawn, search, start::VARIANTS, case, false, &place)?;
    }
    let mut starts =
        Results::load(&place.join(RESULTS)).context("the start-up of the presets was not measured")?;
    let flags = format!(
        "{}--time {} --blocks {}",
        if search.reduced { format!("{REDUCED} ") } else { String::new() },
        search.time,
        search.blocks
    );
    let command = format!("xtask presets {flags}");
    starts.command.clone_from(&command);
    Ok((merge(parts, &command)?.context("no case was measured")?, starts))
}

fn whole(place: &Path) -> bool {
    Results::load(&place.join(RESULTS)).is_ok_and(|results| results.complete)
}

/// What must be the same for two runs to belong together.
fn key(brawn: &[u8], search: &Search, all: &Candidates<'_>) -> String {
    let mut digest = Sha256::new();
    digest.update(brawn);
    digest.update(format!("{} {}\n", search.time, search.blocks));
    digest.update(all.variants.join("\n"));
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn bench(
    brawn: &Path,
    search: &Search,
    variants: &str,
    case: Case<'_>,
    noise: bool,
    place: &Path,
) -> Result<()> {
    let mut command = Command::new(brawn);
    command.args(["bench", case.suite, "--variants", variants]);
    let blocks = case.blocks.unwrap_or(search.blocks).min(search.blocks);
    command.args(["--time", &search.time.to_string(), "--blocks", &blocks.to_string()]);
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
