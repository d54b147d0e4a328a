//! The race: who is still in, who is out and why. Arithmetic only, so that tests need neither clock nor program.
//!
//! A round runs its lanes in blocks. Each block runs every lane that is still in, so that costs can be compared block by
//! block, under the same conditions. A lane is out as soon as it is certainly worse than the leader (successive
//! elimination, E. Even-Dar, S. Mannor and Y. Mansour, 2006, with the intervals of [`brawn_measure::Summary`] in the
//! place of a bound for bounded rewards). Lanes leave and never come back, so what a lane has is always a prefix of the
//! blocks.

use brawn_measure::{Sample, Summary, statistics};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::goal::Goal;

/// Costs are alike that are not certainly further apart than this: two percent are not worth a change.
pub(crate) const ALIKE: f64 = 0.02;
/// Fewest blocks after which a lane may be out.
const EARLIEST: usize = 3;
/// Blocks from which on the interval of a ratio is trusted as it is.
pub(crate) const ENOUGH: usize = 5;
/// Blocks from which on one run that something disturbed lies outside the interval, on whichever side.
pub(crate) const SURE: usize = 8;
/// How much worse than the leader a lane must certainly be with few blocks, whose interval is no more than their range.
const FEW_MARGIN: f64 = 1.10;
/// The same with enough blocks: what may be alike in the end, and is then taken because it is smaller, must not leave.
const MARGIN: f64 = 1.0 + ALIKE;
/// What is this many times as costly in every one of two blocks needs no third.
const HOPELESS: f64 = 2.0;

/// What a lane is in the race for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What is used now. It may win, and stays in to the end, because the answer is about the difference to it.
    Now,
    /// May win.
    Candidate,
    /// Is there to be compared with, and cannot win.
    Reference,
    /// What is used now a second time: what differs here is noise.
    Twin,
}

impl Role {
    /// Whether the answer may be this lane.
    pub fn may_win(self) -> bool {
        matches!(self, Self::Now | Self::Candidate)
    }
}

/// Whether a lane is still in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It runs in the next block.
    In,
    /// Certainly worse than another.
    Out {
        /// Who led then.
        leader: String,
        /// What it cost beside the leader.
        ratio: f64,
    },
    /// It failed.
    Failed(Failure),
}

/// One candidate in one round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lane {
    /// The candidate's name.
    pub name: String,
    /// What it is here for.
    pub role: Role,
    /// Whether it is still in.
    pub standing: Standing,
    /// Samples by workload and block.
    pub samples: Vec<Vec<Sample>>,
}

impl Lane {
    /// A lane that has not run yet.
    pub fn new(name: impl Into<String>, role: Role, workloads: usize) -> Self {
        Self { name: name.into(), role, standing: Standing::In, samples: vec![Vec::new(); workloads] }
    }

    /// Whether it runs in the next block.
    pub fn is_in(&self) -> bool {
        self.standing == Standing::In
    }

    /// What went wrong with it.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.standing {
            Standing::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Blocks in which it ran every workload.
    pub fn blocks(&self) -> usize {
        self.samples.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// Seconds of its last run of each workload, together; 0 where it has not run.
    pub fn last_seconds(&self) -> f64 {
        self.samples.iter().filter_map(|series| series.last()).map(|sample| sample.wall_seconds).sum()
    }

    /// A figure of every block: the geometric mean over the workloads. None where it is not known.
    pub fn series(&self, figure: impl Fn(&Sample) -> Option<f64>) -> Option<Vec<f64>> {
        (0..self.blocks())
            .map(|block| {
                let each: Option<Vec<f64>> =
                    self.samples.iter().map(|samples| figure(&samples[block])).collect();
                each.and_then(|each| statistics::geometric_mean(&each))
            })
            .collect::<Option<Vec<f64>>>()
            .filter(|series| !series.is_empty())
    }
}

/// The ratio of a figure of one lane to that of another, block by block, over the blocks that both ran in.
pub fn ratio(lane: &Lane, other: &Lane, figure: impl Fn(&Sample) -> Option<f64> + Copy) -> Option<Summary> {
    let (mine, theirs) = (lane.series(figure)?, other.series(figure)?);
    let blocks = mine.len().min(theirs.len());
    Summary::of_ratios(&mine[..blocks], &theirs[..blocks])
}

/// Lanes that run in the same blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round {
    /// Its name: `allocators`, `knobs`, `final`.
    pub name: String,
    /// The lanes, what is used now first.
    pub lanes: Vec<Lane>,
    /// Blocks that were run and count.
    pub blocks: usize,
    /// Whether the block for warming up has been run.
    pub warm: bool,
    /// Whether it is over.
    pub done: bool,
}

impl Round {
    /// A round that has not begun.
    pub fn new(name: &str, lanes: Vec<Lane>) -> Self {
        Self { name: name.to_owned(), lanes, blocks: 0, warm: false, done: false }
    }

    /// The lane with this name.
    pub fn lane(&self, name: &str) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.name == name)
    }

    /// The first lane with this role.
    pub fn of(&self, role: Role) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.role == role)
    }

    /// Every second block of it, from this one on.
    pub fn half(&self, from: usize) -> Self {
        let mut half = self.clone();
        for series in half.lanes.iter_mut().flat_map(|lane| &mut lane.samples) {
            let mut block: usize = from + 1;
            series.retain(|_| {
                block += 1;
                block.is_multiple_of(2)
            });
        }
        half.blocks = half.lanes.iter().map(Lane::blocks).max().unwrap_or(0);
        half
    }

    /// How many lanes that may win are in.
    pub fn rivals(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.is_in() && lane.role.may_win()).count()
    }

    /// Of the lanes that are in and may win, the one that costs least beside each of the others: by the geometric mean of
    /// its median ratios to them, block by block. The median of its own costs would tell which lane met the machine's quick
    /// minutes, because half of its runs are slower and half are quicker for no other reason.
    pub fn leader(&self, goal: Goal) -> Option<usize> {
        let lanes: Vec<(usize, Vec<f64>)> = self
            .lanes
            .iter()
            .enumerate()
            .filter(|(_, lane)| lane.is_in() && lane.role.may_win())
            .filter_map(|(index, lane)| Some((index, lane.series(|sample| goal.cost(sample))?)))
            .collect();
        let beside = |mine: &[f64], theirs: &[f64]| {
            let ratios: Vec<f64> = mine.iter().zip(theirs).map(|(mine, theirs)| mine / theirs).collect();
            statistics::median(&ratios)
        };
        let cost = |mine: &[f64]| {
            let ratios: Option<Vec<f64>> = lanes.iter().map(|(_, theirs)| beside(mine, theirs)).collect();
            statistics::geometric_mean(&ratios?)
        };
        lanes
            .iter()
            .filter_map(|(index, series)| Some((*index, cost(series)?)))
            .min_by(|(_, left), (_, right)| left.total_cmp(right))
            .map(|(index, _)| index)
    }

    /// Takes out what is certainly worse than the leader, of those whose role may leave. What is used now stays;
    /// references stay until their distance is known.
    pub fn eliminate(&mut self, goal: Goal, may_leave: impl Fn(Role) -> bool) {
        let Some(leader) = self.leader(goal) else { return };
        let (name, first) = (self.lanes[leader].name.clone(), self.lanes[leader].clone());
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            let kept = matches!(lane.role, Role::Now | Role::Twin);
            if index == leader || kept || !lane.is_in() || !may_leave(lane.role) {
                continue;
            }
            let Some(ratio) = ratio(lane, &first, |sample| goal.cost(sample)) else { continue };
            if is_out(&ratio, lane.role) {
                lane.standing = Standing::Out { leader: name.clone(), ratio: ratio.median };
            }
        }
    }

    /// Whether nothing is left to find out: every lane that may win is known this well beside the leader (0.01 for one
    /// percent), or the leader is alone with what is used now and known that well beside it.
    pub fn is_settled(&self, goal: Goal, precision: f64) -> bool {
        if self.blocks < ENOUGH {
            return false;
        }
        let Some(leader) = self.leader(goal) else { return true };
        let first = &self.lanes[leader];
        let others = self.lanes.iter().enumerate().filter(|(index, lane)| *index != leader && lane.is_in());
        others.into_iter().all(|(_, lane)| {
            // What is only kept in to be compared with need not be known as well as what may win.
            let wanted = if lane.role.may_win() { precision } else { 2.0 * precision };
            ratio(lane, first, |sample| goal.cost(sample)).is_none_or(|ratio| ratio.half_width() <= wanted)
        })
    }
}

fn is_out(ratio: &Summary, role: Role) -> bool {
    if role == Role::Reference {
        // A reference is wanted for the interval, which needs its blocks; then its time is better spent on those that
        // may win.
        return ratio.count >= SURE
            || ratio.count >= ENOUGH && ratio.low > MARGIN
            || ratio.count >= EARLIEST && ratio.min > HOPELESS;
    }
    match ratio.count {
        0 | 1 => false,
        2 => ratio.min > HOPELESS,
        count if count < ENOUGH => ratio.low > FEW_MARGIN,
        _ => ratio.low > MARGIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lane whose runs took so many seconds.
    fn lane(name: &str, role: Role, seconds: &[f64]) -> Lane {
        let mut lane = Lane::new(name, role, 1);
        lane.samples[0] = seconds
            .iter()
            .map(|&wall_seconds| Sample { wall_seconds, peak_bytes: Some(1 << 20), ..Sample::default() })
            .collect();
        lane
    }

    fn round(lanes: Vec<Lane>) -> Round {
        let blocks = lanes.iter().map(Lane::blocks).max().unwrap();
        Round { blocks, warm: true, ..Round::new("test", lanes) }
    }

    fn standing_after(lanes: Vec<Lane>) -> Vec<bool> {
        let mut round = round(lanes);
        round.eliminate(Goal::Time, |_| true);
        round.lanes.iter().map(Lane::is_in).collect()
    }

    #[test]
    fn what_is_clearly_worse_leaves_early_and_what_is_close_stays() {
        let after = standing_after(vec![
            lane("now", Role::Now, &[1.0, 1.1, 1.0]),
            lane("best", Role::Candidate, &[0.5, 0.55, 0.5]),
            lane("near", Role::Candidate, &[0.52, 0.56, 0.53]),
            lane("far", Role::Candidate, &[0.6, 0.66, 0.6]),
        ]);
        assert_eq!(after, [true, true, true, false], "what is used now stays whatever it costs");
    }

    #[test]
    fn two_blocks_are_enough_for_the_hopeless() {
        let lanes = |far: f64| {
            vec![lane("now", Role::Now, &[1.0, 1.0]), lane("far", Role::Candidate, &[far, 1.2 * far])]
        };
        assert_eq!(standing_after(lanes(2.5)), [true, false]);
        assert_eq!(standing_after(lanes(1.8)), [true, true]);
    }

    #[test]
    fn a_drifting_machine_takes_nobody_out() {
        // Everything grows three times as slow; the two are the same.
        let drift = [1.0, 1.5, 2.0, 2.5, 3.0, 3.0];
        let again: Vec<f64> =
            drift.iter().zip([1.01, 0.99, 1.0, 1.02, 0.98, 1.0]).map(|(d, n)| d * n).collect();
        let lanes = vec![lane("now", Role::Now, &drift), lane("same", Role::Candidate, &again)];
        assert_eq!(standing_after(lanes), [true, true]);
    }

    #[test]
    fn who_leads_is_told_block_by_block() {
        // A machine that is twice as slow in some blocks, and one run of the better program that something disturbed: its own
        // median is half as much again as the other's.
        let round = round(vec![
            lane("now", Role::Now, &[1.0, 1.0, 1.0, 2.0, 2.0]),
            lane("better", Role::Candidate, &[0.9, 0.9, 1.5, 1.8, 1.8]),
            lane("worse", Role::Candidate, &[1.1, 1.1, 1.1, 2.2, 2.2]),
        ]);
        assert_eq!(round.leader(Goal::Time), Some(1));
    }

    #[test]
    fn references_stay_until_their_distance_is_known() {
        let after = |blocks: usize, glibc: f64| {
            standing_after(vec![
                lane("now", Role::Now, &vec![1.0; blocks]),
                lane("glibc", Role::Reference, &vec![glibc; blocks]),
            ])
        };
        assert_eq!(after(4, 1.5), [true, true]);
        assert_eq!(after(5, 1.5), [true, false]);
        assert_eq!(after(3, 9.0), [true, false], "nine times as slow is known well enough");
        let mut fast =
            round(vec![lane("now", Role::Now, &[1.0; 5]), lane("glibc", Role::Reference, &[0.5; 5])]);
        assert_eq!(fast.leader(Goal::Time), Some(0), "a reference cannot lead");
        fast.eliminate(Goal::Time, |_| true);
        assert!(fast.lanes.iter().all(Lane::is_in));
        let mut known =
            round(vec![lane("now", Role::Now, &[1.0; 8]), lane("glibc", Role::Reference, &[0.5; 8])]);
        known.eliminate(Goal::Time, |_| true);
        assert!(!known.lanes[1].is_in(), "its interval is as good as it need be");
    }

    #[test]
    fn who_left_is_compared_over_the_blocks_that_it_ran() {
        let left = lane("left", Role::Candidate, &[2.0, 4.0]);
        let stayed = lane("now", Role::Now, &[1.0, 2.0, 50.0]);
        let ratio = ratio(&left, &stayed, |sample| Some(sample.wall_seconds)).unwrap();
        assert_eq!((ratio.count, ratio.median), (2, 2.0));
    }

    #[test]
    fn several_workloads_count_alike() {
        let mut lane = Lane::new("now", Role::Now, 2);
        let sample = |wall_seconds| Sample { wall_seconds, ..Sample::default() };
        lane.samples = vec![vec![sample(1.0), sample(1.0)], vec![sample(100.0)]];
        assert_eq!(lane.blocks(), 1, "a block that was broken off does not count");
        assert!((lane.series(|sample| Some(sample.wall_seconds)).unwrap()[0] - 10.0).abs() < 1e-9);
        assert_eq!(lane.series(|_| None), None);
    }

    #[test]
    fn a_round_is_settled_when_all_is_known_well_enough() {
        let steady = |blocks: usize| {
            round(vec![
                lane("now", Role::Now, &vec![1.0; blocks]),
                lane("other", Role::Candidate, &vec![0.99; blocks]),
            ])
        };
        assert!(!steady(4).is_settled(Goal::Time, 0.01));
        assert!(steady(5).is_settled(Goal::Time, 0.01));
        let noisy = round(vec![
            lane("now", Role::Now, &[1.0; 6]),
            lane("other", Role::Candidate, &[0.9, 1.1, 0.8, 1.2, 0.9, 1.1]),
        ]);
        assert!(!noisy.is_settled(Goal::Time, 0.01));
    }

    #[test]
    fn who_failed_neither_leads_nor_holds_anybody_up() {
        let mut failed = lane("killed", Role::Candidate, &[0.1; 5]);
        failed.standing = Standing::Failed(Failure::OverLimit { limit: 1, peak: None });
        let mut round = round(vec![lane("now", Role::Now, &[1.0; 5]), failed]);
        assert_eq!(round.leader(Goal::Time), Some(0));
        assert!(round.is_settled(Goal::Time, 0.01));
        round.eliminate(Goal::Time, |_| true);
        assert!(round.lanes[1].failure().is_some());
    }
}
