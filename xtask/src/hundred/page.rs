//! The page of the hundred programs, from their results.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use brawn_measure::{Summary, Table, format};

use super::list::{self, Listed, Recipe};
use super::outcome::Outcome;
use super::own_tests::Tested;
use super::variants::{DEFAULT, GLIBC, STOCK, VARIANTS};
use crate::presets::picture::{Axis, BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, axes};

const PICTURE: &str = "time-memory.svg";
const PAGE: &str = "README.md";

/// A program that was built and measured.
struct Measured<'a> {
    listed: &'a Listed,
    outcome: &'a Outcome,
    recipe: Option<&'a Recipe>,
    time: Summary,
    memory: Summary,
    /// The preset that is fastest, and its ratio.
    best: (&'static str, Summary),
}

/// What of a program is compared.
type Ratio = for<'a, 'b> fn(&'a Measured<'b>) -> &'a Summary;

/// Writes the page and its picture into `out`.
pub fn write(out: &Path) -> Result<()> {
    let (page, picture) = made(out)?;
    fs_err::write(out.join(PICTURE), picture)?;
    Ok(fs_err::write(out.join(PAGE), page)?)
}

fn made(out: &Path) -> Result<(String, String)> {
    let list = list::read(&list::folder())?;
    let mut rows = Vec::new();
    for listed in &list {
        let recipe = Recipe::read(&list::folder(), &listed.name)?;
        rows.push((listed, recipe, Outcome::read(out, &listed.name)?));
    }
    let mut measured: Vec<Measured<'_>> = rows
        .iter()
        .filter_map(|(listed, recipe, outcome)| measured(listed, recipe.as_ref(), outcome.as_ref()?))
        .collect();
    measured.sort_by(|one, other| one.time.median.total_cmp(&other.time.median));
    let (before, measured): (Vec<_>, Vec<_>) =
        measured.into_iter().partition(|one| one.outcome.is_of_another_heap());
    let failed: Vec<(&Listed, &Outcome)> = rows
        .iter()
        .filter_map(|(listed, _, outcome)| Some((*listed, outcome.as_ref()?)))
        .filter(|(_, outcome)| outcome.failed.is_some())
        .collect();
    let open: Vec<&Listed> =
        rows.iter().filter(|(_, _, outcome)| outcome.is_none()).map(|(listed, ..)| *listed).collect();
    Ok((page(&list, &measured, &before, &failed, &open), picture(&measured)))
}

fn measured<'a>(
    listed: &'a Listed,
    recipe: Option<&'a Recipe>,
    outcome: &'a Outcome,
) -> Option<Measured<'a>> {
    let time = outcome.ratio(DEFAULT, "time")?;
    let memory = outcome.ratio(DEFAULT, "peak memory")?;
    let presets = VARIANTS.into_iter().filter(|name| ![GLIBC, STOCK].contains(name));
    let best = presets
        .filter_map(|name| Some((name, outcome.ratio(name, "time")?)))
        .min_by(|one, other| one.1.median.total_cmp(&other.1.median))?;
    Some(Measured { listed, outcome, recipe, time, memory, best })
}

fn mean(ratios: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = ratios.len() as f64;
    (ratios.map(f64::ln).sum::<f64>() / count).exp()
}

fn page(
    list: &[Listed],
    measured: &[Measured<'_>],
    before: &[Measured<'_>],
    failed: &[(&Listed, &Outcome)],
    open: &[&Listed],
) -> String {
    let earlier = match before.len() {
        0 => String::new(),
        count => format!("{count} more were when the default had another heap, "),
    };
    let mut text = format!(
        "# A hundred programs\n\nPrograms of others, chosen [by a rule](rule.md) and not by their result, built for \
         glibc and by Brawn and run on the same\nwork. Of {} on the list, {} are measured, {earlier}and {} could not \
         be; {} have no recipe\nyet. Written by `xtask hundred` from [results/](results), which hold every \
         sample.\n",
        list.len(),
        measured.len(),
        failed.len(),
        open.len()
    );
    if !measured.is_empty() {
        text.push_str(&standing(measured, before, failed));
        let _ = write!(
            text,
            "\n![time against memory, both to glibc]({PICTURE})\n\nA dot is a program: left is faster than with glibc, below is \
             smaller. Opened by itself, the picture tells\ntheir names.\n"
        );
        text.push_str(&losses(measured));
        let note = "Time is wall-clock time and memory the most that was resident, of the default preset over glibc's within \
                    the same rounds.";
        let _ = write!(text, "\n## All\n\n{}\n{note}\n", every(measured));
        if !before.is_empty() {
            let _ = write!(text, "\n## With another heap as the default\n\n{}", every(before));
        }
        text.push_str(&own_tests(measured.iter().chain(before)));
    }
    if !failed.is_empty() {
        text.push_str("\n## Not built\n\n");
        for (listed, outcome) in failed {
            let why = outcome.failed.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
            let _ = writeln!(text, "- {}: {why}", listed.name);
        }
    }
    if !open.is_empty() {
        let names: Vec<&str> = open.iter().map(|listed| listed.name.as_str()).collect();
        let _ = write!(text, "\n## Without a recipe\n\n{}.\n", names.join(", "));
    }
    text
}

/// The numbers that are asked for, over all that are measured.
fn standing(measured: &[Measured<'_>], before: &[Measured<'_>], failed: &[(&Listed, &Outcome)]) -> String {
    let count = measured.len();
    let worst = |ratio: Ratio| {
        let worst = measured.iter().max_by(|one, other| ratio(one).median.total_cmp(&ratio(other).median));
        worst.map(|one| format!("{:.2}x ({})", ratio(one).median, one.listed.name)).unwrap_or_default()
    };
    let within = |ratio: Ratio| {
        let within = measured.iter().filter(|one| ratio(one).low <= 1.0).count();
        format!("{within} of {count}")
    };
    let time: Ratio = |one| &one.time;
    let memory: Ratio = |one| &one.memory;
    let all = || measured.iter().chain(before);
    let accepted = all().filter(|one| one.outcome.verify.is_empty()).count();
    let mut table = Table::new(["", "asked", "measured"]);
    let mut row = |name: &str, asked: &str, got: String| table.row([name.to_owned(), asked.to_owned(), got]);
    row("built and verified", "95 of 100", format!("{accepted} of {}", all().count() + failed.len()));
    let twice: Vec<_> = all().filter_map(|one| one.outcome.differ.as_ref()).collect();
    let same = twice.iter().filter(|differ| !differ.iter().any(|name| name == DEFAULT)).count();
    row("the same when built twice", "100 of 100", format!("{same} of {}", twice.len()));
    let tested: Vec<&Tested> = all().filter_map(|one| one.outcome.tests.as_ref()).collect();
    let lost = tested.iter().flat_map(|tested| tested.lost()).filter(|(_, stock)| !stock).count();
    row(
        "own tests that pass with glibc and stock musl, and fail",
        "0",
        format!("{lost} of {} programs'", tested.len()),
    );
    row("time at most glibc's, within the interval", "95 of 100", within(time));
    row("worst time", "1.05x", worst(time));
    row(
        "geometric mean of time",
        "0.90x",
        format!("{:.2}x", mean(measured.iter().map(|one| one.time.median))),
    );
    row("memory at most glibc's", "90 of 100", within(memory));
    row("worst memory", "1.10x", worst(memory));
    let of_memory = mean(measured.iter().map(|one| one.memory.median));
    row("geometric mean of memory", "0.70x", format!("{of_memory:.2}x"));
    format!("\n{}", table.to_markdown())
}

/// Every program that is slower or larger than with glibc, and why.
fn losses(measured: &[Measured<'_>]) -> String {
    let mut text = String::new();
    for one in measured.iter().filter(|one| one.time.low > 1.0 || one.memory.low > 1.0) {
        let cause = one.recipe.and_then(|recipe| recipe.cause.as_deref()).unwrap_or("not looked into yet");
        let _ = writeln!(
            text,
            "- {}: time {:.2}x, memory {:.2}x: {cause}",
            one.listed.name, one.time.median, one.memory.median
        );
    }
    if text.is_empty() { text } else { format!("\n## What loses\n\n{text}") }
}

fn every(measured: &[Measured<'_>]) -> String {
    let mut table = Table::new([
        "program",
        "rank",
        "glibc",
        "time",
        "95 %",
        "memory",
        "stock musl",
        "fastest preset",
        "work",
    ]);
    for one in measured {
        let glibc = one.outcome.cell(GLIBC, "time").map(|cell| format::seconds(cell.summary.median));
        let stock = one.outcome.ratio(STOCK, "time").map(|ratio| format!("{:.2}x", ratio.median));
        let (best, ratio) = &one.best;
        table.row([
            one.listed.name.clone(),
            format!("{} {}", one.listed.group, one.listed.rank),
            glibc.unwrap_or_default(),
            format!("{:.2}x", one.time.median),
            format!("{:.2} to {:.2}", one.time.low, one.time.high),
            format!("{:.2}x", one.memory.median),
            stock.unwrap_or_default(),
            format!("{best} {:.2}x", ratio.median),
            one.recipe.map(|recipe| recipe.about.clone()).unwrap_or_default(),
        ]);
    }
    table.to_markdown()
}

/// What the programs' own tests say.
fn own_tests<'a>(measured: impl Iterator<Item = &'a Measured<'a>>) -> String {
    let mut table = Table::new(["program", GLIBC, STOCK, DEFAULT, "fails with Brawn, not with glibc"]);
    let mut any = false;
    for one in measured {
        let Some(tested) = &one.outcome.tests else { continue };
        any = true;
        let count = |variant: &str| {
            let passed = tested.passed.get(variant).copied().unwrap_or_default();
            let failed = tested.failed.get(variant).map_or(0, Vec::len);
            format!("{passed} of {}", passed + failed)
        };
        let lost = tested.lost().into_iter().map(|(line, stock)| {
            let code = line.replace('|', "\\|");
            if stock { format!("`{code}`, as with stock musl") } else { format!("**`{code}`**") }
        });
        table.row([
            one.listed.name.clone(),
            count(GLIBC),
            count(STOCK),
            count(DEFAULT),
            lost.collect::<Vec<_>>().join("; "),
        ]);
    }
    let note = "Tests that passed, of those that ran, in a build of their own for each. Packages of the registry often lack \
                the files that their tests read.";
    if any { format!("\n## Own tests\n\n{}\n{note}\n", table.to_markdown()) } else { String::new() }
}

fn picture(measured: &[Measured<'_>]) -> String {
    let x = Axis::new(measured.iter().map(|one| one.time.median), LEFT, WIDTH - RIGHT);
    let y = Axis::new(measured.iter().map(|one| one.memory.median), HEIGHT - BOTTOM, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"12\" \
         role=\"img\" aria-label=\"Time against memory of {} programs\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        WIDTH - RIGHT + 24.0,
        measured.len()
    );
    axes(&mut svg, &x, &y, GLIBC);
    for one in measured {
        let (time, memory) = (one.time.median, one.memory.median);
        let color = if one.time.low > 1.0 || one.memory.low > 1.0 { "#b3261e" } else { "#0a7f5a" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\" fill=\"{color}\" fill-opacity=\"0.75\"><title>{}: time {time:.2}x, memory \
             {memory:.2}x</title></circle>",
            x.place(time),
            y.place(memory),
            one.listed.name
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::root;

    #[test]
    fn the_page_is_that_of_the_results() {
        let out = root().join("docs/hundred");
        let (page, picture) = made(&out).unwrap();
        let stale = "is stale; renew it with: cargo run -p xtask -- hundred page";
        assert!(fs_err::read_to_string(out.join(PAGE)).unwrap() == page, "{PAGE} {stale}");
        assert!(fs_err::read_to_string(out.join(PICTURE)).unwrap() == picture, "{PICTURE} {stale}");
    }
}
