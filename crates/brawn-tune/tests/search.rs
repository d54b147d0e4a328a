//! The whole search on figures out of a table, with a clock of its own: the same every time, in no time.

use std::collections::BTreeMap;
use std::time::Duration;

use brawn_base::Diagnostic as _;
use brawn_measure::Sample;
use brawn_tune::candidate::Candidate;
use brawn_tune::failure::Failure;
use brawn_tune::race::{Role, Standing};
use brawn_tune::setting::{STRINGS, Setting};
use brawn_tune::state::State;
use brawn_tune::tune::{Plan, Search, Step, TWIN};
use brawn_tune::verdict::{Advice, Decision};
use brawn_tune::{Error, Goal, Stage};

const MIB: u64 = 1 << 20;

/// What a candidate of the table is like.
#[derive(Clone, Copy)]
struct Nature {
    seconds: f64,
    peak: u64,
}

/// Neighbours on the same machine: whatever runs takes between 1 and 1.6 times as long, which changes slowly, so that runs
/// next to one another are alike and distant ones are not.
struct Drift {
    random: fastrand::Rng,
    /// The factor so far, and when it was that.
    from: (Duration, f64),
    /// Where it is going.
    to: (Duration, f64),
}

impl Drift {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let first = (Duration::ZERO, 1.0 + 0.6 * random.f64());
        Self { random, from: first, to: first }
    }

    fn factor(&mut self, at: Duration) -> f64 {
        while at >= self.to.0 {
            self.from = self.to;
            // Half of the time they rest, and then the machine is as quick as it can be.
            let next = if self.random.bool() { 1.0 } else { 1.0 + 0.6 * self.random.f64() };
            self.to = (self.to.0 + Duration::from_secs_f64(4.0 + 20.0 * self.random.f64()), next);
        }
        let (from, to) = (self.from, self.to);
        let way = (at.saturating_sub(from.0)).as_secs_f64() / (to.0 - from.0).as_secs_f64();
        from.1 + (to.1 - from.1) * way
    }
}

/// Neighbours on the other halves of the cores, who come and go: everything takes up to 1.7 times as long, now more and now less.
/// Two runs in a row meet different ones, and nothing tells unless somebody looks at the machine's pace.
struct Neighbour {
    random: fastrand::Rng,
    /// How long everything takes now, and until when.
    factor: f64,
    until: f64,
}

impl Neighbour {
    /// Mean length of a visit, and of the time between them, in seconds.
    const VISIT: f64 = 0.7;

    fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), factor: 1.0, until: 0.0 }
    }

    /// How long everything takes at that moment; time only goes on.
    fn factor(&mut self, at: f64) -> f64 {
        while at >= self.until {
            self.factor = 1.0 + 0.7 * self.random.f64().powi(2);
            self.until += -Self::VISIT * (1.0 - self.random.f64()).ln();
        }
        self.factor
    }

    /// How long a piece of work takes that begins at that moment.
    fn take(&mut self, start: f64, mut work: f64) -> f64 {
        let mut at = start;
        loop {
            let factor = self.factor(at);
            if at + work * factor <= self.until {
                return at + work * factor - start;
            }
            work -= (self.until - at) / factor;
            at = self.until;
        }
    }

    /// What a look at the machine's pace sees: not exactly what is.
    fn pace(&mut self, at: f64) -> f64 {
        self.factor(at) * (1.0 + 0.05 * (self.random.f64() - 0.5))
    }
}

/// A machine that exists in a table only.
struct Table {
    natures: BTreeMap<String, Nature>,
    /// What a candidate without a row is like.
    other: Nature,
    /// How much a run may differ from the nature: 0.01 for one percent either way.
    noise: f64,
    /// How slow the machine's neighbours make it, by time; none when they leave it alone.
    drift: Option<Drift>,
    /// Who else is on the machine by the moment; none when no one is.
    neighbour: Option<Neighbour>,
    /// Whether somebody looks at the machine's pace.
    looks: bool,
    limit: Option<u64>,
    failing: BTreeMap<String, Failure>,
    random: fastrand::Rng,
    clock: Duration,
    runs: BTreeMap<String, usize>,
    /// Runs after which the user interrupts.
    patience: usize,
}

impl Table {
    fn new(rows: &[(&str, f64, u64)]) -> Self {
        let nature = |&(name, seconds, mebibytes): &(&str, f64, u64)| {
            (name.to_owned(), Nature { seconds, peak: mebibytes * MIB })
        };
        Self {
            natures: rows.iter().map(nature).collect(),
            other: Nature { seconds: 1.5, peak: 20 * MIB },
            noise: 0.01,
            drift: None,
            neighbour: None,
            looks: true,
            limit: None,
            failing: BTreeMap::new(),
            random: fastrand::Rng::with_seed(1),
            clock: Duration::ZERO,
            runs: BTreeMap::new(),
            patience: usize::MAX,
        }
    }

    fn nature(&self, candidate: &Candidate) -> Nature {
        self.natures.get(&candidate.name).copied().unwrap_or(self.other)
    }
}

impl Stage for Table {
    fn run(&mut self, candidate: &Candidate, _workload: usize) -> Result<Result<Sample, Failure>, Error> {
        if self.patience == 0 {
            return Err(Error::Interrupted);
        }
        self.patience -= 1;
        *self.runs.entry(candidate.name.clone()).or_default() += 1;
        let nature = self.nature(candidate);
        // Mostly a little, now and then a lot, as on a shared machine.
        let burst = if self.random.u8(..) < 8 { 1.5 } else { 1.0 };
        let drift = self.drift.as_mut().map_or(1.0, |drift| drift.factor(self.clock));
        let seconds = nature.seconds * (1.0 + self.noise * (2.0 * self.random.f64() - 1.0)) * burst * drift;
        let start = self.clock.as_secs_f64();
        let mut pace_seconds = None;
        let seconds = match &mut self.neighbour {
            None => seconds,
            Some(neighbour) => {
                let before = neighbour.pace(start);
                let took = neighbour.take(start, seconds);
                let after = neighbour.pace(start + took);
                pace_seconds = self.looks.then(|| (before * after).sqrt());
                took
            }
        };
        self.clock += Duration::from_secs_f64(seconds);
        if let Some(failure) = self.failing.get(&candidate.name) {
            return Ok(Err(failure.clone()));
        }
        if let Some(limit) = self.limit.filter(|limit| nature.peak > *limit) {
            return Ok(Err(Failure::OverLimit { limit, peak: None }));
        }
        Ok(Ok(Sample {
            wall_seconds: seconds,
            peak_bytes: Some(nature.peak),
            pace_seconds,
            ..Sample::default()
        }))
    }

    fn peak_without_limit(&mut self, candidate: &Candidate) -> Result<Option<u64>, Error> {
        Ok(Some(self.nature(candidate).peak))
    }

    /// Links whatever is asked for.
    fn link(&mut self, candidate: &mut Candidate) -> Result<Result<(), Failure>, Error> {
        candidate.program = Some("/nowhere".into());
        Ok(Ok(()))
    }

    fn elapsed(&self) -> Duration {
        self.clock
    }
}

fn plan(goal: Goal) -> Plan {
    Plan {
        goal,
        budget: Duration::from_secs(240),
        precision: 0.01,
        workloads: 1,
        knobs: true,
        exhaustive: false,
        asked: Vec::new(),
    }
}

/// A state with every allocator of the kit, what is used now first.
fn state(seed: u64) -> State {
    let now = Setting::presets().remove(0);
    let mut state = State::new(Vec::new(), "/".into(), seed);
    for (index, setting) in brawn_tune::space::settings(&now).into_iter().enumerate() {
        let role = if index == 0 { Role::Now } else { Role::Candidate };
        state.candidates.push(Candidate::linked(role, setting));
    }
    state.candidates.push(Candidate::executable("glibc", Role::Reference, "/nowhere"));
    state
}

fn search(table: &mut Table, plan: &Plan, state: &mut State) -> Result<Decision, Error> {
    Search::new(plan, table, state).run(&mut |_| Ok(()))
}

fn now() -> String {
    Setting::presets()[0].name()
}

/// Allocators that no preset stands for, so that their names stay what they are whatever the presets are made of.
fn rivals() -> [String; 2] {
    let settings = brawn_tune::space::settings(&Setting::presets()[0]);
    let plain = settings.iter().filter(|setting| setting.preset.is_none() && setting.malloc != "stock");
    let names: Vec<String> = plain.map(Setting::name).take(2).collect();
    names.try_into().expect("the kit has more allocators than presets need")
}

#[test]
fn the_best_is_found_and_the_bad_run_seldom() {
    let [rival, _] = rivals();
    let rows =
        [(now(), 1.0, 20), (rival.clone(), 0.8, 20), ("stock".into(), 4.0, 2), ("glibc".into(), 0.9, 10)];
    let rows: Vec<_> = rows.iter().map(|(name, seconds, size)| (name.as_str(), *seconds, *size)).collect();
    // Bursts meet some of these, and none of them may be the reason for no answer or for another one.
    for seed in 0..40 {
        let mut table = Table::new(&rows);
        table.random = fastrand::Rng::with_seed(seed);
        let mut state = state(seed);
        let decision = search(&mut table, &plan(Goal::Time), &mut state).unwrap();
        assert_eq!(
            (decision.advice, decision.pick.as_str()),
            (Advice::Change, rival.as_str()),
            "seed {seed}"
        );
        let gain = decision.gain.unwrap();
        assert!(gain.low < 0.81 && gain.high > 0.79, "seed {seed}: {gain:?}");
        // Once to warm up, twice in the race, and as a reference three times at the end after warming up.
        assert!(table.runs["stock"] <= 8, "seed {seed}: {:?}", table.runs);
        assert!(table.runs[&now()] > 10);
        assert!(table.clock < Duration::from_secs(240 + 10), "seed {seed}: {:?}", table.clock);
        let names: Vec<&str> = state.rounds.iter().map(|round| round.name.as_str()).collect();
        assert_eq!(names, ["allocators", "knobs", "final"]);
        let last = state.rounds.last().unwrap();
        for name in [now().as_str(), TWIN, &rival, "stock", "glibc"] {
            assert!(last.lane(name).is_some_and(|lane| lane.blocks() > 0), "seed {seed}: {name}");
        }
    }
}

#[test]
fn a_program_that_hardly_allocates_keeps_what_it_has() {
    for seed in 0..20 {
        let mut table = Table::new(&[(&now(), 1.0, 3)]);
        table.other = Nature { seconds: 1.0, peak: 3 * MIB };
        table.random = fastrand::Rng::with_seed(seed);
        let mut state = state(seed);
        let decision = search(&mut table, &plan(Goal::Time), &mut state).unwrap();
        assert_eq!((decision.advice, decision.pick), (Advice::Keep, now()), "seed {seed}");
        assert!(state.rounds.iter().all(|round| round.name != "knobs"), "nothing is to be got by knobs");
    }
}

#[test]
fn knobs_that_help_are_found() {
    // Without the kit's string functions this program is faster, for some reason.
    let faster = Setting::presets()[0].with_knob(STRINGS, "no").name();
    let mut table = Table::new(&[(&now(), 1.0, 20), (&faster, 0.7, 20)]);
    let decision = search(&mut table, &plan(Goal::Time), &mut state(3)).unwrap();
    assert_eq!((decision.advice, decision.pick), (Advice::Change, faster));
}

#[test]
fn under_a_limit_the_one_that_stays_alive_is_taken() {
    let [rival, other] = rivals();
    let mut table = Table::new(&[(&now(), 1.0, 500), (&other, 1.2, 60), ("stock", 3.0, 50)]);
    table.other = Nature { seconds: 0.9, peak: 450 * MIB };
    table.limit = Some(384 * MIB);
    let mut state = state(5);
    let decision = search(&mut table, &plan(Goal::Balanced), &mut state).unwrap();
    assert_eq!((decision.advice, decision.pick.as_str()), (Advice::ChangeForFailure, other.as_str()));
    let killed = state.rounds[0].lane(&rival).unwrap();
    assert!(matches!(killed.standing, Standing::Failed(Failure::OverLimit { .. })));
    assert_eq!(killed.blocks(), 0, "what would be killed is not averaged");
}

#[test]
fn an_impossible_limit_names_the_smallest() {
    let mut table = Table::new(&[(&now(), 1.0, 50), ("stock", 3.0, 7)]);
    table.limit = Some(4 * MIB);
    let error = search(&mut table, &plan(Goal::Time), &mut state(5)).unwrap_err();
    assert_eq!(error.to_string(), "no candidate stays within 4.00 MiB");
    assert_eq!(
        error.hint().unwrap(),
        "without a limit `stock` takes the least: 7.00 MiB; raise --limit beyond that"
    );
}

#[test]
fn a_program_that_fails_or_hangs_everywhere_is_told_apart() {
    let everywhere = |failure: Failure| {
        let mut table = Table::new(&[]);
        let state = state(5);
        table.failing = state.candidates.iter().map(|one| (one.name.clone(), failure.clone())).collect();
        search(&mut table, &plan(Goal::Time), &mut { state }).unwrap_err()
    };
    let error = everywhere(Failure::Ended("ended with status 3, expected status 0".into()));
    assert!(matches!(&error, Error::AllFail { name, .. } if *name == now()), "{error}");
    assert!(matches!(everywhere(Failure::TimedOut(2.0)), Error::AllHang { seconds: 2.0 }));
    assert!(matches!(everywhere(Failure::TooSlow(600.0)), Error::AllHang { .. }));
}

#[test]
fn three_that_hang_are_enough_and_two_are_not() {
    let waits = [Failure::TimedOut(600.0), Failure::Service("was not ready within 30s".into())];
    for failure in waits {
        let mut table = Table::new(&[]);
        let mut all = state(5);
        table.failing = all.candidates.iter().map(|one| (one.name.clone(), failure.clone())).collect();
        let error = search(&mut table, &plan(Goal::Time), &mut all).unwrap_err();
        assert!(error.to_string().contains("candidate that was tried"), "{error}");
        assert_eq!(table.runs.values().sum::<usize>(), 3, "each takes the longest time there is");

        let mut table = Table::new(&[]);
        let mut all = state(5);
        let first = all.candidates.iter().take(2);
        table.failing = first.map(|one| (one.name.clone(), failure.clone())).collect();
        let decision = search(&mut table, &plan(Goal::Time), &mut all).unwrap();
        assert_eq!(decision.advice, Advice::ChangeForFailure);
    }
}

#[test]
fn one_that_fails_is_left_out_and_the_others_go_on() {
    let [rival, other] = rivals();
    let mut table = Table::new(&[(&now(), 1.0, 20), (&rival, 0.5, 20), (&other, 0.8, 20)]);
    table.failing.insert(rival.clone(), Failure::Output("prints something else".into()));
    let decision = search(&mut table, &plan(Goal::Time), &mut state(5)).unwrap();
    assert_eq!(decision.pick, other);
}

#[test]
fn a_figure_that_the_goal_needs_and_nobody_has_is_an_error() {
    let error = search(&mut Table::new(&[]), &plan(Goal::Latency), &mut state(5)).unwrap_err();
    assert!(error.to_string().contains("99th percentile"), "{error}");
}

#[test]
fn too_noisy_a_machine_says_so() {
    let mut table = Table::new(&[(&now(), 1.0, 3)]);
    table.other = Nature { seconds: 1.0, peak: 3 * MIB };
    table.noise = 0.9;
    let error = search(&mut table, &plan(Goal::Time), &mut state(5)).unwrap_err();
    assert!(matches!(error, Error::TooNoisy { resolution } if resolution > 0.2), "{error}");
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let [rival, _] = rivals();
    let rows: &[(&str, f64, u64)] = &[(&rival, 0.8, 20), ("stock", 4.0, 2)];
    let whole = {
        let mut state = state(7);
        search(&mut Table::new(rows), &plan(Goal::Time), &mut state).unwrap().pick
    };
    let folder = tempfile::tempdir().unwrap();
    let mut table = Table::new(rows);
    let mut state = state(7);
    state.save(folder.path()).unwrap();
    let mut interruptions = 0;
    let decision = loop {
        table.patience = 17;
        table.clock = Duration::ZERO;
        // Only what is in the file goes on.
        let mut read = State::load(folder.path()).unwrap();
        let blocks = |state: &State| state.rounds.iter().map(|round| round.blocks).sum::<usize>();
        let before = blocks(&read);
        let saved = Search::new(&plan(Goal::Time), &mut table, &mut read).run(&mut |step| match step {
            Step::Block(state) => state.save(folder.path()),
            _ => Ok(()),
        });
        match saved {
            Ok(decision) => break decision,
            Err(Error::Interrupted) => interruptions += 1,
            Err(error) => panic!("{error}"),
        }
        state = State::load(folder.path()).unwrap();
        let warm = state.rounds.last().is_some_and(|round| round.warm && round.blocks == 0);
        assert!(blocks(&state) > before || warm, "every piece brings it on");
        for round in &state.rounds {
            for lane in round.lanes.iter().filter(|lane| lane.is_in()) {
                assert_eq!(lane.blocks(), round.blocks, "no half block is kept: {}", lane.name);
            }
        }
        assert!(interruptions < 100);
    };
    assert!(interruptions > 3);
    assert_eq!(decision.pick, whole);
}

#[test]
fn independent_runs_agree_and_the_choice_is_near_the_best() {
    let [rival, other] = rivals();
    let rows: &[(&str, f64, u64)] =
        &[(&rival, 0.80, 22), (&other, 0.806, 9), ("stock", 2.0, 5), ("glibc", 0.7, 10)];
    let mut picks = Vec::new();
    for seed in 0..40 {
        let mut table = Table::new(rows);
        table.natures.insert(now(), Nature { seconds: 1.0, peak: 20 * MIB });
        table.noise = 0.03;
        table.random = fastrand::Rng::with_seed(seed);
        let decision = search(&mut table, &plan(Goal::Time), &mut state(seed)).unwrap();
        let chosen = table.natures[&decision.pick].seconds;
        assert!(chosen <= 0.80 * 1.03, "seed {seed}: {}", decision.pick);
        picks.push(decision.pick);
    }
    picks.dedup();
    // One percent apart is alike, and of those that are alike the frugal one is taken.
    assert_eq!(picks, [other]);
}

#[test]
fn an_exhaustive_run_lets_nobody_leave_and_finds_nothing_much_better() {
    let [rival, other] = rivals();
    let rows: &[(&str, f64, u64)] = &[(&rival, 0.80, 22), (&other, 0.9, 9), ("stock", 1.6, 5)];
    let run = |exhaustive: bool| {
        let mut table = Table::new(rows);
        let mut state = state(11);
        let plan = Plan { exhaustive, ..plan(Goal::Time) };
        (search(&mut table, &plan, &mut state).unwrap().pick, table.runs["stock"])
    };
    let (raced, all) = (run(false), run(true));
    assert_eq!(raced.0, all.0);
    assert!(all.1 > raced.1, "{raced:?} {all:?}");
}

/// A machine as slow as its neighbours want it to be, on which a run takes a quarter of a second, for a minute and a half.
fn drifting(rows: &[(&str, f64, u64)], seed: u64) -> (Table, Plan) {
    let mut table = Table::new(rows);
    table.other = Nature { seconds: 0.3, peak: 20 * MIB };
    table.noise = 0.03;
    table.random = fastrand::Rng::with_seed(seed);
    table.drift = Some(Drift::new(!seed));
    (table, Plan { budget: Duration::from_secs(90), ..plan(Goal::Time) })
}

#[test]
fn on_a_drifting_machine_all_runs_and_the_exhaustive_ones_agree() {
    let [rival, other] = rivals();
    let rows: &[(&str, f64, u64)] =
        &[(&now(), 0.25, 20), (&rival, 0.2, 20), (&other, 0.21, 12), ("stock", 1.2, 5), ("glibc", 0.26, 10)];
    for seed in 0..40 {
        let (mut table, plan) = drifting(rows, seed);
        let exhaustive = seed % 4 == 0;
        let plan = Plan { exhaustive, budget: plan.budget * if exhaustive { 2 } else { 1 }, ..plan };
        let mut state = state(seed);
        let decision = search(&mut table, &plan, &mut state).unwrap();
        assert_eq!(
            (decision.advice, decision.pick.as_str()),
            (Advice::Change, rival.as_str()),
            "seed {seed}"
        );
        let gain = decision.gain.unwrap();
        assert!((0.77..0.83).contains(&gain.median), "seed {seed}: {gain:?}");
        assert!(decision.resolution < 0.05, "seed {seed}: {}", decision.resolution);
        let last = state.rounds.last().unwrap();
        assert_eq!(last.lanes[last.leader(Goal::Time).unwrap()].name, rival, "seed {seed}");
    }
}

/// On a machine that some noise visits, every program that is the same keeps what it has.
fn nothing_differs(machine: impl Fn(u64) -> (Table, Plan)) {
    for seed in 0..40 {
        let (mut table, plan) = machine(seed);
        table.other = Nature { seconds: 0.25, peak: 3 * MIB };
        let decision = search(&mut table, &plan, &mut state(seed)).unwrap();
        assert_eq!((decision.advice, decision.pick), (Advice::Keep, now()), "seed {seed}");
    }
}

#[test]
fn a_drift_is_no_difference() {
    nothing_differs(|seed| drifting(&[], seed));
}

/// A machine on which neighbours come and go, for a minute and a half.
fn visited(rows: &[(&str, f64, u64)], seed: u64, looks: bool) -> (Table, Plan) {
    let (mut table, plan) = drifting(rows, seed);
    table.drift = None;
    table.neighbour = Some(Neighbour::new(!seed));
    table.looks = looks;
    // So narrow that no one ends early, and the same time tells how well it was used.
    (table, Plan { precision: 0.0005, ..plan })
}

#[test]
fn with_a_neighbour_that_comes_and_goes_all_runs_agree() {
    let [rival, other] = rivals();
    let rows: &[(&str, f64, u64)] =
        &[(&now(), 0.25, 20), (&rival, 0.2, 20), (&other, 0.216, 18), ("stock", 1.2, 5), ("glibc", 0.26, 10)];
    let (mut known, mut blind) = (0.0, 0.0);
    for seed in 0..40 {
        // To compare with, a quarter of them will do.
        let both = if seed % 4 == 0 { &[true, false][..] } else { &[true] };
        for &looks in both {
            let (mut table, plan) = visited(rows, seed, looks);
            let decision = search(&mut table, &plan, &mut state(seed));
            match (looks, decision) {
                (true, decision) => {
                    let decision = decision.unwrap();
                    assert_eq!(
                        (decision.advice, decision.pick.as_str()),
                        (Advice::Change, rival.as_str()),
                        "seed {seed}"
                    );
                    let gain = decision.gain.unwrap();
                    assert!((0.76..0.84).contains(&gain.median), "seed {seed}: {gain:?}");
                    known += if both.len() > 1 { decision.resolution } else { 0.0 };
                }
                (false, Ok(decision)) => blind += decision.resolution,
                (false, Err(error)) => assert!(matches!(error, Error::TooNoisy { .. }), "{error}"),
            }
        }
    }
    assert!(known < 0.8 * blind, "looking at the pace tells smaller differences: {known} {blind}");
}

#[test]
fn a_neighbour_is_no_difference() {
    nothing_differs(|seed| visited(&[], seed, true));
}

/// Whatever a run takes, the search ends within the budget, as long as thirty runs do.
#[test]
fn the_budget_is_kept() {
    let [rival, other] = rivals();
    for (budget, seconds) in [(45, 0.02), (45, 0.3), (45, 0.8), (45, 1.2), (60, 1.7), (240, 1.5), (240, 6.0)]
    {
        let rows: &[(&str, f64, u64)] = &[
            (&now(), seconds, 20),
            (&rival, 0.7 * seconds, 20),
            (&other, 0.9 * seconds, 12),
            ("stock", 1.2 * seconds, 5),
        ];
        let mut table = Table::new(rows);
        table.other = Nature { seconds, peak: 20 * MIB };
        let plan = Plan { budget: Duration::from_secs(budget), precision: 0.0001, ..plan(Goal::Time) };
        let decision = search(&mut table, &plan, &mut state(5)).unwrap();
        assert_eq!(
            (decision.advice, decision.pick.as_str()),
            (Advice::Change, rival.as_str()),
            "{seconds} s"
        );
        let spent = table.clock.as_secs_f64() / budget as f64;
        // What is used of a long budget is decided by what is known already.
        assert!((0.1..=1.0).contains(&spent), "runs of {seconds} s: {spent} of {budget} s");
    }
}
