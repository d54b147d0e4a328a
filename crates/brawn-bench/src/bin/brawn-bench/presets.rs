//! `make presets`: the search behind the presets. The candidates are measured side by side by `brawn bench`; here they are
//! chosen and judged.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use brawn_bench::results::Results;
use brawn_bench::{standing, write_whole};

use crate::workshop::say;

const CANDIDATES: &str = include_str!("candidates.txt");

/// What of the search is run.
pub struct Search {
    /// Seconds for each case.
    pub time: u32,
    /// These suites; all when empty.
    pub suites: Vec<String>,
    /// Only candidates whose names hold this, besides the yardsticks.
    pub candidate: Option<String>,
}

/// Suites and candidates of the file.
struct Candidates<'a> {
    suites: Vec<&'a str>,
    variants: Vec<&'a str>,
}

/// The first candidates, against which the others are held.
const YARDSTICKS: usize = 2;

fn candidates(text: &str) -> Result<Candidates<'_>> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next().and_then(|line| line.strip_prefix("suites ")).context("no line of suites")?;
    let found = Candidates { suites: first.split_whitespace().collect(), variants: lines.collect() };
    ensure!(found.variants.len() > YARDSTICKS, "no candidates");
    Ok(found)
}

/// Measures, and writes `results.*`, `report.html` and `standings.md` into `out`.
pub fn run(brawn: &Path, out: &Path, search: &Search, read: bool) -> Result<()> {
    if !read {
        measure(brawn, out, search)?;
    }
    let results = Results::load(&out.join("results.json"))?;
    let standings = results.standings();
    ensure!(!standings.is_empty(), "no candidate has figures of both time and memory");
    let table = standing::table(&standings);
    let text = format!(
        "# Candidates for presets\n\nMade by `make presets` from `results.json` beside it. Time and memory are geometric means of the cost over \
         that of {} in every row that all have: below 1 is better. A star marks those that no other beats in both. Machine: {}.\n\n{}",
        results.variants[0].name,
        results.machine.processor,
        table.to_markdown(),
    );
    write_whole(&out.join("standings.md"), &text)?;
    println!("{}", table.to_text());
    say(&format!("written: standings.md in {}", out.display()));
    Ok(())
}

fn measure(brawn: &Path, out: &Path, search: &Search) -> Result<()> {
    let all = candidates(CANDIDATES)?;
    let wanted = |index: usize, name: &str| {
        index < YARDSTICKS || search.candidate.as_ref().is_none_or(|part| name.contains(part.as_str()))
    };
    let chosen: Vec<&str> = all
        .variants
        .iter()
        .enumerate()
        .filter(|(index, name)| wanted(*index, name))
        .map(|(_, name)| *name)
        .collect();
    if chosen.len() == YARDSTICKS {
        bail!("no candidate's name holds '{}'", search.candidate.as_deref().unwrap_or_default());
    }
    let mut command = Command::new(brawn);
    command.arg("bench");
    if search.suites.is_empty() {
        command.args(&all.suites);
    } else {
        command.args(&search.suites);
    }
    command.args(["--variants", &chosen.join(","), "--time", &search.time.to_string(), "--out"]).arg(out);
    let status = command.status().with_context(|| format!("cannot run {}", brawn.display()))?;
    ensure!(status.success(), "`brawn bench` ended with {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_suites_and_candidates_once() {
        let all = candidates(CANDIDATES).unwrap();
        assert_eq!(all.variants[..YARDSTICKS], ["glibc", "stock"]);
        for (index, name) in all.variants.iter().enumerate() {
            assert!(!all.variants[..index].contains(name), "{name} stands there twice");
        }
        assert!(all.suites.contains(&"footprint"));
        assert!(candidates("glibc\nstock\nbrawn\n").is_err());
    }
}
