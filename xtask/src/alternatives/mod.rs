//! Brawn beside what people do instead: for docs/explain/alternatives.md.

mod breaks;
mod builds;
mod heaps;
mod places;
mod programs;
mod ways;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use brawn_measure::Variant;

use self::programs::{Build, programs};
use self::ways::{Tools, Way};
use crate::demo;
use crate::report::Section;
use crate::study;
use crate::workshop::{Workshop, measure};

/// What each way costs to build, once: it takes a quarter of an hour.
pub fn builds(workshop: &Workshop) -> Result<Vec<Section>> {
    Ok(vec![builds::every_way(&Tools::find(workshop)?, 1)?])
}

/// What Brawn adds to a build.
pub fn overhead(workshop: &Workshop, blocks: usize) -> Result<Vec<Section>> {
    Ok(vec![builds::overhead(&Tools::find(workshop)?, blocks)?])
}

/// How the programs run that each way makes, where, and what does not work.
pub fn sections(workshop: &Workshop, blocks: usize) -> Result<Vec<Section>> {
    ensure!(std::env::consts::ARCH == "x86_64", "the older distribution's packages are for x86_64");
    let tools = Tools::find(workshop)?;
    let sources = study::build::input(&workshop.folder)?;
    let mut sections = Vec::new();
    let mut made = Vec::new();
    for program in programs() {
        let mut variants = Vec::new();
        let mut executables: Vec<(Way, PathBuf)> = Vec::new();
        for way in Way::ALL {
            let build = Build::of(program, way, &tools)?;
            let executable =
                workshop.keep(build.executable()?, &format!("{}-{}", program.name, way.slug()))?;
            let run = programs::run(program, &workshop.folder, &sources);
            variants.push(Variant { name: way.name().into(), program: executable.clone(), ..run });
            executables.push((way, executable));
        }
        let outcome = measure(program.name, &programs::session(program, blocks), &variants, |_| {})?;
        let paths: Vec<&Path> = executables.iter().map(|(_, path)| path.as_path()).collect();
        sections.push(Section {
            title: program.name.into(),
            note: format!(
                "{} Medians of {blocks} runs, interleaved; the ratio is to glibc within each round.",
                programs::about(program)
            ),
            table: demo::table(&outcome, &paths)?,
            outcomes: vec![outcome.into()],
            figures: Default::default(),
        });
        made.push((program.name, executables));
    }
    sections.push(places::section(&tools, &made)?);
    sections.push(breaks::section(&tools)?);
    Ok(sections)
}
