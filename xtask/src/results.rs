//! `make results`: the numbers that the documentation quotes and that no suite of `brawn bench` measures, into
//! docs/results/.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use brawn_measure::export::Format;
use brawn_measure::format;
use brawn_measure::results::Results;
use clap::ValueEnum;

use crate::merge::merge;
use crate::report::{Report, Section, revision};
use crate::workshop::{Workshop, measure, root, say};
use crate::{alternatives, costs, demo, leptosfmt, quote};

/// A part of the results: a file in docs/results/.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// leptosfmt, the program that the README shows.
    Program,
    /// What Brawn itself costs: overlay, link, start, size.
    Costs,
    /// The programs of docs/explain/alternatives.md: Brawn beside what people do instead.
    Alternatives,
    /// What each of those ways costs to build.
    Builds,
    /// What Brawn adds to a build.
    Overhead,
}

impl Part {
    fn title(self) -> &'static str {
        match self {
            Self::Program => "A real program",
            Self::Costs => "What Brawn costs",
            Self::Alternatives => "Brawn beside what people do instead",
            Self::Builds => "Builds, by Brawn and otherwise",
            Self::Overhead => "What Brawn adds to builds",
        }
    }

    fn sections(self, workshop: &Workshop, blocks: usize) -> Result<Vec<Section>> {
        match self {
            Self::Program => Ok(vec![program(workshop, blocks)?]),
            Self::Costs => costs::sections(workshop, blocks),
            Self::Alternatives => alternatives::sections(workshop, blocks),
            Self::Builds => alternatives::builds(workshop),
            Self::Overhead => alternatives::overhead(workshop, blocks),
        }
    }
}

/// Measures the parts and writes `NAME.md` and `NAME.json` of each into `out`.
pub fn run(brawn: &Path, out: &Path, only: &[Part], blocks: usize) -> Result<()> {
    let workshop = Workshop::open("results", brawn)?;
    fs_err::create_dir_all(out)?;
    for part in Part::value_variants().iter().filter(|part| only.is_empty() || only.contains(part)) {
        let name = part.to_possible_value().expect("no part is hidden").get_name().to_owned();
        let mut report = Report::new(part.title(), "make results");
        report.revision = revision(&root());
        report.sections = part.sections(&workshop, blocks)?;
        let path = out.join(&name);
        fs_err::write(path.with_extension("json"), report.to_json(&workshop.private_paths()))?;
        fs_err::write(path.with_extension("md"), report.to_markdown())?;
        for section in &report.sections {
            println!("\n{}\n\n{}", section.title, section.table.to_text());
        }
        say(&format!("written: {name}.md and {name}.json in {}", out.display()));
    }
    quote::run()
}

/// Makes one document of several runs of `brawn bench`, with the state of the repository that they belong to. A suite that
/// could not be measured is no reason to lose the others.
pub fn collect(out: &Path, command: &str, parts: &[PathBuf]) -> Result<()> {
    let mut runs = Vec::new();
    for part in parts {
        let path = part.join("results.json");
        if path.exists() {
            runs.push(Results::load(&path)?);
        } else {
            say(&format!("left out: {} has no results", part.display()));
        }
    }
    let mut results = merge(runs, command)?.context("none of the runs has results")?;
    let revision = revision(&root()).context("git does not know which state of the repository this is")?;
    results.brawn = format!("{} at {revision}", results.brawn);
    fs_err::create_dir_all(out)?;
    results.save(&out.join("results.json"))?;
    for (name, form) in [("report.html", Format::Html), ("results.md", Format::Markdown)] {
        fs_err::write(out.join(name), form.render(&results))?;
    }
    Ok(())
}

fn program(workshop: &Workshop, blocks: usize) -> Result<Section> {
    let executables = leptosfmt::build(workshop)?;
    let input = leptosfmt::input(workshop)?;
    let variants = leptosfmt::variants(&executables, &input);
    let outcome = measure(leptosfmt::TITLE, &leptosfmt::session(blocks), &variants, |_| {})?;
    Ok(Section {
        title: leptosfmt::TITLE.into(),
        note: format!(
            "Input: {} files, {}. Medians of {blocks} runs; the ratio is to glibc within each round.",
            input.files,
            format::bytes(input.bytes as f64)
        ),
        table: demo::table(&outcome, &executables.each().map(|(_, path)| path))?,
        outcomes: vec![outcome.into()],
        figures: Default::default(),
    })
}
