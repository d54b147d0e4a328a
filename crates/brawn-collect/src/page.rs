//! The answer as a page with pictures, by the report of `bench` and `tune`: a pool is a case, and memory over cores a curve.

use std::collections::BTreeSet;

use brawn_measure::results::{
    Better, CaseResult, Cell, Finding, Kind, Results, Row, Settings, SuiteResult, VariantInfo,
};
use brawn_measure::{Machine, Summary, html};

use crate::answer::{Answer, CandidateAnswer, PoolAnswer};
use crate::estimate::Ratio;
use crate::kept::Kept;
use crate::report;

/// The page.
pub fn html(kept: &Kept, answer: &Answer, command: &str) -> String {
    html::page(&results(kept, answer, command))
}

/// The document behind it, without raw samples: these are in the file of the fleet.
fn results(kept: &Kept, answer: &Answer, command: &str) -> Results {
    let names = || kept.plan.candidates.iter().map(|candidate| candidate.name.as_str());
    // The page compares with the first.
    let reference = std::iter::once(answer.reference.as_str());
    let order: Vec<&str> = reference.chain(names().filter(|name| *name != answer.reference)).collect();
    Results {
        date: kept.plan.created.get(..10).unwrap_or_default().to_owned(),
        machine: machines(kept),
        variants: order.iter().map(|name| VariantInfo::new(*name, *name)).collect(),
        suites: vec![pools(answer, &order, command), memory(answer, &order, command)],
        complete: answer.blocks == answer.planned,
        finding: Some(Finding { headline: report::headline(answer), words: report::words(answer).join(" ") }),
        ..Results::new(command, kept.plan.seed, Settings::default())
    }
}

/// All machines as one: what they differ in, side by side.
fn machines(kept: &Kept) -> Machine {
    let all = |of: fn(&Machine) -> &str| {
        let different: BTreeSet<&str> = kept.blocks.iter().map(|block| of(&block.machine)).collect();
        different.into_iter().collect::<Vec<_>>().join("; ")
    };
    let most =
        |of: fn(&Machine) -> u64| kept.blocks.iter().map(|block| of(&block.machine)).max().unwrap_or(0);
    Machine {
        architecture: all(|machine| &machine.architecture),
        processor: all(|machine| &machine.processor),
        kernel: all(|machine| &machine.kernel),
        system: all(|machine| &machine.system),
        huge_pages: all(|machine| &machine.huge_pages),
        cores: most(|machine| machine.cores as u64) as usize,
        memory_bytes: most(|machine| machine.memory_bytes),
        ..Machine::default()
    }
}

fn pools(answer: &Answer, order: &[&str], command: &str) -> SuiteResult {
    let case = |pool: &PoolAnswer| {
        let row = |name: &str, kind, unit: &str, cell: &dyn Fn(&CandidateAnswer) -> Option<Cell>| Row {
            name: name.to_owned(),
            kind,
            unit: unit.to_owned(),
            better: Better::Lower,
            cells: order
                .iter()
                .filter_map(|name| cell(pool.candidates.iter().find(|candidate| candidate.name == **name)?))
                .collect(),
            winner: pool.pick.clone().filter(|_| pool.advice.is_change() && name == "cost"),
            ..Row::default()
        };
        let cell = |one: &CandidateAnswer, summary: Option<Summary>, ratio: Option<Ratio>| {
            let ratio = ratio.and_then(as_summary);
            Some(Cell { variant: one.name.clone(), summary: summary?, ratio, outliers: 0 })
        };
        let cost = |one: &CandidateAnswer| {
            let itself = Summary { count: pool.blocks, median: 1.0, min: 1.0, max: 1.0, low: 1.0, high: 1.0 };
            let summary = one.cost.map_or(Some(itself).filter(|_| one.failure.is_none()), as_summary);
            cell(one, summary, one.cost)
        };
        CaseResult {
            name: pool.name.clone(),
            command: command.to_owned(),
            rows: vec![
                row("cost", Kind::Other, "", &cost),
                row("time", Kind::Time, "s", &|one| cell(one, one.seconds, one.time)),
                row("memory", Kind::Memory, "bytes", &|one| cell(one, one.peak_bytes, one.memory)),
            ],
            warnings: report::failures(pool),
            ..CaseResult::default()
        }
    };
    SuiteResult {
        name: "pools".into(),
        title: "Pools".into(),
        about: "Each candidate beside what is used now, in pairs within blocks. All intervals of the cost hold together.".into(),
        notes: answer.notes.clone(),
        cases: answer.pools.iter().filter(|pool| pool.blocks > 0).map(case).collect(),
        ..SuiteResult::default()
    }
}

fn memory(answer: &Answer, order: &[&str], command: &str) -> SuiteResult {
    let cores: BTreeSet<usize> = answer.memory.iter().map(|point| point.cores).collect();
    let row = |cores: usize| {
        let at = |name: &&str| {
            answer.memory.iter().find(|point| point.candidate == **name && point.cores == cores)
        };
        let cell = |point: &crate::answer::MemoryPoint| Cell {
            variant: point.candidate.clone(),
            summary: point.peak_bytes,
            ratio: None,
            outliers: 0,
        };
        Row {
            name: format!("{cores} cores"),
            kind: Kind::Other,
            unit: "bytes".into(),
            series: Some("memory by cores".into()),
            x: Some(cores as f64),
            x_label: Some("cores".into()),
            cells: order.iter().filter_map(at).map(cell).collect(),
            ..Row::default()
        }
    };
    SuiteResult {
        name: "memory".into(),
        title: "Memory by cores".into(),
        about: "Peak of a run on nodes with so many cores.".into(),
        cases: vec![CaseResult {
            name: "all pools".into(),
            command: command.to_owned(),
            rows: cores.into_iter().map(row).collect(),
            ..CaseResult::default()
        }],
        ..SuiteResult::default()
    }
}

/// A ratio in the form of the page; none where it has no upper end, which the page cannot draw.
fn as_summary(ratio: Ratio) -> Option<Summary> {
    let Ratio { ratio: median, low, blocks: count, .. } = ratio;
    let high = ratio.high?;
    Some(Summary { count, median, min: low, max: high, low, high })
}
