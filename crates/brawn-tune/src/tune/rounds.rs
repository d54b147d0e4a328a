//! Who is in the second round, and who in the last.

use super::{FEWEST_FINAL, FEWEST_LANES, FINAL, FINALISTS, Search, Stage, TWIN};
use crate::candidate::Candidate;
use crate::front;
use crate::race::{Lane, Role, Round, ratio};
use crate::setting::Setting;
use crate::space;

/// Most neighbours of the best setting that are tried.
const NEIGHBOURS: usize = 12;
/// The same when no one leaves early: what the race would have missed must be among them.
const FINALISTS_OF_ALL: usize = 6;
/// Lanes whose cost lies this close to the best one's come into the last round, as do those that are not certainly worse.
const CLOSE: f64 = 1.05;
/// When every allocator costs the same to this, nothing is to be got by its knobs.
const MATTERS: f64 = 0.02;

impl<S: Stage> Search<'_, S> {
    /// The neighbours of the best allocators, as many as there is time for; none when there is nothing to be got.
    pub(super) fn knob_round(&mut self, share: f64) -> Option<Round> {
        let round = self.state.rounds[0].at_one_pace();
        let base = &round.lanes[front::base(&round)?];
        let leaders = self.ranked(&[0]);
        let failed = round.lanes.iter().any(|lane| lane.failure().is_some());
        if !failed && leaders.iter().all(|(_, cost)| (cost - 1.0).abs() < MATTERS) {
            return None;
        }
        let seconds = base.last_seconds();
        // A link takes about a second, and four blocks tell something.
        let left = self.end().saturating_sub(self.spent() + self.least_final());
        let time = self.plan.budget.mul_f64(share).min(left);
        let fits = time.as_secs_f64() / (4.0 * seconds * self.overhead + 1.0);
        let most = (fits as usize).saturating_sub(2).min(NEIGHBOURS);
        let mut candidates: Vec<Candidate> = Vec::new();
        // The best allocator gets two thirds of the places, the next one the rest.
        let mut allocators: Vec<Setting> = Vec::new();
        for (name, cost) in &leaders {
            let setting = self.state.candidate(name).and_then(|candidate| candidate.setting.clone());
            let close = leaders.first().is_some_and(|(_, best)| *cost <= best * 1.25);
            if let Some(setting) = setting.filter(|_| close)
                && !allocators.iter().any(|one| one.malloc == setting.malloc)
                && allocators.len() < 2
            {
                allocators.push(setting);
            }
        }
        for (place, setting) in allocators.iter().enumerate() {
            let alone = allocators.len() == 1;
            let room = if place == 0 && !alone { (2 * most).div_ceil(3) } else { most - candidates.len() };
            candidates.extend(
                space::neighbours(setting, room)
                    .into_iter()
                    .filter(|other| !self.state.has(other))
                    .map(|other| Candidate::linked(Role::Candidate, other)),
            );
        }
        if candidates.is_empty() {
            return None;
        }
        let mut lanes = self.now_lane();
        for (name, _) in leaders.iter().take(1) {
            lanes.extend(self.again(name));
        }
        lanes.extend(candidates.iter().map(|candidate| self.lane(candidate)));
        self.state.candidates.extend(candidates);
        Some(Round::new("knobs", lanes))
    }

    /// The lane of what is used now, for another round.
    fn now_lane(&self) -> Vec<Lane> {
        let now = self.state.rounds[0].of(Role::Now);
        let usable = now.filter(|now| now.failure().is_none());
        usable.map(|now| Lane::new(&now.name, Role::Now, self.plan.workloads)).into_iter().collect()
    }

    /// A candidate's lane for another round, unless it is what is used now.
    fn again(&self, name: &str) -> Option<Lane> {
        let candidate = self.state.candidate(name).filter(|candidate| candidate.role != Role::Now)?;
        Some(self.lane(candidate))
    }

    /// Who may win and did not fail, by cost beside what is used now, the best first.
    fn ranked(&self, rounds: &[usize]) -> Vec<(String, f64)> {
        let mut ranked: Vec<(String, f64)> = Vec::new();
        for &index in rounds.iter().rev() {
            let round = self.state.rounds[index].at_one_pace();
            let Some(base) = front::base(&round) else { continue };
            for lane in round.lanes.iter().filter(|lane| lane.role.may_win() && lane.failure().is_none()) {
                let cost = ratio(lane, &round.lanes[base], |sample| self.plan.goal.cost(sample));
                if let Some(cost) = cost.filter(|_| !ranked.iter().any(|(name, _)| *name == lane.name)) {
                    ranked.push((lane.name.clone(), cost.median));
                }
            }
        }
        ranked.sort_by(|(_, left), (_, right)| left.total_cmp(right));
        ranked
    }

    /// Whether no one left the candidate behind in the last round that it ran in.
    fn is_in(&self, name: &str) -> bool {
        let mut lanes = self.state.rounds.iter().rev().filter_map(|round| round.lane(name));
        lanes.next().is_some_and(Lane::is_in)
    }

    /// The best of all rounds, what is used now twice, and the references: measured anew, so that no one is in because it
    /// was lucky and is then judged by the same luck.
    pub(super) fn push_final(&mut self) {
        let rounds: Vec<usize> = (0..self.state.rounds.len()).collect();
        let ranked = self.ranked(&rounds);
        let mut lanes = self.now_lane();
        if let Some(combination) = self.combination(&ranked) {
            lanes.push(self.lane(&combination));
            self.state.candidates.push(combination);
        }
        let best = ranked.first().map_or(1.0, |(_, cost)| *cost);
        let fits = self.lanes_that_fit();
        let most = if self.plan.exhaustive { FINALISTS_OF_ALL } else { FINALISTS };
        let most = most.min(fits.saturating_sub(2));
        // What is still in is not certainly worse than the best, however far it seems to be on a noisy machine.
        let close = ranked.iter().filter(|(name, cost)| *cost <= best * CLOSE || self.is_in(name)).take(most);
        lanes.extend(close.filter_map(|(name, _)| self.again(name)));
        for (name, _) in ranked.iter().filter(|(name, _)| self.plan.asked.contains(name)) {
            if !lanes.iter().any(|lane| lane.name == *name) {
                lanes.extend(self.again(name));
            }
        }
        if !lanes.is_empty() && lanes[0].role == Role::Now {
            lanes.push(Lane::new(TWIN, Role::Twin, self.plan.workloads));
        }
        let failed = |name: &str| {
            let mut all = self.state.rounds.iter().flat_map(|round| &round.lanes);
            all.any(|lane| lane.name == name && lane.failure().is_some())
        };
        let stock = |candidate: &&Candidate| candidate.name == "stock";
        let wanted = |candidate: &&Candidate| candidate.role == Role::Reference || stock(candidate);
        for candidate in self.state.candidates.iter().filter(wanted) {
            let known = lanes.iter().any(|lane| lane.name == candidate.name);
            if !known && candidate.role != Role::Now && !failed(&candidate.name) && lanes.len() < fits {
                lanes.push(Lane::new(&candidate.name, Role::Reference, self.plan.workloads));
            }
        }
        self.state.rounds.push(Round::new(FINAL, lanes));
    }

    /// How many lanes the last round can have for the fewest blocks, in the time that is left.
    fn lanes_that_fit(&self) -> usize {
        let lane = self.run_time().as_secs_f64() * FEWEST_FINAL as f64;
        let left = self.end().saturating_sub(self.spent()).as_secs_f64();
        // Nothing is known where what is used now fails: then nothing is left out.
        if lane == 0.0 { usize::MAX } else { ((left / lane) as usize).max(FEWEST_LANES) }
    }

    /// The knobs that were each better by themselves, together.
    fn combination(&self, ranked: &[(String, f64)]) -> Option<Candidate> {
        let knobs = self.state.rounds.iter().find(|round| round.name == "knobs")?;
        let setting = |name: &str| self.state.candidate(name)?.setting.clone();
        let base = ranked.iter().find(|(name, _)| self.state.rounds[0].lane(name).is_some())?;
        let better: Vec<Setting> = ranked
            .iter()
            .filter(|(name, cost)| knobs.lane(name).is_some() && *cost < base.1)
            .filter_map(|(name, _)| setting(name))
            .collect();
        let whole = space::combined(&setting(&base.0)?, &better).filter(|whole| !self.state.has(whole))?;
        Some(Candidate::linked(Role::Candidate, whole))
    }
}
