//! Pairs the rows of two documents, and says when they cannot be compared.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::change::{Change, Interval, verdict};
use crate::results::{Cell, Kind, Results, Row};
use crate::statistics::geometric_mean;
use crate::{Machine, Summary};

/// Form of the comparison's JSON.
const SCHEMA: u32 = 1;

/// A baseline that moved by more than this, in the geometric mean of its times, is worth a warning.
const BASELINE_DRIFT: f64 = 0.03;

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The figures themselves: both documents must come from the same machine.
    #[default]
    Figures,
    /// The ratios to the baseline: a machine that is slower today than yesterday, or another machine of the same
    /// architecture, makes less of a difference.
    Ratios,
}

/// How to compare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What is compared.
    pub basis: Basis,
    /// Compare in spite of differences that would be refused; they become warnings.
    pub force: bool,
}

brawn_base::errors! {
    /// Why two documents cannot be compared.
    pub enum CompareError {
        from {}

        /// They were measured on different machines: what differs, as it was and as it is.
        #[error("the results come from different machines: {what} was `{old}` and is `{new}`")]
        OtherMachine { what: &'static str, old: String, new: String } => Input, match *what {
            "architecture" => "measure both on the same kind of machine",
            _ => "compare the ratios to the baseline instead of the figures (--ratios), \
                  or measure both on the same machine",
        };

        /// Ratios are to different things.
        #[error("the results have different baselines: `{old}` and `{new}`")]
        OtherBaseline { old: String, new: String } => Input,
            "measure both with the same first variant, or compare without --ratios";

        /// They have no figure in common: suites and variants before and after.
        #[error("the results have no figure in common: {old} against {new}")]
        NothingInCommon { old: String, new: String } => Input, "measure the same suites and variants";
    }
}

/// Two documents, compared.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// Version of this form.
    pub schema: u32,
    /// What was compared.
    pub basis: Basis,
    /// Day and version of the old document.
    pub old: Origin,
    /// Day and version of the new document.
    pub new: Origin,
    /// The baseline, which gates leave out unless they name it; none when there is no other variant.
    pub baseline: Option<String>,
    /// What to know before trusting the changes.
    pub warnings: Vec<String>,
    /// Figures that both documents have, in the order of the new one.
    pub changes: Vec<Change>,
    /// Rows (`suite/case/row @variant`) that only the old document has.
    pub gone: Vec<String>,
    /// Rows that only the new document has.
    pub added: Vec<String>,
}

/// Where one side comes from.
#[derive(Debug, PartialEq, Serialize)]
pub struct Origin {
    /// The day, in UTC.
    pub date: String,
    /// Version of the Brawn that measured.
    pub brawn: String,
    /// The command.
    pub command: String,
}

impl Origin {
    fn of(results: &Results) -> Self {
        Self { date: results.date.clone(), brawn: results.brawn.clone(), command: results.command.clone() }
    }
}

/// Compares `new` with `old`.
///
/// # Errors
/// [`CompareError`] when the documents have nothing in common, or come from machines whose figures cannot be compared
/// and `options.force` is not set.
pub fn compare(old: &Results, new: &Results, options: &Options) -> Result<Comparison, CompareError> {
    let mut warnings = Vec::new();
    if let Err(refusal) = comparable(old, new, options.basis) {
        if !options.force {
            return Err(refusal);
        }
        warnings.push(refusal.to_string());
    }
    warnings.extend(differences(old, new));

    let resolution = [old, new]
        .iter()
        .filter_map(|results| results.noise.as_ref().map(|noise| noise.resolution))
        .fold(0.0, f64::max);
    let before = index(old);
    let mut seen = BTreeSet::new();
    let (mut changes, mut added) = (Vec::new(), Vec::new());
    for (suite, case, row) in new.rows() {
        for cell in &row.cells {
            let key = [&*suite.name, &*case.name, &*row.name, &*cell.variant];
            let Some((old_row, old_cell)) = before.get(&key) else {
                added.push(label(&key));
                continue;
            };
            seen.insert(key);
            let Some((old_figure, old_unit)) = figure(old_row, old_cell, options.basis) else { continue };
            let Some((new_figure, unit)) = figure(row, cell, options.basis) else { continue };
            if old_unit != unit || old_row.better != row.better {
                warnings.push(format!("{} changed its unit and is left out", label(&key)));
                continue;
            }
            let change = Interval::of(&old_figure, &new_figure);
            changes.push(Change {
                suite: suite.name.clone(),
                case: case.name.clone(),
                row: row.name.clone(),
                variant: cell.variant.clone(),
                kind: row.kind,
                unit: unit.to_owned(),
                better: row.better,
                old: old_figure,
                new: new_figure,
                change,
                verdict: verdict(&old_figure, &new_figure, change, row.better, resolution),
            });
        }
    }
    if changes.is_empty() {
        return Err(CompareError::NothingInCommon { old: contents(old), new: contents(new) });
    }
    let baseline =
        (new.variants.len() > 1).then(|| new.variants.first().map(|first| first.name.clone())).flatten();
    warnings.extend(drift(&changes, baseline.as_deref()));
    let gone = before.keys().filter(|key| !seen.contains(*key)).map(label).collect();
    Ok(Comparison {
        schema: SCHEMA,
        basis: options.basis,
        old: Origin::of(old),
        new: Origin::of(new),
        baseline,
        warnings,
        changes,
        gone,
        added,
    })
}

/// Suite, case, row, variant.
type Key<'a> = [&'a str; 4];

fn index(results: &Results) -> BTreeMap<Key<'_>, (&Row, &Cell)> {
    results
        .rows()
        .flat_map(|(suite, case, row)| {
            row.cells
                .iter()
                .map(move |cell| ([&*suite.name, &*case.name, &*row.name, &*cell.variant], (row, cell)))
        })
        .collect()
}

fn label([suite, case, row, variant]: &Key<'_>) -> String {
    format!("{suite}/{case}/{row} @{variant}")
}

/// The figure with its unit; the baseline has no ratio.
fn figure<'a>(row: &'a Row, cell: &Cell, basis: Basis) -> Option<(Summary, &'a str)> {
    match basis {
        Basis::Figures => Some((cell.summary, &row.unit)),
        Basis::Ratios => cell.ratio.map(|ratio| (ratio, "")),
    }
}

fn contents(results: &Results) -> String {
    let suites: Vec<&str> = results.suites.iter().map(|suite| suite.name.as_str()).collect();
    let variants: Vec<&str> = results.variants.iter().map(|variant| variant.name.as_str()).collect();
    format!("{} with {}", suites.join(", "), variants.join(", "))
}

fn comparable(old: &Results, new: &Results, basis: Basis) -> Result<(), CompareError> {
    let fields = |results: &Results| {
        let (machine, settings) = (&results.machine, &results.settings);
        [
            ("architecture", machine.architecture.clone()),
            ("processor", machine.processor.clone()),
            ("cores", machine.cores.to_string()),
            ("the choice of cores", format!("{:?}", settings.cores)),
            ("the CPU quota", settings.quota.map_or("none".to_owned(), |cores| format!("{cores} cores"))),
        ]
    };
    let mut changed = changed(fields(old), fields(new));
    if let Some((what, old, new)) =
        changed.find(|(what, ..)| basis == Basis::Figures || *what == "architecture")
    {
        return Err(CompareError::OtherMachine { what, old, new });
    }
    match (basis, old.variants.first(), new.variants.first()) {
        (Basis::Ratios, Some(a), Some(b)) if a.name != b.name => {
            Err(CompareError::OtherBaseline { old: a.name.clone(), new: b.name.clone() })
        }
        _ => Ok(()),
    }
}

/// Which fields differ, as they were and as they are.
fn changed<const N: usize>(
    old: [(&'static str, String); N],
    new: [(&'static str, String); N],
) -> impl Iterator<Item = (&'static str, String, String)> {
    old.into_iter().zip(new).filter(|(old, new)| old != new).map(|((what, old), (_, new))| (what, old, new))
}

/// Differences that do not forbid a comparison, but may be the reason for a change.
fn differences(old: &Results, new: &Results) -> Vec<String> {
    let fields = |machine: &Machine| {
        [
            ("kernel", machine.kernel.clone()),
            ("system", machine.system.clone()),
            ("huge pages", machine.huge_pages.clone()),
            ("memory", crate::format::bytes(machine.memory_bytes as f64)),
        ]
    };
    let mut warnings: Vec<String> = changed(fields(&old.machine), fields(&new.machine))
        .map(|(what, old, new)| format!("{what} was `{old}` and is `{new}`"))
        .collect();
    for (name, version) in &new.versions {
        if let Some(before) = old.versions.get(name).filter(|before| *before != version) {
            warnings.push(format!("{name} was {before} and is {version}"));
        }
    }
    for (results, which) in [(old, "old"), (new, "new")] {
        if !results.complete {
            warnings.push(format!("the {which} run was interrupted: its results are not complete"));
        }
    }
    warnings
}

/// Says when the baseline, which no change of Brawn touches, moved itself: then it was the machine.
fn drift(changes: &[Change], baseline: Option<&str>) -> Option<String> {
    let changed: Vec<f64> = changes
        .iter()
        .filter(|change| Some(change.variant.as_str()) == baseline && change.kind == Kind::Time)
        .map(|change| (1.0 + change.worsening()).max(f64::MIN_POSITIVE))
        .collect();
    let mean = geometric_mean(&changed)? - 1.0;
    (mean.abs() > BASELINE_DRIFT).then(|| {
        format!(
            "the baseline itself took {:+.1} % time: the machine changed, not only the variants; compare with --ratios",
            mean * 100.0
        )
    })
}
