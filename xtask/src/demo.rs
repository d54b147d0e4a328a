//! `make demo`: a real program three ways, on real input, in one table.

use std::path::Path;

use anyhow::{Context, Result};
use brawn_measure::{Figure, Machine, Measured, Outcome, Session, Summary, Table, format};

use crate::jaq;
use crate::workshop::{Workshop, measure, size};

pub fn run(brawn: &Path, blocks: usize, seed: Option<u64>) -> Result<()> {
    let workshop = Workshop::open("demo", brawn)?;
    let executables = jaq::build(&workshop)?;
    let (document, bytes) = jaq::input(&workshop)?;
    let mut session = Session::new(blocks);
    if let Some(seed) = seed {
        session.seed = seed;
    }
    let title = jaq::title();
    let outcome = measure(&title, &session, &jaq::variants(&executables, &document), |_| {})?;
    println!(
        "\n{title}: {} of JSON\n{}\n\n{}",
        format::bytes(bytes as f64),
        Machine::read().describe(),
        table(&outcome, &executables.each().map(|(_, path)| path))?.to_text()
    );
    println!(
        "Medians of {blocks} runs each, interleaved in random order (seed {}), outputs compared and equal.\n\
         Time is wall-clock time with its range; the ratio is to glibc within each round.\n\
         Peak memory is the resident size of the process at its largest.",
        outcome.session.seed
    );
    Ok(())
}

/// A row for each variant; the first is the baseline.
pub fn table(outcome: &Outcome, executables: &[&Path]) -> Result<Table> {
    let mut table =
        Table::new(["variant", "time", "range", "against glibc", "CPU", "peak memory", "size", "inside"]);
    let wall = |measured: &Measured| Figure::Wall.values(measured).unwrap_or_default();
    let baseline = wall(&outcome.measured[0]);
    for (measured, executable) in outcome.measured.iter().zip(executables) {
        let ratio = Summary::of_ratios(&wall(measured), &baseline).context("no samples")?;
        let [time, range, cpu, peak] = figures(measured)?;
        table.row([
            measured.variant.name.clone(),
            time,
            range,
            format::ratio(ratio.median),
            cpu,
            peak,
            format::bytes(size(executable)?),
            inside(executable)?,
        ]);
    }
    Ok(table)
}

/// Time and its range, CPU time and peak memory of a variant, for a table.
pub fn figures(measured: &Measured) -> Result<[String; 4]> {
    let summary = |figure: Figure| Summary::of(&figure.values(measured)?);
    let time = summary(Figure::Wall).context("no samples")?;
    Ok([
        format::seconds(time.median),
        format!("{} to {}", format::seconds(time.min), format::seconds(time.max)),
        format::seconds(summary(Figure::Cpu).context("no samples")?.median),
        summary(Figure::Peak).map_or("not known".into(), |peak| format::bytes(peak.median)),
    ])
}

/// What an executable is made of, as `brawn inspect` finds it: kind, libc and heaps.
fn inside(executable: &Path) -> Result<String> {
    let found = brawn_elf::inspect(&fs_err::read(executable)?)?;
    let word = |value: serde_json::Value| value.as_str().unwrap_or("unknown").to_owned();
    let versioned = |name: &str, version: Option<&str>| match version {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    };
    let mut parts = vec![
        word(serde_json::to_value(found.kind)?),
        versioned(&word(serde_json::to_value(found.libc.name)?), found.libc.version.as_deref()),
    ];
    parts.extend(found.allocators.iter().map(|heap| versioned(&heap.name, heap.version.as_deref())));
    Ok(parts.join(", "))
}
