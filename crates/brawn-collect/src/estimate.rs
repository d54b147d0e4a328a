//! How much one candidate costs beside another on a whole pool, from blocks on some of its nodes.
//!
//! Within a block both ran on one node within minutes, so the logarithm of their ratio is free of what makes one node, or
//! one hour, slower than another. What is left differs from node to node (a cache, a kernel, a neighbour may suit one candidate
//! better), and from block to block. Blocks on one node therefore are no independent witnesses of the pool: the node is
//! the unit that was drawn, and blocks are drawn within it (two-stage sampling, W. G. Cochran, "Sampling Techniques", 1977,
//! chapter 10). Where all nodes of the pool were measured there is nothing left to draw, and only the noise within nodes
//! remains.

use std::collections::BTreeMap;

use brawn_measure::statistics;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Fewest blocks of a node among which one can be seen to lie outside.
const ENOUGH: usize = 5;

/// A mean of logarithms, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over nodes, each counting alike.
    pub mean: f64,
    /// Variance of that mean.
    pub variance: f64,
    /// Degrees of freedom of the variance; 0 where nothing tells it.
    pub degrees: f64,
    /// Nodes.
    pub nodes: usize,
    /// Blocks.
    pub blocks: usize,
}

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ratio {
    /// The geometric mean over nodes.
    pub ratio: f64,
    /// Lower end of the interval; 0 where nothing is known.
    pub low: f64,
    /// Upper end; none where nothing is known.
    pub high: Option<f64>,
    /// Nodes that it rests on.
    pub nodes: usize,
    /// Blocks that it rests on.
    pub blocks: usize,
}

impl Ratio {
    /// Whether it certainly is below 1.
    pub fn is_less(&self) -> bool {
        self.high.is_some_and(|high| high < 1.0)
    }

    /// Whether it certainly is above 1.
    pub fn is_more(&self) -> bool {
        self.low > 1.0
    }
}

impl Estimate {
    /// From the logarithms of ratios by node; a block of no known node is one of its own. `population` is how many nodes the
    /// pool has, where that is a fixed number. None without any block.
    pub fn of(blocks: &[(Option<&str>, f64)], population: Option<u32>) -> Option<Self> {
        let mut nodes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut means = Vec::new();
        for &(node, value) in blocks {
            match node {
                Some(node) => nodes.entry(node).or_default().push(value),
                None => means.push(value),
            }
        }
        // Of the noise within nodes: sum of squares, its degrees of freedom, and the sum of 1 / blocks.
        let (mut squares, mut within, mut inverse) = (0.0, 0.0, means.len() as f64);
        for values in nodes.values_mut() {
            let clipped = clip(values) as f64;
            let center = mean(values);
            squares += values.iter().map(|value| (value - center).powi(2)).sum::<f64>();
            within += (values.len() - 1) as f64 - clipped;
            inverse += 1.0 / values.len() as f64;
            means.push(center);
        }
        let count = means.len();
        let nodes = count as f64;
        let center = (count > 0).then(|| mean(&means))?;
        let share = population.filter(|_| within >= 1.0).map_or(0.0, |all| (nodes / f64::from(all)).min(1.0));
        let between = match count {
            1 => f64::INFINITY,
            _ => means.iter().map(|mean| (mean - center).powi(2)).sum::<f64>() / (nodes - 1.0),
        };
        let parts = [
            // Of the nodes that were not measured, and of the noise in those that were.
            ((1.0 - share) * if share < 1.0 { between / nodes } else { 0.0 }, nodes - 1.0),
            (share * if share > 0.0 { squares / within * inverse / nodes.powi(2) } else { 0.0 }, within),
        ];
        Some(Self { mean: center, blocks: blocks.len(), nodes: count, ..Self::sum(&parts) })
    }

    /// The weighted mean of estimates that do not depend on each other; weights are relative. None without any.
    pub fn weighted(estimates: &[(f64, Self)]) -> Option<Self> {
        let whole: f64 = estimates.iter().map(|(weight, _)| weight).sum();
        let mean = estimates.iter().map(|(weight, estimate)| weight / whole * estimate.mean).sum();
        let part = |(weight, estimate): &(f64, Self)| {
            ((weight / whole).powi(2) * estimate.variance, estimate.degrees)
        };
        let parts: Vec<(f64, f64)> = estimates.iter().map(part).collect();
        let total = |count: fn(&Self) -> usize| estimates.iter().map(|(_, estimate)| count(estimate)).sum();
        (whole > 0.0).then(|| Self {
            mean,
            nodes: total(|estimate| estimate.nodes),
            blocks: total(|estimate| estimate.blocks),
            ..Self::sum(&parts)
        })
    }

    /// The sum of variances that are known with some degrees of freedom (F. E. Satterthwaite, 1946).
    fn sum(parts: &[(f64, f64)]) -> Self {
        let variance: f64 = parts.iter().map(|(variance, _)| variance).sum();
        let known = || parts.iter().filter(|(variance, _)| *variance > 0.0);
        let spread: f64 = known().map(|(variance, degrees)| variance.powi(2) / degrees).sum();
        let degrees = match variance {
            variance if !variance.is_finite() => 0.0,
            // Without any noise.
            0.0 => parts.iter().map(|(_, degrees)| degrees).sum(),
            variance => variance.powi(2) / spread,
        };
        Self { mean: 0.0, variance, degrees, nodes: 0, blocks: 0 }
    }

    /// As a ratio. What lies outside of the interval, on both sides together, has the probability `outside`.
    pub fn ratio(&self, outside: f64) -> Ratio {
        let reach = quantile(1.0 - outside / 2.0, self.degrees).map(|factor| factor * self.variance.sqrt());
        Ratio {
            ratio: self.mean.exp(),
            low: reach.map_or(0.0, |reach| (self.mean - reach).exp()),
            high: reach.map(|reach| (self.mean + reach).exp()).filter(|high| high.is_finite()),
            nodes: self.nodes,
            blocks: self.blocks,
        }
    }
}

/// The quantile of Student's distribution; none without a degree of freedom.
pub(crate) fn quantile(probability: f64, degrees: f64) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, degrees).ok().filter(|_| degrees > 0.0)?;
    Some(distribution.inverse_cdf(probability)).filter(|value| value.is_finite())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Moves the logarithms of a node that lie far outside the others to the nearest of those: a run that something disturbed
/// counts as a bad one, not as ten. How many they were. (Not among nodes: one that differs from all others is no accident.)
fn clip(values: &mut [f64]) -> usize {
    if values.len() < ENOUGH {
        return 0;
    }
    let ratios: Vec<f64> = values.iter().map(|value| value.exp()).collect();
    let outside = statistics::outliers(&ratios);
    let inside =
        || values.iter().enumerate().filter(|(at, _)| !outside.contains(at)).map(|(_, value)| *value);
    let (low, high) = (inside().fold(f64::INFINITY, f64::min), inside().fold(f64::NEG_INFINITY, f64::max));
    for &at in &outside {
        values[at] = values[at].clamp(low, high);
    }
    outside.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks<'a>(nodes: &[(&'a str, &[f64])]) -> Vec<(Option<&'a str>, f64)> {
        nodes.iter().flat_map(|(node, values)| values.iter().map(|value| (Some(*node), *value))).collect()
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (degrees, expected) in [(1.0, 12.706), (2.0, 4.303), (10.0, 2.228), (1000.0, 1.962)] {
            assert!((quantile(0.975, degrees).unwrap() - expected).abs() < 1e-3, "{degrees}");
        }
        assert!((quantile(0.9998, 19.0).unwrap() - 4.29).abs() < 0.05);
        assert_eq!(quantile(0.975, 0.0), None);
    }

    #[test]
    fn one_block_a_node_is_students_interval() {
        let values = [0.01, 0.03, 0.02, 0.04, 0.05];
        let unnamed: Vec<_> = values.iter().map(|value| (None, *value)).collect();
        let estimate = Estimate::of(&unnamed, None).unwrap();
        assert!((estimate.mean - 0.03).abs() < 1e-12 && (estimate.variance - 0.00025 / 5.0).abs() < 1e-12);
        assert_eq!((estimate.degrees, estimate.nodes), (4.0, 5));
        let ratio = estimate.ratio(0.05);
        assert!((ratio.low.ln() - (0.03 - 2.776 * 0.007_071)).abs() < 1e-5, "{ratio:?}");
        assert_eq!(
            Estimate::of(&unnamed, Some(5)).unwrap(),
            estimate,
            "one block tells nothing of noise within"
        );
    }

    #[test]
    fn a_hundred_blocks_on_three_nodes_are_three_nodes() {
        let many: Vec<f64> = (0..100).map(|at| f64::from(at % 10) / 1000.0).collect();
        let near = |center: f64| many.iter().map(|value| value + center).collect::<Vec<_>>();
        let (a, b, c) = (near(0.01), near(0.03), near(0.05));
        let nodes = blocks(&[("a", &a), ("b", &b), ("c", &c)]);
        let drawn = Estimate::of(&nodes, None).unwrap();
        assert!((drawn.degrees - 2.0).abs() < 1e-9 && drawn.variance.sqrt() > 0.011, "{drawn:?}");
        assert!(!drawn.ratio(0.05).is_more());
        let all = Estimate::of(&nodes, Some(3)).unwrap();
        assert!(all.degrees > 290.0 && all.variance.sqrt() < 0.001, "{all:?}");
        assert!(all.ratio(0.05).is_more(), "these three are the pool");
        let some = Estimate::of(&nodes, Some(6)).unwrap();
        assert!(all.variance < some.variance && some.variance < drawn.variance);
    }

    #[test]
    fn one_node_says_nothing_of_others() {
        let nodes = blocks(&[("a", &[0.1, 0.11, 0.1, 0.12])]);
        let ratio = Estimate::of(&nodes, None).unwrap().ratio(0.05);
        assert_eq!((ratio.low, ratio.high, ratio.nodes, ratio.blocks), (0.0, None, 1, 4));
        assert!(Estimate::of(&nodes, Some(1)).unwrap().ratio(0.05).is_more(), "there are no others");
        assert_eq!(Estimate::of(&[], None), None);
    }

    #[test]
    fn a_disturbed_run_counts_as_a_bad_one() {
        let nodes = blocks(&[
            ("a", &[0.05, 0.04, 0.06, 0.05, 0.07, 2.0]),
            ("b", &[0.05, 0.05, 0.04, 0.06, 0.05, 0.05]),
        ]);
        let estimate = Estimate::of(&nodes, Some(2)).unwrap();
        assert!((estimate.mean - 0.053).abs() < 0.001 && estimate.ratio(0.05).is_more(), "{estimate:?}");
    }

    #[test]
    fn pools_are_weighed() {
        let of = |mean| Estimate { mean, variance: 0.01, degrees: 5.0, nodes: 2, blocks: 3 };
        let both = Estimate::weighted(&[(3.0, of(0.0)), (1.0, of(0.4))]).unwrap();
        assert!((both.mean - 0.1).abs() < 1e-12 && (both.variance - 0.00625).abs() < 1e-12);
        assert!(both.degrees > 5.0 && both.degrees < 10.0 && (both.nodes, both.blocks) == (4, 6));
        assert_eq!(Estimate::weighted(&[]), None);
    }
}
