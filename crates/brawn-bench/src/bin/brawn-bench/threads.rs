//! The loop of the field's blog posts (`workloads/threads`), on 1 to 32 threads.

use anyhow::{Context, Result};
use brawn_bench::{Measured, Section, Session, Summary, Table, Variant, format};

use crate::build::ThreeWays;
use crate::costs;
use crate::workshop::{Workshop, measure};

/// Thread counts that get a row in the table; the JSON file has all.
const ROWS: &[usize] = &[1, 2, 4, 8, 12, 16, 20, 24, 28, 32];

/// Builds the workload three ways.
pub fn build(workshop: &Workshop) -> Result<ThreeWays> {
    let manifest = workshop.repository.join("workloads/threads/Cargo.toml");
    costs::cargo_package(workshop, "threads", &manifest)
}

/// Runs it with every number of threads from 1 to 32.
pub fn section(workshop: &Workshop, blocks: usize) -> Result<Section> {
    let executables = build(workshop)?;
    let mut table = Table::new([
        "threads",
        "glibc, operations/s",
        "stock musl",
        "Brawn",
        "Brawn against stock musl",
        "Brawn against glibc",
        "peak memory: glibc",
        "stock musl",
        "Brawn",
    ]);
    let mut outcomes = Vec::new();
    for threads in 1..=32 {
        let variants =
            executables.each().map(|(name, file)| Variant::new(name, file).arg(threads.to_string()));
        let outcome = measure(&format!("loop, {threads} threads"), &Session::new(blocks), &variants, |_| {})?;
        if ROWS.contains(&threads) {
            table.row(row(threads, &outcome.measured)?);
        }
        outcomes.push(outcome);
    }
    Ok(Section {
        title: "The loop of the blog posts".into(),
        note: "Each thread makes 100,000 times `vec![1u8; counter % 1000 + 1]`. Operations per second from the first \
               thread's start to the last one's end, medians; ratios are medians of the ratios within each round."
            .into(),
        table,
        outcomes,
        figures: Default::default(),
    })
}

fn row(threads: usize, measured: &[Measured]) -> Result<Vec<String>> {
    let rates = |measured: &Measured| {
        measured.values(|sample| sample.metrics.get("operations_per_second").copied().unwrap_or(f64::NAN))
    };
    let rate = |index: usize| -> Result<String> {
        Ok(format::rate(Summary::of(&rates(&measured[index])).context("the workload gave no rate")?.median))
    };
    let ratio = |over: usize, under: usize| -> Result<String> {
        let summary =
            Summary::of_ratios(&rates(&measured[over]), &rates(&measured[under])).context("no rates")?;
        Ok(format::ratio(summary.median))
    };
    let peak = |index: usize| {
        let peaks = measured[index].values(|sample| sample.peak_bytes.map_or(f64::NAN, |bytes| bytes as f64));
        Summary::of(&peaks).map_or("not known".into(), |peak| format::bytes(peak.median))
    };
    Ok(vec![
        threads.to_string(),
        rate(0)?,
        rate(1)?,
        rate(2)?,
        ratio(2, 1)?,
        ratio(2, 0)?,
        peak(0),
        peak(1),
        peak(2),
    ])
}
