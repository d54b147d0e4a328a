//! When a session has measured enough: arithmetic only, so that tests need no clock.

use std::time::Duration;

use crate::outcome::{Measured, Stop};
use crate::session::Progress;
use crate::{Figure, Session, Summary, Variant};

impl Session {
    /// Whether to stop after so many blocks, those for warming up included, that took so long together.
    pub(crate) fn stop(&self, blocks: usize, elapsed: Duration, measured: &[Measured]) -> Option<Stop> {
        let counted = blocks.checked_sub(self.warmup_blocks).filter(|&counted| counted > 0)?;
        if counted < self.fewest() {
            return None;
        }
        if self.precision.is_some_and(|precision| self.widest(measured) <= precision) {
            return Some(Stop::Precise);
        }
        if counted >= self.blocks {
            return Some(Stop::Blocks);
        }
        let next = elapsed + elapsed / u32::try_from(blocks).unwrap_or(u32::MAX);
        self.budget.is_some_and(|budget| next > budget).then_some(Stop::Budget)
    }

    fn fewest(&self) -> usize {
        self.min_blocks.min(self.blocks)
    }

    /// The widest interval of the watched figures; infinite when a watched figure is lacking.
    fn widest(&self, measured: &[Measured]) -> f64 {
        self.watched.iter().map(|figure| widest(figure, measured)).fold(0.0, f64::max)
    }

    /// Where a session of so many variants is before this one runs.
    pub(crate) fn progress<'a>(
        &self,
        variants: usize,
        variant: &'a Variant,
        done: usize,
        elapsed: Duration,
    ) -> Progress<'a> {
        let most = (self.warmup_blocks + self.blocks) * variants;
        let remaining = (done >= variants).then(|| {
            let each = elapsed.div_f64(done as f64);
            let fewest = (self.warmup_blocks + self.fewest()) * variants;
            let all = each.mul_f64(most.saturating_sub(done) as f64);
            let needed = each.mul_f64(fewest.saturating_sub(done) as f64);
            self.budget.map_or(all, |budget| all.min(budget.saturating_sub(elapsed).max(needed)))
        });
        Progress { variant, done, most, elapsed, remaining }
    }
}

/// Half-width of the widest interval among the ratios to the first variant, or of the only variant's own figure.
fn widest(figure: &Figure, measured: &[Measured]) -> f64 {
    let half_width = |summary: Option<Summary>| summary.map_or(f64::INFINITY, |summary| summary.half_width());
    let values: Option<Vec<Vec<f64>>> = measured.iter().map(|variant| figure.values(variant)).collect();
    match values.as_deref() {
        None | Some([]) => f64::INFINITY,
        Some([only]) => half_width(Summary::of(only)),
        Some([baseline, others @ ..]) => {
            others.iter().map(|other| half_width(Summary::of_ratios(other, baseline))).fold(0.0, f64::max)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;

    const SECOND: Duration = Duration::from_secs(1);

    fn measured(walls: &[&[f64]]) -> Vec<Measured> {
        let sample = |&wall_seconds: &f64| Sample { wall_seconds, ..Sample::default() };
        walls
            .iter()
            .enumerate()
            .map(|(index, walls)| {
                let mut measured = Measured::new(Variant::new(index.to_string(), "program"));
                measured.samples = walls.iter().map(sample).collect();
                measured
            })
            .collect()
    }

    fn plan(budget: u32, precision: f64) -> Session {
        Session::adaptive(budget * SECOND, precision).blocks_between(5, 20)
    }

    #[test]
    fn steady_ratios_stop_early_however_the_machine_drifts() {
        // Both variants take ten times as long in the end, and their ratio stays within half a percent.
        let baseline = [1.0, 2.0, 4.0, 8.0, 10.0];
        let other = [2.0, 4.01, 8.0, 15.98, 20.0];
        let steady = measured(&[&baseline, &other]);
        assert_eq!(plan(1_000, 0.01).stop(6, SECOND, &steady), Some(Stop::Precise));
        assert_eq!(plan(1_000, 0.000_1).stop(6, SECOND, &steady), None);
    }

    #[test]
    fn few_blocks_are_never_precise() {
        let steady = measured(&[&[1.0; 4], &[2.0; 4]]);
        assert_eq!(plan(1_000, 0.01).stop(5, SECOND, &steady), None);
        assert_eq!(plan(1_000, 0.01).stop(1, SECOND, &measured(&[&[], &[]])), None);
    }

    #[test]
    fn noise_goes_on_until_time_or_blocks_end() {
        let noisy = measured(&[&[1.0; 6], &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]]);
        let plan = plan(100, 0.01);
        assert_eq!(plan.stop(7, 80 * SECOND, &noisy), None, "another block of 11.4 s ends in time");
        assert_eq!(plan.stop(7, 90 * SECOND, &noisy), Some(Stop::Budget), "one of 12.9 s would not");
        assert_eq!(plan.stop(21, SECOND, &noisy), Some(Stop::Blocks));
        assert_eq!(plan.stop(3, 900 * SECOND, &noisy), None, "the fewest blocks come first");
    }

    #[test]
    fn every_watched_figure_counts_and_a_lacking_one_is_not_precise() {
        let steady = measured(&[&[1.0; 6], &[2.0; 6]]);
        let watching = |figures: Vec<Figure>| {
            Session::adaptive(SECOND * 100, 0.01).watch(figures).stop(7, SECOND, &steady)
        };
        assert_eq!(watching(vec![Figure::Wall]), Some(Stop::Precise));
        assert_eq!(watching(vec![Figure::Wall, Figure::metric("rate")]), None);
    }

    #[test]
    fn a_single_variant_is_judged_by_itself() {
        let plan = Session::adaptive(SECOND * 100, 0.01);
        assert_eq!(plan.stop(7, SECOND, &measured(&[&[1.0; 6]])), Some(Stop::Precise));
        assert_eq!(plan.stop(7, SECOND, &measured(&[&[1.0, 2.0, 1.0, 2.0, 1.5, 1.7]])), None);
    }

    #[test]
    fn a_fixed_number_of_blocks_is_kept() {
        let plan = Session::new(3);
        let any = measured(&[&[1.0; 3], &[1.0; 3]]);
        assert_eq!(plan.stop(3, 900 * SECOND, &any), None);
        assert_eq!(plan.stop(4, 900 * SECOND, &any), Some(Stop::Blocks));
    }

    #[test]
    fn the_rest_is_estimated_from_what_is_done() {
        let plan = plan(60, 0.01);
        let variant = Variant::new("a", "a");
        let remaining = |done, elapsed: u32| plan.progress(2, &variant, done, elapsed * SECOND).remaining;
        assert_eq!(remaining(1, 5), None);
        // 12 runs are the fewest, 42 the most.
        assert_eq!(remaining(2, 2), Some(SECOND * 40), "all blocks fit into the budget");
        assert_eq!(remaining(2, 4), Some(SECOND * 56), "the budget ends first");
        assert_eq!(remaining(2, 20), Some(SECOND * 100), "the fewest blocks take longer than the budget");
    }
}
