//! What the study's committed answers say.

use std::path::Path;

use anyhow::{Context as _, Result};
use brawn_bench::Machine;
use brawn_bench::compare::Interval;
use brawn_tune::answer::Answer;
use brawn_tune::front::Point;
use serde::{Deserialize, Serialize};

use crate::programs::{CASES, Case, PROGRAMS, Program};

/// A recommendation may cost so much more than the best of the exhaustive run: three percent.
pub const TOLERANCE: f64 = 1.03;

/// When, where and of what the study was made.
#[derive(Debug, Deserialize, Serialize)]
pub struct About {
    /// The day, in UTC.
    pub date: String,
    /// The machine.
    pub machine: Machine,
    /// Time for each run, as it was given.
    pub budget: String,
    /// The state of the repository.
    pub revision: String,
}

impl About {
    const FILE: &str = "study.json";

    /// A study that is made now.
    pub fn now(machine: Machine, budget: &str, revision: String) -> Self {
        Self { date: brawn_bench::report::today(), machine, budget: budget.to_owned(), revision }
    }

    /// Reads that of a study in this folder.
    pub fn read(out: &Path) -> Result<Self> {
        let path = out.join(Self::FILE);
        serde_json::from_str(&fs_err::read_to_string(&path)?).with_context(|| path.display().to_string())
    }

    /// Writes it there.
    pub fn write(&self, out: &Path) -> Result<()> {
        Ok(fs_err::write(out.join(Self::FILE), format!("{}\n", serde_json::to_string_pretty(self)?))?)
    }
}

/// The three answers about one program; a run without an answer has none.
pub struct Finding {
    /// The program.
    pub program: &'static Program,
    /// The answer of the first run.
    pub first: Option<Answer>,
    /// That of the second.
    pub second: Option<Answer>,
    /// That of the run that nobody leaves early.
    pub exhaustive: Option<Answer>,
}

/// Every program's answers.
pub fn findings(out: &Path) -> Result<Vec<Finding>> {
    PROGRAMS
        .iter()
        .map(|program| {
            let answer = |run: &str| read(&out.join(program.name).join(format!("{run}.json")));
            Ok(Finding {
                program,
                first: answer("first")?,
                second: answer("second")?,
                exhaustive: answer("exhaustive")?,
            })
        })
        .collect()
}

/// Every case's answer.
pub fn cases(out: &Path) -> Result<Vec<(&'static Case, Option<Answer>)>> {
    CASES.iter().map(|case| Ok((case, read(&out.join(case.name).join("first.json"))?))).collect()
}

/// An answer that a run has left; none where it ended without.
pub fn read(path: &Path) -> Result<Option<Answer>> {
    serde_json::from_str(&fs_err::read_to_string(path)?)
        .with_context(|| format!("{} is no answer", path.display()))
}

impl Finding {
    /// The fastest of all that stayed within the limit and may be recommended, of the exhaustive run.
    pub fn best(&self) -> Option<&Point> {
        let points = self.exhaustive.as_ref()?.points.iter().filter(|point| point.role.may_win());
        points.min_by(|left, right| left.time.median.total_cmp(&right.time.median))
    }

    /// The time of a setting over that of the best, both from the exhaustive run; none where it did not run there, or was
    /// killed.
    pub fn beside_best(&self, name: &str) -> Option<Interval> {
        let mut points = self.exhaustive.as_ref()?.points.iter();
        let point = points.find(|point| point.name == name && point.role.may_win())?;
        let best = self.best()?;
        if best.name == name {
            return Some(Interval { ratio: 1.0, low: 1.0, high: 1.0 });
        }
        Interval::of(&best.time, &point.time)
    }

    /// Whether a setting may take no more than three percent more time than the best: whether the interval says so.
    pub fn is_near_best(&self, name: &str) -> bool {
        self.beside_best(name).is_some_and(|ratio| ratio.low <= TOLERANCE)
    }

    /// Whether both runs recommend the same, or settings between which the exhaustive run sees no difference that matters.
    pub fn repeats(&self) -> bool {
        let (Some(first), Some(second)) = (&self.first, &self.second) else { return false };
        first.pick == second.pick || self.is_near_best(&first.pick) && self.is_near_best(&second.pick)
    }
}

#[cfg(test)]
mod tests {
    use brawn_tune::setting::Setting;
    use brawn_tune::verdict::Advice;

    use super::*;
    use crate::programs::OVER_LIMIT;

    const OUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tune");
    const RENEW: &str = "docs/tune/ is not what it should be: `make tune-study` makes it anew";

    #[test]
    fn recommendations_repeat_and_are_near_the_best_within_the_limit() {
        for finding in findings(OUT.as_ref()).expect(RENEW) {
            let name = finding.program.name;
            let (Some(first), Some(second)) = (&finding.first, &finding.second) else {
                panic!("{name}: a run gave no answer; {RENEW}")
            };
            assert_ne!(first.seed, second.seed, "{name}: the runs are independent");
            for answer in [first, second] {
                let beside = finding.beside_best(&answer.pick);
                let beside = beside.unwrap_or_else(|| panic!("{name}: `{}` was not checked", answer.pick));
                let best = &finding.best().expect("there is one beside which it was").name;
                assert!(
                    finding.is_near_best(&answer.pick),
                    "{name}: `{}` takes {:.3} (from {:.3}) of `{best}`",
                    answer.pick,
                    beside.ratio,
                    beside.low
                );
            }
            assert!(finding.repeats(), "{name}: `{}` and `{}`", first.pick, second.pick);
        }
    }

    #[test]
    fn what_would_be_killed_is_not_recommended_and_nothing_is_where_nothing_matters() {
        for (case, answer) in cases(OUT.as_ref()).expect(RENEW) {
            let answer = answer.unwrap_or_else(|| panic!("{}: no answer; {RENEW}", case.name));
            assert_eq!(answer.now, case.malloc, "{}", case.name);
            match case.name {
                OVER_LIMIT => {
                    assert_eq!(answer.advice, Advice::ChangeForFailure);
                    let killed = answer.failed.iter().find(|failed| failed.name == case.malloc).expect(RENEW);
                    assert!(killed.reason.contains("would be killed"), "{}", killed.reason);
                    assert!(answer.points.iter().any(|point| point.name == answer.pick));
                }
                _ => assert_eq!((answer.advice, answer.pick), (Advice::Keep, answer.now), "{}", case.name),
            }
        }
    }

    #[test]
    fn what_was_recommended_can_still_be_linked() {
        for finding in findings(OUT.as_ref()).expect(RENEW) {
            for answer in [&finding.first, &finding.second, &finding.exhaustive].into_iter().flatten() {
                let setting = answer.setting.as_ref().expect("programs were linked");
                assert!(setting.choice().is_ok(), "{}: {}; {RENEW}", finding.program.name, answer.pick);
            }
        }
    }

    #[test]
    fn every_allocator_was_tried() {
        for finding in findings(OUT.as_ref()).expect(RENEW) {
            let answer = finding.exhaustive.as_ref().expect(RENEW);
            let points = answer.points.iter().map(|point| &point.name);
            let names = points.chain(answer.failed.iter().map(|failed| &failed.name));
            // An allocator goes by its own name or by that of the preset that stood for it then, and presets may change.
            let tried: std::collections::BTreeSet<_> =
                names.filter_map(|name| name.split(' ').next()).collect();
            let allocators = brawn_libc::Malloc::names()
                .into_iter()
                .filter(|malloc| !Setting::allocator(malloc).is_hardened());
            let (tried, all) = (tried.iter().filter(|name| **name != "glibc").count(), allocators.count());
            assert!(tried >= all, "{}: {tried} of {all} allocators; {RENEW}", finding.program.name);
        }
    }

    #[test]
    fn the_page_says_what_the_answers_say() {
        let page = crate::page::page(OUT.as_ref()).expect(RENEW);
        let committed = fs_err::read_to_string(Path::new(OUT).join("README.md")).expect(RENEW);
        assert!(
            page == committed,
            "docs/tune/README.md is stale: `brawn-tune-study page docs/tune` renews it"
        );
    }
}
