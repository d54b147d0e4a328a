//! How many blocks it takes.

use crate::estimate::quantile;

/// The probability with which all intervals of a report hold together.
pub const LEVEL: f64 = 0.95;
/// The probability with which a difference that is there is told, with the blocks that [`blocks`] gives.
pub const POWER: f64 = 0.80;
/// What the logarithm of a ratio within a block differs from block to block (standard deviation), where nothing is known yet: two
/// runs with 2.5 % each, 1 % from node to node, and one run in a hundred that something disturbs by up to a half.
pub const NOISE: f64 = 0.052;

/// How many intervals of a report hold together: each candidate beside the one that is used now, on each pool and on all. It
/// follows from the plan alone, so that a report of half the blocks is no bolder than one of all.
pub fn intervals(pools: usize, candidates: usize) -> usize {
    let answers = if pools > 1 { pools + 1 } else { pools };
    (answers * candidates.saturating_sub(1)).max(1)
}

/// What may lie outside each of these intervals, so that all hold together (C. E. Bonferroni, 1936).
pub fn outside(intervals: usize) -> f64 {
    (1.0 - LEVEL) / intervals as f64
}

/// Blocks that a pool needs for a difference of `effect` (0.03 for three percent) to be told with probability [`POWER`],
/// where the logarithm of a ratio differs by `noise` from block to block. They are to be spread over as many nodes, or
/// evenly over all nodes that the pool has; on fewer nodes no number of blocks may be enough.
pub fn blocks(effect: f64, noise: f64, intervals: usize) -> u32 {
    let effect = effect.ln_1p().abs().max(1e-4);
    let enough = |blocks: &u32| {
        let degrees = f64::from(blocks - 1);
        let factor = quantile(1.0 - outside(intervals) / 2.0, degrees).zip(quantile(POWER, degrees));
        factor.is_some_and(|(certain, found)| (certain + found) * noise <= effect * f64::from(*blocks).sqrt())
    };
    // It grows with the number, so the first one can be searched for by halves.
    let (mut low, mut high) = (2, 1 << 24);
    while low < high {
        let middle = u32::midpoint(low, high);
        match enough(&middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_to_tell_and_more_noise_take_more_blocks() {
        // One interval of 95 %: the textbook's (1.96 + 0.84)² × 1.5 = 12, and some more for Student's distribution.
        let one = blocks(0.03, 0.037, intervals(1, 2));
        assert!((13..=16).contains(&one), "{one}");
        assert!(blocks(0.03, 0.037, intervals(40, 4)) > one);
        assert!(blocks(0.01, 0.037, 1) > 6 * one && 2 * blocks(0.03, 0.0185, 1) < one + 2);
        assert_eq!((intervals(1, 4), intervals(40, 4), intervals(3, 1)), (3, 123, 1));
    }
}
