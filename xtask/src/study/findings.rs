//! What the study's committed answers say.

use std::path::Path;

use anyhow::{Context as _, Result};
use brawn_measure::{Machine, Summary};
use brawn_tune::answer::Answer;
use brawn_tune::front::Point;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::programs::{CASES, Case, PROGRAMS, Program};

/// A recommendation may cost so much more than the best of the exhaustive run: three percent.
pub const TOLERANCE: f64 = 1.03;

/// Longest time to an answer about a program that runs a second, in seconds.
pub const LONGEST: f64 = 300.0;

/// Largest share of the time that the runner itself may take.
pub const OVERHEAD: f64 = 0.02;

/// When, where and of what the study was made: a copy lies beside the answers about each program, which may be measured again alone.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
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
        Self { date: brawn_measure::date::today(), machine, budget: budget.to_owned(), revision }
    }

    /// Reads that of a study in this folder, or of one program's answers.
    pub fn read(out: &Path) -> Result<Self> {
        let path = out.join(Self::FILE);
        serde_json::from_str(&fs_err::read_to_string(&path)?).with_context(|| path.display().to_string())
    }

    /// What was given for the program, when, and at which state.
    pub fn describe(&self) -> String {
        format!("with STUDY_SECONDS={} on {}, at {}", self.budget, self.date, self.revision)
    }

    /// Writes it there.
    pub fn write(&self, out: &Path) -> Result<()> {
        Ok(fs_err::write(out.join(Self::FILE), format!("{}\n", serde_json::to_string_pretty(self)?))?)
    }
}

/// How long an answer took about a program that runs about a second, with the options that no one has to give.
#[derive(Debug, Deserialize, Serialize)]
pub struct Duration {
    /// Of what it was measured, and where.
    pub about: About,
    /// What ran.
    pub program: String,
    /// Seconds of a run as it was linked.
    pub run_seconds: f64,
    /// Seconds from the command to its answer: building nothing, but links, all runs, and counting afterwards.
    pub seconds: f64,
    /// Share of the measuring in which neither a candidate ran nor anything was linked.
    pub overhead: f64,
    /// Links that were done.
    pub links: usize,
}

impl Duration {
    const FILE: &str = "duration.json";

    /// Reads that of a study in this folder; none where it has not been measured.
    pub fn read(out: &Path) -> Result<Option<Self>> {
        parsed(&out.join(Self::FILE))
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
    /// That of the run that no one leaves early.
    pub exhaustive: Option<Answer>,
}

/// Every program's answers.
pub fn findings(out: &Path) -> Result<Vec<Finding>> {
    PROGRAMS
        .iter()
        .map(|program| {
            let answer = |run: &str| parsed(&out.join(program.name).join(format!("{run}.json")));
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
    CASES.iter().map(|case| Ok((case, parsed(&out.join(case.name).join("first.json"))?))).collect()
}

/// What a run has left, an answer above all; none where it ended without one, or has not been made.
pub fn parsed<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    if !path.exists() {
        return Ok(None);
    }
    serde_json::from_str(&fs_err::read_to_string(path)?)
        .with_context(|| format!("{} is not what it should be", path.display()))
}

impl Finding {
    /// The fastest of all that stayed within the limit and may be recommended: in the last round of the exhaustive run, where
    /// the best of the others meet both answers in fresh blocks. The others' few blocks would make it the luckiest instead.
    pub fn best(&self) -> Option<&Point> {
        let itself = |ratio: Summary| ratio.min == 1.0 && ratio.max == 1.0;
        self.exhaustive.as_ref()?.points.iter().find(|point| point.to_best.is_some_and(itself))
    }

    /// The time of a setting over that of the best, block by block; none where it did not run there, or was killed.
    pub fn beside_best(&self, name: &str) -> Option<Summary> {
        let points = &self.exhaustive.as_ref()?.points;
        points.iter().find(|point| point.name == name)?.to_best
    }

    /// Whether a setting takes no more than three percent more time than the best.
    pub fn is_near_best(&self, name: &str) -> bool {
        self.beside_best(name).is_some_and(|ratio| ratio.median <= TOLERANCE)
    }

    /// Whether both runs recommend the same, or settings that are both near the best and that the exhaustive run does not
    /// distinguish: their intervals meet.
    pub fn repeats(&self) -> bool {
        let (Some(first), Some(second)) = (&self.first, &self.second) else { return false };
        if first.pick == second.pick {
            return true;
        }
        let [one, other] = [first, second].map(|answer| self.beside_best(&answer.pick));
        one.zip(other).is_some_and(|(one, other)| {
            let near = self.is_near_best(&first.pick) && self.is_near_best(&second.pick);
            near && one.low <= other.high && other.low <= one.high
        })
    }

    /// What is wrong with it, in words; none where it is as it should be.
    pub fn complaint(&self) -> Option<String> {
        let name = self.program.name;
        let (Some(first), Some(second)) = (&self.first, &self.second) else {
            return Some(format!("{name}: a run gave no answer"));
        };
        if first.seed == second.seed {
            return Some(format!("{name}: the runs are not independent"));
        }
        let Some(best) = self.best() else {
            return Some(format!("{name}: the exhaustive run gave no answer"));
        };
        for answer in [first, second] {
            let pick = &answer.pick;
            match self.beside_best(pick) {
                None => return Some(format!("{name}: `{pick}` was not checked")),
                Some(beside) if beside.median > TOLERANCE => {
                    let Summary { median, low, high, .. } = beside;
                    let best = &best.name;
                    return Some(format!(
                        "{name}: `{pick}` takes {median:.3} ({low:.3} to {high:.3}) of `{best}`"
                    ));
                }
                Some(_) => {}
            }
        }
        let differ = format!("{name}: `{}` and `{}` are not the same", first.pick, second.pick);
        (!self.repeats()).then_some(differ)
    }
}

#[cfg(test)]
mod tests {
    use brawn_tune::race::Role;
    use brawn_tune::setting::Setting;
    use brawn_tune::verdict::Advice;

    use super::super::programs::OVER_LIMIT;
    use super::*;

    const OUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/tune");
    const RENEW: &str = "docs/tune/ is not what it should be: `make tune-study` makes it anew";

    /// Whether a recommendation repeats hangs on how quiet the machine was that measured it. `make tune-study` ends with an
    /// error where it does not; what is committed must not hide it.
    #[test]
    fn the_page_names_every_program_whose_recommendation_does_not_repeat_or_is_not_near_the_best() {
        let page = fs_err::read_to_string(Path::new(OUT).join("README.md")).expect(RENEW);
        let missed: Vec<String> =
            findings(OUT.as_ref()).expect(RENEW).iter().filter_map(Finding::complaint).collect();
        for complaint in &missed {
            assert!(page.contains(&format!("- {complaint}\n")), "the page hides this: {complaint}; {RENEW}");
        }
        assert_eq!(page.contains("It is so for every program."), missed.is_empty(), "{RENEW}");
        assert!(missed.len() < PROGRAMS.len(), "the study shows nothing: {missed:?}; {RENEW}");
    }

    /// Two runs that recommend these, and an exhaustive one in which each takes so much of the best one's time, from low to
    /// high.
    fn finding(picks: [&str; 2], beside_best: &[(&str, f64, f64)]) -> Finding {
        let answer = cases(OUT.as_ref()).expect(RENEW).remove(0).1.expect(RENEW);
        let ratio = |low: f64, high: f64| {
            let median = f64::midpoint(low, high);
            Summary { count: 9, median, min: low, max: high, low, high }
        };
        let point = |&(name, low, high): &(&str, f64, f64)| Point {
            name: name.to_owned(),
            role: Role::Candidate,
            time: ratio(low, high),
            memory: None,
            front: false,
            to_best: Some(ratio(low, high)),
        };
        let [first, second] = [0, 1]
            .map(|run| Some(Answer { pick: picks[run].to_owned(), seed: run as u64, ..answer.clone() }));
        let points = beside_best.iter().map(point).collect();
        Finding { program: &PROGRAMS[0], first, second, exhaustive: Some(Answer { points, ..answer }) }
    }

    #[test]
    fn what_is_not_as_it_should_be_is_told() {
        let told = |picks, beside_best: &[_]| finding(picks, beside_best).complaint().unwrap_or_default();
        let best = ("best", 1.0, 1.0);
        assert_eq!(told(["best", "best"], &[best]), "");
        assert_eq!(told(["best", "other"], &[best, ("other", 0.98, 1.04)]), "");
        let slow = told(["best", "slow"], &[best, ("slow", 0.98, 1.10)]);
        assert!(slow.contains("`slow` takes 1.04"), "however wide the interval: {slow}");
        let apart = told(["best", "other"], &[best, ("other", 1.02, 1.03)]);
        assert!(apart.contains("not the same"), "near the best, and certainly slower than it: {apart}");
        assert!(told(["best", "gone"], &[best]).contains("not checked"));
        let mut one = finding(["best", "best"], &[best]);
        one.second = None;
        assert!(one.complaint().is_some_and(|text| text.contains("no answer")));
    }

    #[test]
    fn an_answer_takes_less_than_five_minutes_and_the_runner_next_to_nothing() {
        let took = Duration::read(OUT.as_ref()).expect(RENEW);
        let took = took.expect("`make tune-duration` measures how long an answer takes");
        assert!((0.7..1.5).contains(&took.run_seconds), "a program that runs a second: {took:?}");
        assert!(took.seconds < LONGEST && took.overhead < OVERHEAD, "{took:?}");
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
            // The page says of which program the exhaustive run gave no answer.
            let Some(answer) = &finding.exhaustive else { continue };
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
        let page = super::super::page::page(OUT.as_ref()).expect(RENEW);
        let committed = fs_err::read_to_string(Path::new(OUT).join("README.md")).expect(RENEW);
        assert!(
            page == committed,
            "docs/tune/README.md is stale: `cargo run -p xtask -- study page docs/tune` renews it"
        );
    }
}
