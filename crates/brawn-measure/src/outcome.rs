//! What a session measured, and what its reader must know.

use crate::figure::{self, RowSpec};
use crate::results::{CaseResult, Runs};
use crate::{Figure, Sample, Session, Variant, statistics};

/// A few outliers are in the nature of things; one in so many runs is worth a warning.
const FREQUENT: usize = 10;

/// A variant and what its counted runs took, in the order of the blocks.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What was run.
    pub variant: Variant,
    /// One sample a block. Of an interrupted session the last block may lack some variants.
    pub samples: Vec<Sample>,
    /// System calls of one run, where they were counted.
    pub system_calls: Option<u64>,
}

impl Measured {
    /// A variant that has not run yet.
    pub fn new(variant: Variant) -> Self {
        Self { variant, samples: Vec::new(), system_calls: None }
    }
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The intervals were narrow enough.
    Precise,
    /// All blocks were run.
    Blocks,
    /// There was no time for another block.
    Budget,
    /// It was told to.
    Interrupted,
}

/// Everything that a session measured.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it was run, with the seed.
    pub session: Session,
    /// The variants, in the order in which they were given; the first is the baseline.
    pub measured: Vec<Measured>,
    /// Why it ended.
    pub stop: Stop,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What the reader must know before trusting the figures, each with what to do about it.
    pub warnings: Vec<String>,
    /// Whether `ptrace` was refused when system calls were to be counted.
    pub(crate) trace_refused: bool,
}

impl Outcome {
    pub(crate) fn new(session: Session, measured: Vec<Measured>) -> Self {
        Self {
            session,
            measured,
            stop: Stop::Blocks,
            seconds: 0.0,
            warnings: Vec::new(),
            trace_refused: false,
        }
    }

    /// What was measured otherwise than by [`Session::run`], with its warnings. Variants may have fewer samples than
    /// the first one, if they took part in the first blocks.
    pub fn of(session: Session, measured: Vec<Measured>, stop: Stop, seconds: f64) -> Self {
        let mut outcome = Self { stop, seconds, ..Self::new(session, measured) };
        outcome.warn();
        outcome
    }

    /// False when the session was interrupted: what is here holds, something else is missing.
    pub fn complete(&self) -> bool {
        self.stop != Stop::Interrupted
    }

    /// The case of a results document: raw samples, rows and warnings. `command` measures it again.
    pub fn case(&self, name: impl Into<String>, command: impl Into<String>, specs: &[RowSpec]) -> CaseResult {
        let runs = self.measured.iter().map(|measured| Runs {
            variant: measured.variant.name.clone(),
            argv: measured.variant.argv(),
            samples: measured.samples.clone(),
        });
        CaseResult {
            name: name.into(),
            command: command.into(),
            runs: runs.collect(),
            rows: figure::rows(self, specs),
            warnings: self.warnings.clone(),
        }
    }

    /// Works out the warnings.
    pub(crate) fn warn(&mut self) {
        let mut warnings = Vec::new();
        warnings.extend(self.lost_memory());
        warnings.extend(self.short_runs());
        warnings.extend(self.few_blocks());
        warnings.extend(self.imprecise());
        warnings.extend(self.outliers());
        self.warnings = warnings;
    }

    fn lost_memory(&self) -> Option<String> {
        let refused = self.samples().any(|sample| sample.peak_bytes.is_none());
        let lost = match (refused, self.trace_refused) {
            (false, false) => return None,
            (true, false) => "peak memory and memory at the end are",
            (false, true) => "the number of system calls is",
            (true, true) => "peak memory, memory at the end and the number of system calls are",
        };
        Some(format!(
            "{lost} not known: this machine refuses ptrace (in a container, allow it with --cap-add SYS_PTRACE or a \
             newer seccomp profile)"
        ))
    }

    fn short_runs(&self) -> Option<String> {
        // A server's time is its client's.
        let programs = self.measured.iter().filter(|measured| measured.variant.service.is_none());
        let short = programs
            .flat_map(|measured| &measured.samples)
            .map(|sample| sample.wall_seconds)
            .fold(f64::INFINITY, f64::min);
        // Of programs that are short by nature, other figures are watched.
        let watched = [Figure::Wall, Figure::User, Figure::System, Figure::Cpu];
        let timed = self.session.watched.iter().any(|figure| watched.contains(figure));
        (timed && short < 0.001).then(|| {
            "runs shorter than 1 ms are mostly the kernel starting and ending a process: give the program more work"
                .into()
        })
    }

    fn few_blocks(&self) -> Option<String> {
        let blocks = self.measured.iter().map(|measured| measured.samples.len()).min().unwrap_or(0);
        (self.session.budget.is_some() && blocks < 5).then(|| {
            format!(
                "{blocks} blocks are too few for 95 % intervals, which are no wider than the range then: raise the \
                 time budget"
            )
        })
    }

    /// Only of a session that was asked for precision and did not reach it, and only where that hides whether there is a
    /// difference at all: how exactly a large one is known stands in its interval.
    fn imprecise(&self) -> Option<String> {
        let wanted = self.session.precision.filter(|_| self.stop != Stop::Precise)?;
        let (baseline, others) = self.measured.split_first()?;
        let mut unresolved: Vec<(f64, &str)> = Vec::new();
        for figure in &self.session.watched {
            for other in others {
                let ratio = figure::ratio(figure, other, baseline);
                if let Some(ratio) = ratio.filter(|ratio| !ratio.resolved() && ratio.half_width() > wanted) {
                    unresolved.push((ratio.half_width(), &other.variant.name));
                }
            }
        }
        let (widest, _) = unresolved.iter().copied().max_by(|left, right| left.0.total_cmp(&right.0))?;
        let mut names: Vec<String> = unresolved.iter().map(|(_, name)| format!("`{name}`")).collect();
        names.dedup();
        Some(format!(
            "{} not told from `{}`: ratios are known to {:.1} % either way at worst, not to the {:.1} % asked for; raise \
             the time budget, or use a quieter machine",
            names.join(", "),
            baseline.variant.name,
            widest * 100.0,
            wanted * 100.0
        ))
    }

    fn outliers(&self) -> Option<String> {
        let mut found = Vec::new();
        for figure in &self.session.watched {
            for measured in &self.measured {
                let values = figure.values(measured).unwrap_or_default();
                let outliers = statistics::outliers(&values).len();
                if outliers > 1 && outliers * FREQUENT >= values.len() {
                    found.push(format!("{outliers} of {} of `{}`", values.len(), measured.variant.name));
                }
            }
        }
        found.dedup();
        (!found.is_empty()).then(|| {
            format!(
                "runs far outside the others: {}; medians bear with them, but look for other programs on this machine, \
                 or measure again when it is quiet",
                found.join(", ")
            )
        })
    }

    fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.measured.iter().flat_map(|measured| &measured.samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(session: Session, walls: &[&[f64]]) -> Outcome {
        let measured = walls
            .iter()
            .enumerate()
            .map(|(index, walls)| {
                let mut measured = Measured::new(Variant::new(format!("v{index}"), "program").arg("x"));
                measured.samples = walls
                    .iter()
                    .map(|&wall_seconds| Sample { wall_seconds, peak_bytes: Some(1), ..Sample::default() })
                    .collect();
                measured
            })
            .collect();
        let mut outcome = Outcome::new(session, measured);
        outcome.warn();
        outcome
    }

    fn adaptive() -> Session {
        Session::adaptive(std::time::Duration::from_secs(1), 0.01)
    }

    #[test]
    fn a_quiet_outcome_has_nothing_to_warn_of() {
        assert!(outcome(adaptive(), &[&[1.0; 6], &[2.0; 6]]).warnings.is_empty());
    }

    #[test]
    fn each_warning_says_what_to_do() {
        let warning = |walls: &[&[f64]], text: &str| {
            let warnings = outcome(adaptive(), walls).warnings;
            assert!(warnings.iter().any(|warning| warning.contains(text)), "{text}: {warnings:?}");
        };
        warning(&[&[0.0005; 6]], "give the program more work");
        warning(&[&[1.0; 3], &[1.0; 3]], "3 blocks are too few");
        let unclear = [&[1.0; 6][..], &[0.9, 1.1, 0.9, 1.1, 0.9, 1.1]];
        warning(
            &unclear,
            "`v1` not told from `v0`: ratios are known to 10.0 % either way at worst, not to the 1.0 %",
        );
        let clear = [&[1.0; 6][..], &[2.0, 2.4, 2.0, 2.4, 2.0, 2.4]];
        assert!(outcome(adaptive(), &clear).warnings.is_empty(), "twice as slow, however exactly");
        warning(&[&[1.0, 1.01, 1.0, 0.99, 8.0, 9.0]], "2 of 6 of `v0`");
        let mut rare = vec![1.0; 30];
        rare[7] = 9.0;
        assert!(outcome(Session::new(30), &[&rare]).warnings.is_empty(), "one of thirty is nothing unusual");
    }

    #[test]
    fn a_refused_ptrace_names_what_is_lost() {
        let mut refused = outcome(Session { count_system_calls: true, ..adaptive() }, &[&[1.0; 6]]);
        refused.trace_refused = true;
        refused.warn();
        assert!(refused.warnings[0].starts_with("the number of system calls is not known"));
        refused.measured[0].samples[0].peak_bytes = None;
        refused.warn();
        assert!(
            refused.warnings[0].starts_with("peak memory, memory at the end and the number of system calls")
        );
        refused.trace_refused = false;
        refused.warn();
        assert!(refused.warnings[0].starts_with("peak memory and memory at the end are not known"));
    }

    #[test]
    fn a_case_holds_commands_samples_and_rows() {
        let case = outcome(adaptive(), &[&[1.0; 6], &[2.0; 6]]).case(
            "threads=1",
            "brawn bench threads",
            &[RowSpec::new(crate::Figure::Wall)],
        );
        assert_eq!(case.runs[1].argv, ["program", "x"]);
        assert_eq!((case.runs[0].samples.len(), case.rows.len()), (6, 1));
    }
}
