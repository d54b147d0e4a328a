//! Medians, ranges, bootstrap intervals, outliers and geometric means.
//!
//! Times on a shared machine have a long tail on one side, so means and standard deviations mislead; the median and the
//! minimum do not. Intervals are those of the percentile bootstrap (B. Efron, 1979), which assumes nothing about the
//! distribution. For a median they need no drawing of lots: how often a resample's median is the k-th smallest
//! sample is a binomial probability, so the interval that infinitely many resamples would give is computed outright.

use serde::{Deserialize, Serialize};

/// Share of the bootstrap distribution that lies outside the interval, on each side.
const TAIL: f64 = 0.025;

/// Modified z-score beyond which a sample is an outlier (B. Iglewicz and D. Hoaglin, 1993).
const FAR: f64 = 3.5;

/// Samples this close to the median, relative to it, are no outliers however alike the others are: a page more or
/// less is nothing to warn of.
const NEAR: f64 = 0.01;

/// Fewest samples from which a difference may be told.
const ENOUGH: usize = 3;

/// A figure over all runs of a variant, in the unit of its samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// How many samples there were.
    pub count: usize,
    /// The middle sample, or the mean of the two in the middle.
    pub median: f64,
    /// The smallest sample.
    pub min: f64,
    /// The largest sample.
    pub max: f64,
    /// Lower end of the 95 % bootstrap interval of the median.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
}

impl Summary {
    /// Summary of the samples; none when there are none, or one of them is not a finite number.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let sorted = sorted(samples)?;
        let count = sorted.len();
        let reach = reach(count);
        Some(Self {
            count,
            median: median_of_sorted(&sorted),
            min: sorted[0],
            max: sorted[count - 1],
            low: sorted[reach],
            high: sorted[count - 1 - reach],
        })
    }

    /// Summary of `samples[i] / baseline[i]`: the ratio within each block, where both ran under the same conditions.
    /// None when the lists differ in length, are empty, or a ratio is not a finite number.
    pub fn of_ratios(samples: &[f64], baseline: &[f64]) -> Option<Self> {
        if samples.len() != baseline.len() {
            return None;
        }
        Self::of(&samples.iter().zip(baseline).map(|(sample, base)| sample / base).collect::<Vec<_>>())
    }

    /// Half the width of the interval, relative to the median: 0.01 for one percent either way. Infinite when the
    /// median is 0 and the interval is not.
    pub fn half_width(&self) -> f64 {
        let half = (self.high - self.low) / 2.0;
        if half == 0.0 { 0.0 } else { half / self.median.abs() }
    }

    /// Of the ratio of something to itself, whose interval should hold 1: as far as that reaches to either side, a difference
    /// cannot be told from none.
    pub fn resolution(&self) -> f64 {
        (self.high - 1.0).abs().max((1.0 - self.low).abs())
    }

    /// Of a ratio: whether it is certainly not 1, because the interval leaves 1 out. Fewer than three samples tell
    /// nothing.
    pub fn resolved(&self) -> bool {
        self.count >= ENOUGH && (self.low > 1.0 || self.high < 1.0)
    }
}

/// How many samples lie outside the interval on each side.
///
/// The median of a resample of `n` is at most the k-th smallest sample (from 1) when at least half of its draws are;
/// each is with probability k/n. The interval starts at the first k for which that is more than [`TAIL`]. With an even
/// number of samples the lower of the two in the middle counts below and the upper one above, which is a little wider
/// than their mean would be.
fn reach(count: usize) -> usize {
    let needed = count.div_ceil(2);
    // The probability grows with the rank, so the first rank can be searched for by halves.
    let (mut low, mut high) = (1, needed);
    while low < high {
        let rank = usize::midpoint(low, high);
        match at_least(needed, count, rank as f64 / count as f64) > TAIL {
            true => high = rank,
            false => low = rank + 1,
        }
    }
    (low - 1).min((count - 1) / 2)
}

/// Probability that `needed` or more of `count` draws succeed, each with probability `chance`.
fn at_least(needed: usize, count: usize, chance: f64) -> f64 {
    if chance >= 1.0 {
        return 1.0;
    }
    // The terms from the largest number of successes down, in logarithms, because the powers alone underflow.
    let odds = ((1.0 - chance) / chance).ln();
    let mut term = count as f64 * chance.ln();
    let mut sum = term.exp();
    for successes in (needed..count).rev() {
        term += odds + ((successes + 1) as f64 / (count - successes) as f64).ln();
        sum += term.exp();
    }
    sum
}

/// The samples, by index, that lie far outside the others: more than 3.5 by the modified z-score, which measures the
/// distance from the median in median absolute deviations, and more than one percent of the median.
pub fn outliers(samples: &[f64]) -> Vec<usize> {
    let Some(middle) = median(samples) else { return Vec::new() };
    let distances: Vec<f64> = samples.iter().map(|sample| (sample - middle).abs()).collect();
    // The factors make both deviations equal the standard deviation of a normal distribution.
    let scale = match median(&distances).map(|deviation| deviation / 0.6745) {
        Some(scale) if scale > 0.0 => scale,
        // More than half of the samples are the same: the mean deviation still tells how far the others usually are.
        _ => 1.2533 * distances.iter().sum::<f64>() / distances.len() as f64,
    };
    let far = |distance: f64| distance > FAR * scale && distance > NEAR * middle.abs();
    (0..samples.len()).filter(|&index| far(distances[index])).collect()
}

/// The geometric mean, which is the right one for ratios; none when there are no values or one is not above 0.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| value.is_nan() || *value <= 0.0) {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

/// The middle sample, or the mean of the two in the middle; none when there are none, or one of them is not a finite number.
pub fn median(samples: &[f64]) -> Option<f64> {
    sorted(samples).map(|sorted| median_of_sorted(&sorted))
}

fn sorted(samples: &[f64]) -> Option<Vec<f64>> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    (!sorted.is_empty() && sorted.iter().all(|sample| sample.is_finite())).then_some(sorted)
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// Which of these pairs of costs are on the Pareto front: no other is at least as small in both and smaller in one.
pub fn front(costs: &[(f64, f64)]) -> Vec<bool> {
    let beats = |one: &(f64, f64), other: &(f64, f64)| one.0 <= other.0 && one.1 <= other.1 && one != other;
    costs.iter().map(|cost| !costs.iter().any(|other| beats(other, cost))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        let odd = Summary::of(&[5.0, 1.0, 3.0]).unwrap();
        assert_eq!((odd.count, odd.median, odd.min, odd.max), (3, 3.0, 1.0, 5.0));
        assert_eq!(Summary::of(&[4.0, 1.0, 2.0, 100.0]).unwrap().median, 3.0);
        assert_eq!(Summary::of(&[7.0]).unwrap().high, 7.0);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
        assert_eq!(Summary::of(&[1.0, f64::INFINITY]), None, "JSON cannot say it");
    }

    #[test]
    fn the_interval_covers_the_true_median_about_nineteen_times_in_twenty() {
        // Samples of a known distribution: exponential with median ln 2, skewed as times are.
        let mut random = fastrand::Rng::with_seed(7);
        for count in [5, 8, 25, 60] {
            let covered = (0..2000)
                .filter(|_| {
                    let samples: Vec<f64> = (0..count).map(|_| -(1.0 - random.f64()).ln()).collect();
                    let summary = Summary::of(&samples).unwrap();
                    assert!(summary.low <= summary.median && summary.median <= summary.high);
                    summary.low <= std::f64::consts::LN_2 && std::f64::consts::LN_2 <= summary.high
                })
                .count();
            assert!((1840..=1985).contains(&covered), "{count} samples: covered {covered} of 2000");
        }
    }

    #[test]
    fn the_interval_is_the_one_that_resampling_approaches() {
        let mut random = fastrand::Rng::with_seed(3);
        for count in [5, 11, 31, 101] {
            let samples: Vec<f64> = (0..count).map(f64::from).collect();
            let mut medians: Vec<f64> = (0..20_000)
                .map(|_| {
                    let mut resample: Vec<f64> =
                        (0..count).map(|_| samples[random.usize(..samples.len())]).collect();
                    resample.sort_by(f64::total_cmp);
                    median_of_sorted(&resample)
                })
                .collect();
            medians.sort_by(f64::total_cmp);
            let summary = Summary::of(&samples).unwrap();
            let drawn = (medians[500], medians[19_499]);
            assert!(
                (summary.low - drawn.0).abs() <= 1.0 && (summary.high - drawn.1).abs() <= 1.0,
                "{count}: computed {} to {}, drawn {drawn:?}",
                summary.low,
                summary.high
            );
        }
    }

    #[test]
    fn binomial_tails_are_exact_and_do_not_underflow() {
        assert!((at_least(3, 5, 0.2) - 0.05792).abs() < 1e-12);
        assert!((at_least(0, 9, 0.3) - 1.0).abs() < 1e-12);
        assert!((at_least(5_000, 10_000, 0.5) - 0.50399).abs() < 1e-4);
        assert_eq!(at_least(4, 4, 1.0), 1.0);
    }

    #[test]
    fn ratios_are_taken_within_blocks() {
        // The machine was three times as slow in the second block: the ratio does not notice.
        let ratios = Summary::of_ratios(&[2.0, 6.0, 2.2], &[1.0, 3.0, 1.1]).unwrap();
        assert!((ratios.median - 2.0).abs() < 1e-12 && (ratios.max - ratios.min) < 1e-12);
        assert!(ratios.resolved());
        assert_eq!(Summary::of_ratios(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(Summary::of_ratios(&[0.0], &[0.0]), None);
        assert_eq!(Summary::of_ratios(&[1.0], &[0.0]), None);
        assert!(!Summary::of_ratios(&[0.9, 1.1, 0.8, 1.2, 0.9], &[1.0; 5]).unwrap().resolved());
        assert!(!Summary::of_ratios(&[2.0], &[1.0]).unwrap().resolved(), "one sample tells nothing");
    }

    #[test]
    fn half_widths_are_relative_to_the_median() {
        let summary = Summary { count: 9, median: 2.0, min: 1.0, max: 3.0, low: 1.9, high: 2.1 };
        assert!((summary.half_width() - 0.05).abs() < 1e-12);
        assert_eq!(Summary::of(&[0.0; 5]).unwrap().half_width(), 0.0);
    }

    #[test]
    fn outliers_are_far_from_the_others_and_nothing_else_is() {
        assert_eq!(outliers(&[1.00, 1.02, 0.98, 1.01, 9.0, 0.99, 1.03]), [4]);
        assert!(outliers(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).is_empty());
        // Equal but for a page, and equal but for one that is really different.
        assert!(outliers(&[1e6, 1e6, 1e6, 1e6, 1e6, 1e6 + 4096.0]).is_empty());
        assert_eq!(outliers(&[5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 50.0]), [6]);
        assert!(outliers(&[5.0; 8]).is_empty() && outliers(&[]).is_empty());
    }

    #[test]
    fn geometric_means_treat_twice_and_half_alike() {
        assert!((geometric_mean(&[2.0, 0.5]).unwrap() - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[1.0, 10.0, 100.0]).unwrap() - 10.0).abs() < 1e-9);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }

    #[test]
    fn only_what_nothing_beats_in_both_is_on_the_front() {
        let costs = [(1.0, 4.0), (2.0, 2.0), (2.0, 3.0), (4.0, 1.0), (4.0, 1.0), (5.0, 1.0)];
        assert_eq!(front(&costs), [true, true, false, true, true, false]);
    }
}
