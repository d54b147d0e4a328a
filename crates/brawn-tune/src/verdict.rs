//! The answer: what to take, and how certain that is. Arithmetic only, on the blocks of the last round, which took no
//! part in choosing who is in it.

use brawn_measure::{Summary, statistics};
use serde::{Deserialize, Serialize};

use crate::goal::Goal;
use crate::race::{ALIKE, ENOUGH, Lane, Role, Round, ratio};

/// What seems to cost more than this beside the best is not alike, however little is certain: a noisy machine must not make
/// something slow look as good.
const WITHIN: f64 = 0.025;
/// The smallest difference in the second figure that is worth a change where costs are alike: ten percent.
const SECOND_WORTH: f64 = 0.10;
/// Second figures this close are alike, and the simpler setting is taken.
const SECOND_ALIKE: f64 = 0.05;
/// A difference this large is certain with fewer.
const CLEAR: f64 = 0.9;
/// A machine on which one program differs from itself by more than this shows nothing.
const NOISY: f64 = 0.20;

/// What to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Advice {
    /// Take another: it is certainly better.
    Change,
    /// Take another: it is as good by the goal, and clearly better in the second figure.
    ChangeForSecond,
    /// What is used now fails under the conditions that were asked for; take the best of those that do not.
    ChangeForFailure,
    /// Nothing is certainly better than what is used now.
    #[default]
    Keep,
    /// What is used now is certainly better than everything else.
    KeepBest,
    /// The same as [`Advice::Keep`], on a machine too noisy to say so.
    Unknown,
}

impl Advice {
    /// Whether something shall be changed.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Change | Self::ChangeForSecond | Self::ChangeForFailure)
    }
}

/// The decision of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// What to do.
    pub advice: Advice,
    /// The lane to take; what is used now, unless something shall be changed.
    pub pick: String,
    /// The pick's cost over that of what is used now; none where that is the pick, or failed.
    pub gain: Option<Summary>,
    /// The smallest relative difference that was distinguished from noise: 0.02 for two percent.
    pub resolution: f64,
}

/// Decides. `complexity` tells how far a lane's setting is from saying nothing. None when no lane that may win is left.
pub fn decide(round: &Round, goal: Goal, complexity: impl Fn(&str) -> usize) -> Option<Decision> {
    let cost = |lane: &Lane, other: &Lane| ratio(lane, other, |sample| goal.cost(sample));
    let second = |lane: &Lane| statistics::median(&lane.series(|sample| goal.second(sample))?);
    let leader = &round.lanes[round.leader(goal)?];
    let resolution = resolution(round, goal);
    let usable_now = round.of(Role::Now).filter(|now| now.failure().is_none() && now.blocks() > 0);

    let alike = |lane: &&Lane| {
        lane.name == leader.name
            || cost(lane, leader)
                .is_some_and(|ratio| ratio.low <= 1.0 + ALIKE && ratio.median <= 1.0 + WITHIN)
    };
    let tied: Vec<&Lane> =
        round.lanes.iter().filter(|lane| lane.is_in() && lane.role.may_win()).filter(alike).collect();
    let best = simplest(&tied, second, &complexity);

    let Some(now) = usable_now else {
        return Some(Decision {
            advice: Advice::ChangeForFailure,
            pick: best.name.clone(),
            gain: None,
            resolution,
        });
    };
    let keep = |advice| Some(Decision { advice, pick: now.name.clone(), gain: None, resolution });
    let is_tied = tied.iter().any(|lane| lane.name == now.name);
    let twin = round.of(Role::Twin).filter(|lane| lane.blocks() > 0);
    let itself = twin.and_then(|twin| cost(twin, now));
    let certain = |lane: &Lane| {
        let gain = cost(lane, now).filter(|gain| gain.resolved() && gain.high < 1.0);
        // A few blocks agree by luck now and then, unless the difference is large; and what a program differs from
        // itself is no difference: it must be better than both lanes of what is used now, and by more than these differ.
        gain.filter(|gain| gain.count >= ENOUGH || gain.high < CLEAR)
            .filter(|gain| 1.0 - gain.median >= itself.map_or(0.0, |itself| (itself.median - 1.0).abs()))
            .filter(|_| {
                twin.and_then(|twin| cost(lane, twin)).is_none_or(|gain| gain.resolved() && gain.high < 1.0)
            })
    };
    if !is_tied {
        // Of those that are alike one may be more certainly better than the simplest.
        for lane in [best, leader] {
            if let Some(gain) = certain(lane) {
                let pick = lane.name.clone();
                return Some(Decision { advice: Advice::Change, pick, gain: Some(gain), resolution });
            }
        }
        return keep(if resolution > NOISY { Advice::Unknown } else { Advice::Keep });
    }
    let better = tied.iter().filter(|lane| lane.name != now.name).filter(|lane| {
        let gain = ratio(lane, now, |sample| goal.second(sample));
        gain.is_some_and(|gain| gain.resolved() && gain.high < 1.0 && gain.median <= 1.0 - SECOND_WORTH)
    });
    let better: Vec<&Lane> = better.copied().collect();
    if !better.is_empty() {
        let lane = simplest(&better, second, &complexity);
        let pick = lane.name.clone();
        return Some(Decision { advice: Advice::ChangeForSecond, pick, gain: cost(lane, now), resolution });
    }
    if resolution > NOISY {
        return keep(Advice::Unknown);
    }
    let others = || round.lanes.iter().filter(|lane| lane.role == Role::Candidate);
    let all_worse = others().all(|lane| match cost(lane, now) {
        Some(ratio) => ratio.resolved() && ratio.low > 1.0 && ratio.median > 1.0 + ALIKE,
        None => true,
    });
    keep(if all_worse && others().next().is_some() { Advice::KeepBest } else { Advice::Keep })
}

/// Of lanes that cost the same: those with the best second figure, and of these the simplest setting.
fn simplest<'a>(
    lanes: &[&'a Lane],
    second: impl Fn(&Lane) -> Option<f64>,
    complexity: &impl Fn(&str) -> usize,
) -> &'a Lane {
    let least = lanes.iter().filter_map(|lane| second(lane)).fold(f64::INFINITY, f64::min);
    let close = |lane: &&&Lane| second(lane).is_none_or(|figure| figure <= least * (1.0 + SECOND_ALIKE));
    let simplest = lanes.iter().filter(close).min_by_key(|lane| complexity(&lane.name));
    simplest.or(lanes.first()).expect("the leader is among them")
}

/// As far as the interval of a program's ratio to itself reaches from 1, nothing is to be distinguished.
pub fn resolution(round: &Round, goal: Goal) -> f64 {
    let (Some(now), Some(twin)) = (round.of(Role::Now), round.of(Role::Twin)) else { return 0.0 };
    ratio(twin, now, |sample| goal.cost(sample)).map_or(0.0, |ratio| ratio.resolution())
}

#[cfg(test)]
mod tests {
    use brawn_measure::Sample;

    use super::*;
    use crate::failure::Failure;
    use crate::race::Standing;

    /// A lane whose runs took so many seconds and MiB.
    fn lane(name: &str, role: Role, runs: &[(f64, u64)]) -> Lane {
        let mut lane = Lane::new(name, role, 1);
        let sample = |&(wall_seconds, mebibytes): &(f64, u64)| Sample {
            wall_seconds,
            peak_bytes: Some(mebibytes << 20),
            ..Sample::default()
        };
        lane.samples[0] = runs.iter().map(sample).collect();
        lane
    }

    /// Seven runs around a time, none exactly the same.
    fn runs(seconds: f64, mebibytes: u64) -> Vec<(f64, u64)> {
        [1.0, 1.004, 0.997, 1.002, 0.999, 1.001, 0.998]
            .iter()
            .map(|noise| (seconds * noise, mebibytes))
            .collect()
    }

    fn decide_among(goal: Goal, lanes: Vec<Lane>) -> Decision {
        let round = Round { blocks: 7, warm: true, done: true, ..Round::new("final", lanes) };
        decide(&round, goal, |name| if name == "now" { 0 } else { name.len() }).unwrap()
    }

    #[test]
    fn a_certain_gain_is_a_change() {
        let decision = decide_among(
            Goal::Time,
            vec![lane("now", Role::Now, &runs(1.0, 10)), lane("fast", Role::Candidate, &runs(0.8, 10))],
        );
        assert_eq!((decision.advice, decision.pick.as_str()), (Advice::Change, "fast"));
        let gain = decision.gain.unwrap();
        assert!(gain.low < 0.8 + 1e-9 && gain.high > 0.8 - 1e-9 && gain.resolved());
    }

    #[test]
    fn no_difference_is_no_change() {
        let mut same = runs(1.0, 10);
        same.rotate_left(3);
        let lanes = vec![lane("now", Role::Now, &runs(1.0, 10)), lane("same", Role::Candidate, &same)];
        let decision = decide_among(Goal::Time, lanes);
        assert_eq!((decision.advice, decision.pick.as_str(), decision.gain), (Advice::Keep, "now", None));
    }

    #[test]
    fn half_a_percent_is_not_worth_a_change_however_certain() {
        let lanes =
            vec![lane("now", Role::Now, &[(1.0, 10); 7]), lane("hair", Role::Candidate, &[(0.995, 10); 7])];
        assert_eq!(decide_among(Goal::Time, lanes).advice, Advice::Keep);
    }

    #[test]
    fn of_equals_the_frugal_one_is_taken_and_then_the_simple_one() {
        let lanes = vec![
            lane("now", Role::Now, &runs(1.0, 10)),
            lane("greedy", Role::Candidate, &runs(0.5, 50)),
            lane("frugal-but-long", Role::Candidate, &runs(0.505, 8)),
            lane("frugal", Role::Candidate, &runs(0.506, 8)),
        ];
        assert_eq!(decide_among(Goal::Time, lanes).pick, "frugal");
    }

    #[test]
    fn as_fast_in_less_memory_is_a_change_too() {
        let lanes = |mebibytes| {
            vec![
                lane("now", Role::Now, &runs(1.0, 20)),
                lane("small", Role::Candidate, &runs(1.001, mebibytes)),
            ]
        };
        let decision = decide_among(Goal::Time, lanes(10));
        assert_eq!((decision.advice, decision.pick.as_str()), (Advice::ChangeForSecond, "small"));
        assert_eq!(decide_among(Goal::Time, lanes(19)).advice, Advice::Keep, "one in twenty is not worth it");
    }

    #[test]
    fn what_is_used_now_may_be_the_best() {
        let lanes =
            vec![lane("now", Role::Now, &runs(1.0, 10)), lane("slow", Role::Candidate, &runs(1.5, 10))];
        assert_eq!(decide_among(Goal::Time, lanes).advice, Advice::KeepBest);
    }

    #[test]
    fn what_would_be_killed_is_left_for_what_stays_alive() {
        let mut now = lane("now", Role::Now, &[]);
        now.standing = Standing::Failed(Failure::OverLimit { limit: 1 << 20, peak: None });
        let lanes = vec![
            now,
            lane("slow", Role::Candidate, &runs(2.0, 1)),
            lane("slower", Role::Candidate, &runs(3.0, 1)),
        ];
        let decision = decide_among(Goal::Time, lanes);
        assert_eq!((decision.advice, decision.pick.as_str()), (Advice::ChangeForFailure, "slow"));
    }

    #[test]
    fn a_reference_is_never_the_answer() {
        let lanes =
            vec![lane("now", Role::Now, &runs(1.0, 10)), lane("glibc", Role::Reference, &runs(0.2, 1))];
        assert_eq!(decide_among(Goal::Time, lanes).pick, "now");
    }

    #[test]
    fn what_is_certain_beside_both_lanes_of_the_same_program_is_a_change_on_a_noisy_machine_too() {
        // As leptosfmt once ran: the program differs from itself by up to a quarter, and not on the whole; the other one takes
        // a seventh less in nearly every block, beside either.
        let now = [
            0.248, 0.175, 0.224, 0.241, 0.215, 0.230, 0.271, 0.178, 0.181, 0.200, 0.198, 0.244, 0.260, 0.264,
            0.250, 0.277,
        ];
        let again = [
            0.220, 0.180, 0.243, 0.218, 0.217, 0.217, 0.276, 0.153, 0.219, 0.220, 0.195, 0.193, 0.319, 0.311,
            0.316, 0.269,
        ];
        let other = [
            0.207, 0.178, 0.186, 0.197, 0.183, 0.188, 0.174, 0.157, 0.159, 0.192, 0.188, 0.209, 0.225, 0.276,
            0.235, 0.226,
        ];
        let of = |name: &str, role, seconds: &[f64]| {
            lane(name, role, &seconds.iter().map(|&seconds| (seconds, 10)).collect::<Vec<_>>())
        };
        let lanes = |again: &[f64]| {
            vec![
                of("now", Role::Now, &now),
                of("now, again", Role::Twin, again),
                of("other", Role::Candidate, &other),
            ]
        };
        let decision = decide_among(Goal::Time, lanes(&again));
        assert_eq!((decision.advice, decision.pick.as_str()), (Advice::Change, "other"), "{decision:?}");
        assert!(
            decision.resolution > 1.0 - decision.gain.unwrap().median,
            "how far the program's own runs reach"
        );
        // When the second lane of the same program is as quick as the other one, it is no gain.
        let quick: Vec<f64> = other.iter().map(|seconds| seconds * 0.99).collect();
        assert!(!decide_among(Goal::Time, lanes(&quick)).advice.is_change());
    }

    #[test]
    fn a_machine_that_differs_from_itself_says_nothing() {
        let noisy = [(1.0, 10), (1.6, 10), (0.7, 10), (1.5, 10), (0.8, 10), (1.4, 10), (1.0, 10)];
        let mut other = noisy;
        other.reverse();
        other.rotate_left(2);
        let lanes = vec![
            lane("now", Role::Now, &noisy),
            lane("now, again", Role::Twin, &other),
            lane("other", Role::Candidate, &[(0.95, 10); 7]),
        ];
        let decision = decide_among(Goal::Time, lanes.clone());
        assert_eq!((decision.advice, decision.pick.as_str()), (Advice::Unknown, "now"));
        assert!(decision.resolution > 0.2);
        // Ten times as fast is certain all the same.
        let mut clear = lanes;
        clear[2] = lane("other", Role::Candidate, &[(0.1, 10); 7]);
        assert_eq!(decide_among(Goal::Time, clear).advice, Advice::Change);
    }
}
