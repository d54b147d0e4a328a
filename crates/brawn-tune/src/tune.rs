//! The whole search: allocators first, then the knobs of the best, then the best against what is used now.

mod rounds;

use std::time::Duration;

use brawn_measure::Sample;

use crate::Error;
use crate::candidate::Candidate;
use crate::failure::Failure;
use crate::goal::Goal;
use crate::race::{ENOUGH, Lane, Role, Round, SURE, Standing};
use crate::setting::Setting;
use crate::state::State;
use crate::verdict::{self, Advice, Decision};

/// How a search is done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is asked for.
    pub goal: Goal,
    /// Time for all measuring.
    pub budget: Duration,
    /// Relative half-width of a ratio's interval that is narrow enough.
    pub precision: f64,
    /// How many workloads there are.
    pub workloads: usize,
    /// Whether knobs are searched.
    pub knobs: bool,
    /// Whether everyone that may win runs to the end of each round, however bad: to check what the race would have
    /// missed.
    pub exhaustive: bool,
    /// Names of candidates that come into the last round whatever they cost, unless they fail.
    pub asked: Vec<String>,
}

/// Where candidates run. A program on this machine, or in tests figures out of a table.
pub trait Stage {
    /// Runs a candidate once.
    ///
    /// # Errors
    /// What is no candidate's fault: it ends the search.
    fn run(&mut self, candidate: &Candidate, workload: usize) -> Result<Result<Sample, Failure>, Error>;

    /// The peak of a candidate without the memory limit; none when it fails for another reason.
    ///
    /// # Errors
    /// As [`Stage::run`].
    fn peak_without_limit(&mut self, candidate: &Candidate) -> Result<Option<u64>, Error>;

    /// Makes the executable of a candidate that has none yet.
    ///
    /// # Errors
    /// What is no candidate's fault: inputs that are gone.
    fn link(&mut self, candidate: &mut Candidate) -> Result<Result<(), Failure>, Error>;

    /// Time since the stage was made.
    fn elapsed(&self) -> Duration;
}

/// What happens, for the code that shows it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// A round begins, or is gone on with.
    Round(&'a Round),
    /// A candidate is about to run, in this block of this round, from 0; none while warming up.
    Run(&'a Round, &'a str, Option<usize>),
    /// A block is over: the state is worth saving.
    Block(&'a State),
    /// A candidate is out.
    Left(&'a Lane),
}

/// What is told of each step. An error ends the search.
pub type On<'a> = dyn FnMut(Step<'_>) -> Result<(), Error> + 'a;

/// Most blocks of a round.
const MOST: usize = 120;
/// Fewest blocks, where the budget leaves the last round its own: enough to see who is far behind.
const FEWEST: usize = 3;
/// Fewest of the last round, from which the answer comes, whatever the budget says.
const FEWEST_FINAL: usize = ENOUGH;
/// Fewest lanes of the last round: what is used now twice, and the best of the others.
const FEWEST_LANES: usize = 3;
/// What is kept for the runs that explain the answer: so many runs, but no more than this part of the budget.
const EXPLAINING: (f64, f64) = (14.0, 0.15);
/// Until which share of the budget each round may go on. The last one gets the most: it distinguishes what is close, the
/// others only what is not.
const SHARES: [f64; 3] = [0.34, 0.54, 1.0];
/// The same when no one leaves early: every block of the first rounds is dear then, and the last one tells which is best.
const SHARES_OF_ALL: [f64; 3] = [0.25, 0.40, 1.0];
/// A block for warming up that takes more than this share of the round's time counts as the first.
const WARMING: f64 = 0.15;
/// When so many have waited for nothing and none has ended well, the others are not tried: each would take the longest time that
/// there is.
const IN_VAIN: usize = 3;
/// Most candidates in the last round, beside what is used now and the references.
const FINALISTS: usize = 4;
/// The name of the last round.
const FINAL: &str = "final";
/// The name of what is used now, run a second time.
pub const TWIN: &str = "now, again";

/// A search under way.
pub struct Search<'a, S> {
    plan: &'a Plan,
    stage: &'a mut S,
    state: &'a mut State,
    /// Seconds that were spent before this process.
    before: f64,
    /// How much longer than its runs a block takes: setup, checks, looks at the machine's pace.
    overhead: f64,
}

impl<'a, S: Stage> Search<'a, S> {
    /// A search that begins, or goes on, with what is in the state. Its candidates are there, what is used now first.
    pub fn new(plan: &'a Plan, stage: &'a mut S, state: &'a mut State) -> Self {
        let before = state.seconds;
        Self { plan, stage, state, before, overhead: 1.0 }
    }

    /// Searches to the end.
    ///
    /// # Errors
    /// Those of `on`, and everything that leaves no answer; the state holds what was measured.
    pub fn run(&mut self, on: &mut On<'_>) -> Result<Decision, Error> {
        if self.state.rounds.is_empty() {
            let lanes = self.state.candidates.iter().map(|candidate| self.lane(candidate)).collect();
            self.state.rounds.push(Round::new("allocators", lanes));
        }
        let shares = if self.plan.exhaustive { SHARES_OF_ALL } else { SHARES };
        let shares = if self.plan.knobs { shares } else { [shares[1], shares[1], 1.0] };
        self.round(0, shares[0], on)?;
        self.anybody_left()?;
        if self.state.rounds.len() == 1 {
            let knobs = self.plan.knobs.then(|| self.knob_round(shares[1] - shares[0]));
            match knobs.flatten() {
                Some(round) => self.state.rounds.push(round),
                None => self.push_final(),
            }
        }
        if self.state.rounds[1].name == "knobs" {
            self.round(1, shares[1], on)?;
            if self.state.rounds.len() == 2 {
                self.push_final();
            }
        }
        let last = self.state.rounds.len() - 1;
        self.round(last, 1.0, on)?;
        // All that were left have failed in the last round.
        let decision = self.decision(last).ok_or_else(|| all_failed(&self.state.rounds[last]))?;
        match decision.advice {
            Advice::Unknown => Err(Error::TooNoisy { resolution: decision.resolution }),
            _ => Ok(decision),
        }
    }

    /// What the blocks of a round say so far.
    fn decision(&self, index: usize) -> Option<Decision> {
        let complexity = |name: &str| {
            let setting = self.state.candidate(name).and_then(|candidate| candidate.setting.as_ref());
            setting.map_or(usize::MAX, Setting::complexity)
        };
        verdict::decide(&self.state.rounds[index].at_one_pace(), self.plan.goal, complexity)
    }

    fn lane(&self, candidate: &Candidate) -> Lane {
        Lane::new(&candidate.name, candidate.role, self.plan.workloads)
    }

    fn spent(&self) -> Duration {
        Duration::from_secs_f64(self.before) + self.stage.elapsed()
    }

    /// Runs a round to its end, or until this share of the budget is spent.
    fn round(&mut self, index: usize, share: f64, on: &mut On<'_>) -> Result<(), Error> {
        if self.state.rounds[index].done {
            return Ok(());
        }
        on(Step::Round(&self.state.rounds[index]))?;
        if !self.state.rounds[index].warm {
            self.warm_up(index, self.plan.budget.mul_f64(share), on)?;
        }
        loop {
            let round = &self.state.rounds[index];
            let blocks = round.blocks;
            let alone = round.lanes.iter().filter(|lane| lane.is_in()).count() < 2;
            let is_final = round.name == FINAL;
            let next = self.block_time(index);
            let end = if is_final { self.end() } else { self.end().saturating_sub(self.least_final()) };
            let until = end.min(self.plan.budget.mul_f64(share));
            let missing = FEWEST.saturating_sub(blocks) as u32;
            let fewest = match is_final {
                // One burst must not be the reason for no answer: it takes some blocks to see that it is one.
                true if self.decision(index).is_some_and(|now| now.advice == Advice::Unknown) => SURE,
                true => FEWEST_FINAL,
                // The answer comes from the last round, so that is whole before this one is.
                false if self.spent() + next * missing > end => 1,
                false => FEWEST,
            };
            let late = blocks >= fewest && self.spent() + next > until;
            // Every candidate that is left comes into the last round anyway, which has more use for the time.
            let chosen = round.name != FINAL && blocks >= ENOUGH && round.rivals() <= FINALISTS;
            if blocks >= MOST
                || chosen
                || late
                || round.at_one_pace().is_settled(self.plan.goal, self.plan.precision)
                || alone && blocks > 0
            {
                self.state.rounds[index].done = true;
                self.note(on)?;
                return Ok(());
            }
            let begun = self.spent();
            let samples = self.block(index, Some(blocks), on)?;
            let ran: f64 = samples.iter().flatten().flatten().map(|sample| sample.wall_seconds).sum();
            if ran > 0.0 {
                self.overhead = ((self.spent() - begun).as_secs_f64() / ran).max(1.0);
            }
            self.take(index, samples);
            self.leave(index, on)?;
            self.note(on)?;
        }
    }

    /// The first block: fills caches, shows who fails, and gives the run limit by what is used now, which runs first.
    fn warm_up(&mut self, index: usize, until: Duration, on: &mut On<'_>) -> Result<(), Error> {
        let begun = self.spent();
        let samples = self.block(index, None, on)?;
        let took = self.spent() - begun;
        self.state.rounds[index].warm = true;
        self.known_figures(&samples)?;
        if took > until.saturating_sub(begun).mul_f64(WARMING) {
            self.take(index, samples);
        }
        self.note(on)
    }

    /// Runs every lane that is in once, in random order, and gives what was measured, by lane. Lanes that fail are
    /// marked.
    fn block(
        &mut self,
        index: usize,
        block: Option<usize>,
        on: &mut On<'_>,
    ) -> Result<Vec<Option<Vec<Sample>>>, Error> {
        let mut order: Vec<usize> = (0..self.state.rounds[index].lanes.len()).collect();
        if let Some(block) = block {
            // The same order whether the run was interrupted or not.
            let seed = self.state.seed ^ ((index as u64) << 32 | block as u64);
            fastrand::Rng::with_seed(seed).shuffle(&mut order);
        }
        let mut samples: Vec<Option<Vec<Sample>>> = vec![None; order.len()];
        for place in order {
            let lane = &self.state.rounds[index].lanes[place];
            if !lane.is_in() {
                continue;
            }
            on(Step::Run(&self.state.rounds[index], &lane.name, block))?;
            let result = self.run_lane(index, place)?;
            match result {
                Ok(each) => samples[place] = Some(each),
                Err(failure) => {
                    let lane = &mut self.state.rounds[index].lanes[place];
                    lane.standing = Standing::Failed(failure);
                    on(Step::Left(lane))?;
                    let round = &self.state.rounds[index];
                    if block.is_none() && samples.iter().all(Option::is_none) && is_in_vain(round) {
                        return Err(all_failed(round));
                    }
                }
            }
        }
        Ok(samples)
    }

    fn run_lane(&mut self, index: usize, place: usize) -> Result<Result<Vec<Sample>, Failure>, Error> {
        let lane = &self.state.rounds[index].lanes[place];
        let name = match lane.role {
            Role::Twin => self.state.now().map_or_else(String::new, |now| now.name.clone()),
            _ => lane.name.clone(),
        };
        let Some(at) = self.state.candidates.iter().position(|candidate| candidate.name == name) else {
            return Ok(Err(Failure::Link("no one knows it".into())));
        };
        if self.state.candidates[at].program.is_none()
            && let Err(failure) = self.stage.link(&mut self.state.candidates[at])?
        {
            return Ok(Err(failure));
        }
        let candidate = &self.state.candidates[at];
        let mut samples = Vec::with_capacity(self.plan.workloads);
        for workload in 0..self.plan.workloads {
            match self.stage.run(candidate, workload)? {
                Ok(sample) => samples.push(sample),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        Ok(Ok(samples))
    }

    /// Takes a whole block into the round: an interrupted one leaves nothing behind.
    fn take(&mut self, index: usize, samples: Vec<Option<Vec<Sample>>>) {
        let round = &mut self.state.rounds[index];
        round.blocks += 1;
        for (lane, each) in round.lanes.iter_mut().zip(samples) {
            for (series, sample) in lane.samples.iter_mut().zip(each.into_iter().flatten()) {
                series.push(sample);
            }
        }
    }

    fn leave(&mut self, index: usize, on: &mut On<'_>) -> Result<(), Error> {
        let exhaustive = self.plan.exhaustive;
        let before: Vec<bool> = self.state.rounds[index].lanes.iter().map(Lane::is_in).collect();
        let mut even = self.state.rounds[index].at_one_pace();
        even.eliminate(self.plan.goal, |role| !exhaustive || role == Role::Reference);
        for (lane, judged) in self.state.rounds[index].lanes.iter_mut().zip(even.lanes) {
            lane.standing = judged.standing;
        }
        for (lane, was_in) in self.state.rounds[index].lanes.iter().zip(before) {
            if was_in && !lane.is_in() {
                on(Step::Left(lane))?;
            }
        }
        Ok(())
    }

    fn note(&mut self, on: &mut On<'_>) -> Result<(), Error> {
        self.state.seconds = self.spent().as_secs_f64();
        on(Step::Block(self.state))
    }

    /// How long the next block will probably take.
    fn block_time(&self, index: usize) -> Duration {
        let lanes = self.state.rounds[index].lanes.iter().filter(|lane| lane.is_in());
        let runs: f64 = lanes.map(Lane::last_seconds).sum();
        Duration::from_secs_f64(runs * self.overhead)
    }

    /// How long what is used now takes once, with what is around its runs; nothing when it has not run.
    fn run_time(&self) -> Duration {
        Duration::from_secs_f64(self.state.run_seconds() * self.overhead)
    }

    /// When the search shall have ended, so that the budget holds the runs that explain its answer as well.
    fn end(&self) -> Duration {
        let (runs, part) = EXPLAINING;
        self.plan.budget - self.run_time().mul_f64(runs).min(self.plan.budget.mul_f64(part))
    }

    /// The least that the last round takes.
    fn least_final(&self) -> Duration {
        self.run_time() * (FEWEST_FINAL * FEWEST_LANES) as u32
    }

    /// Whether the figures that the goal needs are there at all.
    fn known_figures(&self, samples: &[Option<Vec<Sample>>]) -> Result<(), Error> {
        let Some(sample) = samples.iter().flatten().flatten().next() else { return Ok(()) };
        if self.plan.goal.cost(sample).is_some() {
            return Ok(());
        }
        let goal = self.plan.goal.name();
        Err(match self.plan.goal {
            Goal::Latency => Error::NoFigure {
                goal,
                what: "the latency in the 99th percentile",
                why: "the load does not tell (the built-in one does, and `wrk --latency`)",
            },
            _ => Error::NoFigure { goal, what: "peak memory", why: "this machine refuses to tell" },
        })
    }

    /// An error of its own for each way in which no one is left.
    fn anybody_left(&mut self) -> Result<(), Error> {
        let round = &self.state.rounds[0];
        if round.lanes.iter().any(|lane| lane.role.may_win() && lane.failure().is_none()) {
            return Ok(());
        }
        let error = all_failed(round);
        let Error::ImpossibleLimit { limit, .. } = error else { return Err(error) };
        let mut smallest: Option<(String, u64)> = None;
        for index in 0..self.state.candidates.len() {
            let candidate = &self.state.candidates[index];
            if !candidate.role.may_win() || candidate.program.is_none() {
                continue;
            }
            let peak = self.stage.peak_without_limit(candidate)?;
            if let Some(peak) = peak.filter(|peak| smallest.as_ref().is_none_or(|(_, least)| peak < least)) {
                smallest = Some((candidate.name.clone(), peak));
            }
        }
        Err(Error::ImpossibleLimit { limit, smallest })
    }
}

/// Whether all that have failed so far hung, or never got ready, and are enough to say that it is not for the heap.
fn is_in_vain(round: &Round) -> bool {
    let failures: Vec<&Failure> = round.lanes.iter().filter_map(Lane::failure).collect();
    failures.len() >= IN_VAIN && failures.iter().all(|failure| failure.is_wait())
}

/// Why no one that may win is left.
fn all_failed(round: &Round) -> Error {
    let failures: Vec<(&str, &Failure)> = round
        .lanes
        .iter()
        .filter(|lane| lane.role.may_win())
        .filter_map(|lane| Some((lane.name.as_str(), lane.failure()?)))
        .collect();
    // Where some are wrong and others too large, the size is what the user asked about.
    if let Some((_, Failure::OverLimit { limit, .. })) =
        failures.iter().find(|(_, failure)| matches!(failure, Failure::OverLimit { .. }))
    {
        return Error::ImpossibleLimit { limit: *limit, smallest: None };
    }
    if let Some((_, Failure::TimedOut(seconds) | Failure::TooSlow(seconds))) = failures.first() {
        return Error::AllHang { seconds: *seconds };
    }
    match failures.iter().find(|(_, failure)| failure.is_wrong()).or(failures.first()) {
        Some((name, failure)) => Error::AllFail { name: (*name).to_owned(), reason: failure.to_string() },
        None => Error::NoExecutable,
    }
}
