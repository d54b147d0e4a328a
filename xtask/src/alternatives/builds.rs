//! What building costs: every way from nothing, and what Brawn adds to a build for the same target.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use brawn_measure::{Figure, Outcome, Output, Session, Summary, Table, Variant, format};

use super::programs::{Build, programs};
use super::ways::{Tools, Way};
use crate::report::{Raw, Section};
use crate::study::programs::Program;
use crate::workshop::measure;

/// The programs that every way builds here. jaq would say what tokei says.
fn both() -> impl Iterator<Item = &'static Program> {
    programs().filter(|program| program.name != "jaq")
}

/// Every way, once or more often.
pub fn every_way(tools: &Tools<'_>, blocks: usize) -> Result<Section> {
    let mut rows: Vec<Vec<String>> = Way::ALL.iter().map(|way| vec![way.name().to_owned()]).collect();
    let mut outcomes = Vec::new();
    for program in both() {
        let builds: Result<Vec<Build>> =
            Way::ALL.into_iter().map(|way| Build::of(program, way, tools)).collect();
        let outcome = measured(program.name, &builds?, blocks, Build::clean)?;
        for (row, measured) in rows.iter_mut().zip(&outcome.measured) {
            let median = |figure: Figure| {
                let summary = Summary::of(&figure.values(measured)?)?;
                Some(format::seconds(summary.median))
            };
            row.extend([Figure::Cpu, Figure::Wall].map(|figure| median(figure).unwrap_or_default()));
        }
        outcomes.push(Raw::from(outcome));
    }
    let columns = both().flat_map(|program| [format!("{}: CPU", program.name), "time".to_owned()]);
    let mut table = Table::new(["built for".to_owned()].into_iter().chain(columns));
    for row in rows {
        table.row(row);
    }
    Ok(Section {
        title: "Builds".into(),
        note: "From nothing, in release mode, with everything fetched. What is made once for all programs does not count: \
               zig's start files, the patched `libc.a`, Brawn's overlay. \
               zig keeps objects of C in a cache of its own, so its lua was not compiled again."
            .into(),
        table,
        outcomes,
        figures: BTreeMap::new(),
    })
}

/// Brawn beside the same build without it.
///
/// A whole build of a Rust program takes minutes, and what Brawn adds to it is far below what two of them differ by. So the
/// program's last crate is compiled and linked again and again, which is the part that Brawn has a hand in.
pub fn overhead(tools: &Tools<'_>, blocks: usize) -> Result<Section> {
    let mut table = Table::new([
        "program",
        "whole build",
        "again, without Brawn",
        "with",
        "Brawn adds",
        "of the whole build",
    ]);
    let mut outcomes = Vec::new();
    let mut figures = BTreeMap::new();
    for program in programs() {
        let builds = [Build::of(program, Way::Stock, tools)?, Build::of(program, Way::Brawn, tools)?];
        // One in C is built from nothing each time.
        let whole = match builds[0].is_cargo {
            true => Some(measured(program.name, &builds[..1], 1, Build::clean)?),
            false => None,
        };
        let again = measured(program.name, &builds, blocks, Build::touch)?;
        let cpu = |index: usize| Figure::Cpu.values(&again.measured[index]).context("no samples");
        let (without, with) = (cpu(0)?, cpu(1)?);
        let median = |values: &[f64]| Summary::of(values).context("no samples");
        let added: Vec<f64> = with.iter().zip(&without).map(|(with, without)| with - without).collect();
        let added = median(&added)?;
        let whole_build = match &whole {
            Some(outcome) => Figure::Cpu.values(&outcome.measured[0]).context("no samples")?[0],
            None => median(&without)?.median,
        };
        figures.insert(format!("{}: added share", program.name), added.median / whole_build);
        let milliseconds = |seconds: f64| format!("{:.0} ms", 1e3 * seconds);
        table.row([
            program.name.to_owned(),
            format::seconds(whole_build),
            format::seconds(median(&without)?.median),
            format::seconds(median(&with)?.median),
            format!(
                "{} ({} to {})",
                milliseconds(added.median),
                milliseconds(added.low),
                milliseconds(added.high)
            ),
            format!("{:.1} %", 100.0 * added.median / whole_build),
        ]);
        outcomes.extend(whole.into_iter().chain([again]).map(Raw::from));
    }
    Ok(Section {
        title: "What Brawn adds to a build".into(),
        note: "CPU time, user and system, of `cargo build` and `brawn cargo build` for the same musl target, and of make with \
               `musl-gcc -static` and with `brawn cc`. `again` is a build of the program's last crate, in C of everything; \
               interleaved, medians, and the difference within each round with its 95 % interval."
            .into(),
        table,
        outcomes,
        figures,
    })
}

fn measured(
    program: &str,
    builds: &[Build],
    blocks: usize,
    before: impl Fn(&Build) -> Result<()>,
) -> Result<Outcome> {
    let variants: Vec<Variant> = builds.iter().map(|build| build.variant.clone()).collect();
    // The first round makes what is made once, and is left out when there are several.
    let warmup_blocks = usize::from(blocks > 1);
    let session = Session { output: Output::Unchecked, warmup_blocks, ..Session::new(blocks) };
    let mut failed = None;
    let outcome = measure(&format!("builds of {program}"), &session, &variants, |variant| {
        let build = builds.iter().find(|build| build.variant.name == variant.name);
        failed = failed.take().or(build.and_then(|build| before(build).err()));
    });
    match failed {
        Some(error) => Err(error),
        None => outcome,
    }
}
