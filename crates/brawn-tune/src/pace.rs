//! What the machine's pace explains of the times, taken out of them.
//!
//! Around each run the machine does a fixed piece of work ([`brawn_measure::pace`]). On a machine whose neighbours come and go that
//! time and the program's rise and fall together. How much one follows the other is found out from the round itself, by all
//! lanes together; then each run's time is set to what it would have been at the round's middle pace. The piece of work knows
//! nothing of who runs next, so no lane gains by it: what it takes out is noise.

use brawn_measure::{Sample, statistics};

use crate::goal::{self, RATE};
use crate::race::Round;

/// Fewest pairs of runs that tell how times follow the pace.
const FEWEST: usize = 24;
/// Runs of a lane that are compared lie at most so many blocks apart: a machine that is another one after minutes has another
/// relation, too.
const APART: usize = 4;
/// Paces closer than this, as a share, tell nothing.
const NEAR: f64 = 0.005;
/// A time follows the pace at most as its square: what is more than that has another reason.
const MOST: f64 = 2.0;

impl Round {
    /// This round as if every run had met the machine at the same pace. The same where no one measured it.
    pub fn at_one_pace(&self) -> Self {
        let mut even = self.clone();
        let paces: Vec<f64> = self.samples().filter_map(logarithm).collect();
        let (Some(slope), Some(middle)) = (self.slope(), statistics::median(&paces)) else { return even };
        let lanes = even.lanes.iter_mut().flat_map(|lane| lane.samples.iter_mut().flatten());
        for sample in lanes {
            let Some(pace) = logarithm(sample) else { continue };
            let factor = (slope * (middle - pace)).exp();
            sample.wall_seconds *= factor;
            if let Some(rate) = sample.metrics.get_mut(RATE) {
                *rate /= factor;
            }
        }
        even
    }

    /// The power of the pace that times follow: 1 where half the pace is twice the time. None where it cannot be told.
    ///
    /// The median of the slopes between any two runs of one lane, each with the weight of the distance of their paces
    /// (H. Theil, 1950; L. Jaeckel, 1972), so that a run which something else disturbed counts for no more than another.
    fn slope(&self) -> Option<f64> {
        let mut slopes: Vec<(f64, f64)> = Vec::new();
        for series in self.lanes.iter().flat_map(|lane| &lane.samples) {
            let points: Vec<Option<(f64, f64)>> = series.iter().map(point).collect();
            for (place, &from) in points.iter().enumerate() {
                for &to in points.iter().skip(place + 1).take(APART) {
                    let Some(((pace, time), (other_pace, other_time))) = from.zip(to) else { continue };
                    let distance = other_pace - pace;
                    if distance.abs() >= NEAR {
                        slopes.push(((other_time - time) / distance, distance.abs()));
                    }
                }
            }
        }
        if slopes.len() < FEWEST {
            return None;
        }
        slopes.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        let half = slopes.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
        let mut sum = 0.0;
        let middle = slopes.iter().find(|(_, weight)| {
            sum += weight;
            sum >= half
        });
        middle.map(|(slope, _)| slope.clamp(0.0, MOST))
    }

    fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.lanes.iter().flat_map(|lane| lane.samples.iter().flatten())
    }
}

/// Of a run: its pace and its time, in logarithms.
fn point(sample: &Sample) -> Option<(f64, f64)> {
    Some((logarithm(sample)?, goal::time(sample).filter(|time| *time > 0.0)?.ln()))
}

fn logarithm(sample: &Sample) -> Option<f64> {
    sample.pace_seconds.filter(|pace| pace.is_finite() && *pace > 0.0).map(f64::ln)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::{Lane, Role};

    /// A lane by the seconds that its runs took and by the machine's pace then.
    fn lane(role: Role, runs: &[(f64, f64)]) -> Lane {
        let mut lane = Lane::new(format!("{role:?}"), role, 1);
        let sample = |&(wall_seconds, pace): &(f64, f64)| Sample {
            wall_seconds,
            pace_seconds: Some(pace),
            ..Sample::default()
        };
        lane.samples[0] = runs.iter().map(sample).collect();
        lane
    }

    fn times(round: &Round, lane: usize) -> Vec<f64> {
        round.lanes[lane].samples[0].iter().map(|sample| sample.wall_seconds).collect()
    }

    /// Whether two are the same to a thousandth.
    fn close(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-3
    }

    #[test]
    fn what_the_pace_explains_is_taken_out_and_the_difference_stays() {
        let paces = [1.0, 1.5, 1.0, 1.2, 1.4, 1.0, 1.1, 1.5];
        let runs = |seconds: f64, turn: usize| -> Vec<(f64, f64)> {
            (0..8).map(|run| paces[(run + turn) % 8]).map(|pace| (seconds * pace, pace)).collect()
        };
        let round =
            Round::new("test", vec![lane(Role::Now, &runs(1.0, 0)), lane(Role::Candidate, &runs(0.8, 3))]);
        let even = round.at_one_pace();
        let (now, other) = (times(&even, 0), times(&even, 1));
        assert!(now.iter().all(|time| close(*time, now[0])), "{now:?}");
        assert!(now.iter().zip(&other).all(|(now, other)| close(other / now, 0.8)), "{other:?}");
        assert!((1.0..1.5).contains(&now[0]), "the times of the middle pace: {now:?}");
    }

    #[test]
    fn a_program_that_follows_half_the_way_is_moved_half_the_way() {
        let runs: Vec<(f64, f64)> =
            (0..12).map(|run| [1.0, 1.5, 1.2][run % 3]).map(|pace: f64| (pace.sqrt(), pace)).collect();
        let even = Round::new("test", vec![lane(Role::Now, &runs)]).at_one_pace();
        let now = times(&even, 0);
        assert!(now.iter().all(|time| close(*time, now[0])), "{now:?}");
    }

    #[test]
    fn disturbed_runs_do_not_lead_it_astray() {
        let paces = [1.0, 1.5, 1.0, 1.2, 1.4, 1.0, 1.1, 1.5, 1.3, 1.0];
        let mut runs: Vec<(f64, f64)> = paces.iter().map(|&pace| (pace, pace)).collect();
        runs[2].0 = 9.0;
        runs[7].0 = 5.0;
        let even = Round::new("test", vec![lane(Role::Now, &runs)]).at_one_pace();
        let now = times(&even, 0);
        assert!(close(now[0], now[1]) && close(now[0], now[8]), "{now:?}");
        assert!(now[2] > 8.0, "what disturbed it is not hidden: {now:?}");
    }

    #[test]
    fn a_servers_rate_is_moved_the_other_way() {
        let mut round = Round::new("test", vec![lane(Role::Now, &[(7.0, 1.0), (7.0, 1.5)].repeat(9))]);
        for (index, sample) in round.lanes[0].samples[0].iter_mut().enumerate() {
            sample.metrics.insert(RATE.to_owned(), if index % 2 == 0 { 150.0 } else { 100.0 });
        }
        let even = round.at_one_pace();
        let rates: Vec<f64> = even.lanes[0].samples[0].iter().map(|sample| sample.metrics[RATE]).collect();
        assert!(rates.iter().all(|rate| close(*rate, rates[0])), "{rates:?}");
    }

    #[test]
    fn without_a_pace_or_with_too_little_of_it_nothing_changes() {
        let few = Round::new("test", vec![lane(Role::Now, &[(1.0, 1.0), (1.5, 1.5), (1.2, 1.2)])]);
        assert_eq!(times(&few.at_one_pace(), 0), [1.0, 1.5, 1.2]);
        let mut unknown = Round::new("test", vec![lane(Role::Now, &[(1.0, 1.0), (1.5, 1.5)].repeat(9))]);
        unknown.lanes[0].samples[0].iter_mut().for_each(|sample| sample.pace_seconds = None);
        assert_eq!(times(&unknown.at_one_pace(), 0), times(&unknown, 0));
        let still = Round::new("test", vec![lane(Role::Now, &[(1.0, 1.0), (1.5, 1.0)].repeat(9))]);
        assert_eq!(times(&still.at_one_pace(), 0), times(&still, 0));
    }

    #[test]
    fn a_program_that_does_not_mind_the_pace_is_left_alone() {
        let runs: Vec<(f64, f64)> = (0..12).map(|run| (2.0, [1.0, 1.5, 1.2][run % 3])).collect();
        let even = Round::new("test", vec![lane(Role::Now, &runs)]).at_one_pace();
        assert!(times(&even, 0).iter().all(|time| close(*time, 2.0)));
        // One that is quicker the slower the machine is has met a chance: nothing is taken out.
        let runs: Vec<(f64, f64)> =
            (0..12).map(|run| [1.0, 1.5, 1.2][run % 3]).map(|pace: f64| (1.0 / pace, pace)).collect();
        let odd = Round::new("test", vec![lane(Role::Now, &runs)]);
        assert_eq!(times(&odd.at_one_pace(), 0), times(&odd, 0));
    }
}
