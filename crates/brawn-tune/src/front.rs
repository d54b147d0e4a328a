//! The Pareto front: what nothing else beats in both time and memory.

use brawn_measure::{Summary, statistics};
use serde::{Deserialize, Serialize};

use crate::goal::{self, Goal};
use crate::race::{Lane, Role, Round, ratio};

/// A candidate beside what is used now: below 1 is better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The candidate's name.
    pub name: String,
    /// What it is in the race for.
    pub role: Role,
    /// Its time over that of what is used now.
    pub time: Summary,
    /// Its memory over that of what is used now; none where memory is not known.
    pub memory: Option<Summary>,
    /// Whether no other candidate is as good in both and better in one.
    pub front: bool,
    /// Its time over that of the fastest that may win, block by block: 1 for that itself. Which is the fastest is told by the
    /// blocks that are not compared, half of them in turn, so that no one is the yardstick for the luck that made it one. None
    /// for what was not in the last round, where the close ones meet, and cannot win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_best: Option<Summary>,
}

/// Every candidate that did not fail, from the last round that it ran in. Ratios are to the lane that is used now, or to
/// the first lane that did not fail.
pub fn points(rounds: &[Round]) -> Vec<Point> {
    let rounds: Vec<Round> = rounds.iter().map(Round::at_one_pace).collect();
    let mut points: Vec<Point> = Vec::new();
    let best = rounds.last().and_then(|last| Some(&last.lanes[last.leader(Goal::Time)?]));
    let halves = rounds.last().map(|last| [0, 1].map(|half| last.half(half)));
    for (age, round) in rounds.iter().rev().enumerate() {
        let Some(base) = base(round) else { continue };
        for lane in &round.lanes {
            let known = points.iter().any(|point| point.name == lane.name);
            if known || lane.role == Role::Twin || lane.failure().is_some() {
                continue;
            }
            let base = &round.lanes[base];
            let Some(time) = ratio(lane, base, goal::time) else { continue };
            let memory = ratio(lane, base, goal::memory);
            let in_last = age == 0 && lane.role.may_win();
            let to_best = if in_last { to_best(lane, best, &halves) } else { None };
            points.push(Point {
                name: lane.name.clone(),
                role: lane.role,
                time,
                memory,
                front: false,
                to_best,
            });
        }
    }
    mark(&mut points);
    points
}

/// The time of a lane over that of the fastest.
fn to_best(lane: &Lane, best: Option<&Lane>, halves: &Option<[Round; 2]>) -> Option<Summary> {
    let best = best?;
    let [even, odd] = halves.as_ref()?;
    if lane.name == best.name {
        return ratio(lane, best, goal::time);
    }
    let mut ratios = Vec::new();
    for (chosen, compared) in [(even, odd), (odd, even)] {
        let (Some(lane), Some(leader)) = (compared.lane(&lane.name), chosen.leader(Goal::Time)) else {
            continue;
        };
        let leader = compared.lane(&chosen.lanes[leader].name)?;
        if let (Some(mine), Some(theirs)) = (lane.series(goal::time), leader.series(goal::time)) {
            ratios.extend(mine.iter().zip(theirs).map(|(mine, theirs)| mine / theirs));
        }
    }
    Summary::of(&ratios)
}

/// The lane that a round's ratios are to.
pub fn base(round: &Round) -> Option<usize> {
    let usable = |index: &usize| round.lanes[*index].failure().is_none() && round.lanes[*index].blocks() > 0;
    let now = round.lanes.iter().position(|lane| lane.role == Role::Now);
    now.filter(|index| usable(index)).or_else(|| (0..round.lanes.len()).find(usable))
}

/// References beat no one, and are not on the front.
fn mark(points: &mut [Point]) {
    let mut racing: Vec<&mut Point> = points.iter_mut().filter(|point| point.role.may_win()).collect();
    let cost = |point: &&mut Point| (point.time.median, point.memory.map_or(1.0, |memory| memory.median));
    let costs: Vec<(f64, f64)> = racing.iter().map(cost).collect();
    for (point, front) in racing.iter_mut().zip(statistics::front(&costs)) {
        point.front = front;
    }
}

#[cfg(test)]
mod tests {
    use brawn_measure::Sample;

    use super::*;
    use crate::failure::Failure;
    use crate::race::{Lane, Standing};

    fn lane(name: &str, role: Role, seconds: f64, peak: u64) -> Lane {
        let mut lane = Lane::new(name, role, 1);
        let sample = Sample { wall_seconds: seconds, peak_bytes: Some(peak), ..Sample::default() };
        lane.samples[0] = vec![sample; 5];
        lane
    }

    #[test]
    fn only_what_nothing_beats_in_both_is_on_the_front() {
        let mut killed = lane("killed", Role::Candidate, 0.1, 1);
        killed.standing = Standing::Failed(Failure::OverLimit { limit: 1, peak: None });
        let first = Round::new(
            "allocators",
            vec![
                lane("now", Role::Now, 1.0, 100),
                lane("fast", Role::Candidate, 0.5, 300),
                lane("small", Role::Candidate, 2.0, 50),
                lane("bad", Role::Candidate, 2.5, 60),
                lane("glibc", Role::Reference, 0.1, 10),
                killed,
            ],
        );
        let last = Round::new(
            "final",
            vec![
                lane("now", Role::Now, 10.0, 100),
                lane("now, again", Role::Twin, 10.0, 100),
                lane("fast", Role::Candidate, 4.0, 300),
            ],
        );
        let points = points(&[first, last]);
        let names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
        assert_eq!(names, ["now", "fast", "small", "bad", "glibc"]);
        let front: Vec<&str> =
            points.iter().filter(|point| point.front).map(|point| point.name.as_str()).collect();
        assert_eq!(front, ["now", "fast", "small"], "a reference beats no one");
        assert!((points[1].time.median - 0.4).abs() < 1e-9, "the last round counts");
        let to_best = points.iter().map(|point| point.to_best.map(|ratio| format!("{:.2}", ratio.median)));
        let [now, fast] = ["2.50", "1.00"].map(|ratio| Some(ratio.to_owned()));
        let expected = [now, fast, None, None, None];
        assert_eq!(to_best.collect::<Vec<_>>(), expected, "only who met the fastest is beside it");
    }

    #[test]
    fn nobody_is_the_yardstick_for_its_own_luck() {
        // The same program eight times, on a machine where a run may take a fifth more or less.
        let (mut beside_best, mut beside_luckiest) = (0.0, 0.0);
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let lanes = (0..8).map(|index| {
                let role = if index == 0 { Role::Now } else { Role::Candidate };
                let mut lane = Lane::new(format!("lane {index}"), role, 1);
                let run = || Sample { wall_seconds: 0.8 + 0.4 * random.f64(), ..Sample::default() };
                lane.samples[0] = std::iter::repeat_with(run).take(20).collect();
                lane
            });
            let round = Round { blocks: 20, ..Round::new("final", lanes.collect()) };
            let luckiest = round.leader(Goal::Time).unwrap();
            for (index, (lane, point)) in
                round.lanes.iter().zip(points(std::slice::from_ref(&round))).enumerate()
            {
                if index != luckiest {
                    beside_best += point.to_best.unwrap().median.ln() / 280.0;
                    beside_luckiest +=
                        ratio(lane, &round.lanes[luckiest], goal::time).unwrap().median.ln() / 280.0;
                }
            }
        }
        assert!(beside_luckiest > 0.04, "a yardstick that luck made: {beside_luckiest}");
        assert!(beside_best.abs() < 0.015, "all are the same: {beside_best}");
    }
}
