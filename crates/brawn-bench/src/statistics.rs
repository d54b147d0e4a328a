//! Medians, ranges and bootstrap intervals.
//!
//! Times on a shared machine have a long tail on one side, so means and standard deviations mislead; the median and the
//! minimum do not. Intervals come from resampling (percentile bootstrap, B. Efron, 1979), which assumes nothing
//! about the distribution.

use serde::{Deserialize, Serialize};

/// Resamples that a bootstrap draws: enough for the second digit of a 95 % interval.
const RESAMPLES: usize = 2_000;

/// A fixed seed: the same samples always give the same interval.
const SEED: u64 = 0x6272_6177_6e00_0001;

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
    /// Summary of the samples; none when there are none, or one of them is no finite
    /// number, which JSON could not hold.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut medians: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let mut resample: Vec<f64> =
                    samples.iter().map(|_| samples[random.usize(..samples.len())]).collect();
                resample.sort_by(f64::total_cmp);
                median_of_sorted(&resample)
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        Some(Self {
            count: samples.len(),
            median: median_of_sorted(&sorted),
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            low: medians[RESAMPLES * 25 / 1000],
            high: medians[RESAMPLES * 975 / 1000],
        })
    }

    /// Summary of `samples[i] / baseline[i]`: the ratio within each block, where both ran under the same conditions.
    /// None when the lists differ in length, are empty, or a ratio is not finite.
    pub fn of_ratios(samples: &[f64], baseline: &[f64]) -> Option<Self> {
        if samples.len() != baseline.len() {
            return None;
        }
        Self::of(&samples.iter().zip(baseline).map(|(sample, base)| sample / base).collect::<Vec<_>>())
    }
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
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
        assert_eq!(Summary::of(&[1.0, f64::INFINITY]), None);
    }

    #[test]
    fn the_interval_covers_the_true_median_about_nineteen_times_in_twenty() {
        // Samples of a known distribution: exponential with median ln 2, skewed as times are.
        let mut random = fastrand::Rng::with_seed(7);
        let covered = (0..120)
            .filter(|_| {
                let samples: Vec<f64> = (0..25).map(|_| -(1.0 - random.f64()).ln()).collect();
                let summary = Summary::of(&samples).unwrap();
                assert!(summary.low <= summary.median && summary.median <= summary.high);
                summary.low <= std::f64::consts::LN_2 && std::f64::consts::LN_2 <= summary.high
            })
            .count();
        assert!((105..=119).contains(&covered), "covered {covered} of 120");
    }

    #[test]
    fn ratios_are_taken_within_blocks() {
        // The machine was three times as slow in the second block: the ratio does not notice.
        let ratios = Summary::of_ratios(&[2.0, 6.0, 2.2], &[1.0, 3.0, 1.1]).unwrap();
        assert!((ratios.median - 2.0).abs() < 1e-12 && (ratios.max - ratios.min) < 1e-12);
        assert_eq!(Summary::of_ratios(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(Summary::of_ratios(&[0.0], &[0.0]), None);
        assert_eq!(Summary::of_ratios(&[1.0], &[0.0]), None);
    }
}
