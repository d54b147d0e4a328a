//! Whether a canary does better or worse than what runs beside it, from figures over time.
//!
//! Both are measured at the same moments under the same load, so what counts is the logarithm of their ratio at each
//! moment. Moments are no independent witnesses: a cache that is warm now is warm in a minute. How wide the interval must be is
//! told in two ways, and the wider one counts: by the autocorrelation, which tells how many moments count as one; and by the
//! means of a few pieces of the time (batch means, R. W. Conway, 1963), which see what changes slowly.

use serde::Serialize;

use crate::Error;
use crate::estimate::{Estimate, Ratio};
use crate::power::outside;
use crate::prometheus::Series;

/// Pieces that the time is cut into.
const PIECES: usize = 10;
/// Fewest moments, of those that count, from which anything is told.
const FEWEST: f64 = 10.0;
/// Fewest moments in a piece.
const ENOUGH: usize = 4;

/// How a canary does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It certainly takes less.
    Better,
    /// It certainly takes more.
    Worse,
    /// Neither is certain.
    Undecided,
}

/// One figure of both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// Its name.
    pub metric: String,
    /// How the candidate does.
    pub verdict: Verdict,
    /// The candidate's over the baseline's. Nodes are pieces of time, and blocks moments.
    pub ratio: Ratio,
    /// How many moments count as one, because what happens lasts.
    pub lasts: f64,
}

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// Worse where any figure is; else better where any is.
    pub verdict: Verdict,
    /// The probability with which all intervals hold together.
    pub level: f64,
    /// Each figure.
    pub metrics: Vec<Judged>,
}

/// Judges figures, of which less is better: name, baseline, candidate.
///
/// # Errors
/// [`Error`]: the two are of different times, or have too little time in common.
pub fn judge(metrics: &[(String, Series, Series)]) -> Result<Judgement, Error> {
    let outside = outside(metrics.len().max(1));
    let one =
        |(name, baseline, candidate): &(String, Series, Series)| one(name, baseline, candidate, outside);
    let metrics = metrics.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    let any = |verdict| metrics.iter().any(|one| one.verdict == verdict);
    let found = [Verdict::Worse, Verdict::Better].into_iter().find(|verdict| any(*verdict));
    Ok(Judgement { verdict: found.unwrap_or(Verdict::Undecided), level: crate::power::LEVEL, metrics })
}

fn one(name: &str, baseline: &Series, candidate: &Series, outside: f64) -> Result<Judged, Error> {
    let ratios = ratios(name, baseline, candidate)?;
    let (estimate, lasts) = estimate(&ratios);
    let ratio = estimate.ratio(outside);
    let verdict = match () {
        () if ratio.is_less() => Verdict::Better,
        () if ratio.is_more() => Verdict::Worse,
        () => Verdict::Undecided,
    };
    Ok(Judged { metric: name.to_owned(), verdict, ratio, lasts })
}

/// Logarithms of the ratio at every moment that both have, in order.
fn ratios(name: &str, baseline: &Series, candidate: &Series) -> Result<Vec<f64>, Error> {
    let ends = |series: &Series| {
        let ends = [series.points.keys().next(), series.points.keys().next_back()];
        ends.map(|time| time.copied().unwrap_or_default())
    };
    let (of_baseline, of_candidate) = (ends(baseline), ends(candidate));
    let step = baseline.step().max(candidate.step());
    let apart = of_baseline.iter().zip(of_candidate).any(|(one, other)| (one - other).abs() > step);
    // A figure that is 0 has no ratio: nothing was asked of it then.
    let both = baseline.points.iter().filter_map(|(time, base)| Some((*base, *candidate.points.get(time)?)));
    let both: Vec<(f64, f64)> = both.collect();
    let of_other_moments = 2 * both.len() < baseline.points.len().min(candidate.points.len());
    if apart || of_other_moments || baseline.step() != candidate.step() {
        let range = |[begin, end]: [i64; 2], step: i64| {
            format!("{} to {}, every {} s", begin / 1000, end / 1000, step as f64 / 1000.0)
        };
        return Err(Error::OtherTimes {
            metric: name.to_owned(),
            baseline: range(of_baseline, baseline.step()),
            candidate: range(of_candidate, candidate.step()),
        });
    }
    let positive = both.iter().filter(|(base, other)| *base > 0.0 && *other > 0.0);
    let ratios: Vec<f64> = positive.map(|(base, other)| (other / base).ln()).collect();
    let needed = PIECES * ENOUGH;
    match ratios.len() < needed {
        true => Err(Error::TooShort { metric: name.to_owned(), moments: ratios.len(), needed }),
        false => Ok(ratios),
    }
}

/// The mean, and how many moments count as one.
fn estimate(values: &[f64]) -> (Estimate, f64) {
    let (count, center) = (values.len() as f64, mean(values));
    let lasts = lasts(values);
    let by_moments =
        values.iter().map(|value| (value - center).powi(2)).sum::<f64>() / (count - 1.0) * lasts / count;
    let pieces = PIECES as f64;
    let bounds = |piece: usize| piece * values.len() / PIECES;
    let means = (0..PIECES).map(|piece| mean(&values[bounds(piece)..bounds(piece + 1)]));
    let by_pieces = means.map(|mean| (mean - center).powi(2)).sum::<f64>() / (pieces - 1.0) / pieces;
    let estimate = Estimate {
        mean: center,
        variance: by_moments.max(by_pieces),
        // Of a few no one knows how many they are.
        degrees: if count / lasts < FEWEST { 0.0 } else { (count / lasts - 1.0).min(pieces - 1.0) },
        nodes: PIECES,
        blocks: values.len(),
    };
    (estimate, lasts)
}

/// How many moments count as one, because what happens lasts: by the sum of autocorrelations, from both sides, as long as those of
/// two neighbours together are positive (C. J. Geyer, 1992); or, if that is more, as in a series in which each follows
/// the one before.
fn lasts(values: &[f64]) -> f64 {
    let (count, center) = (values.len(), mean(values));
    let product = |lag: usize| -> f64 {
        values.iter().zip(&values[lag..]).map(|(one, other)| (one - center) * (other - center)).sum()
    };
    let all = product(0);
    // The same at every moment, but for rounding.
    if all < 1e-18 * count as f64 {
        return 1.0;
    }
    let pair = |lag: usize| (product(lag) + product(lag + 1)) / all;
    let pairs = (0..count / 2).map(|at| pair(2 * at)).take_while(|pair| *pair > 0.0);
    let by_sum = 2.0 * pairs.sum::<f64>() - 1.0;
    // In a short series it comes out too small by about (1 + 4 r) / n (M. G. Kendall, 1954).
    let seen = product(1) / all;
    let follows = (seen + (1.0 + 4.0 * seen) / count as f64).clamp(0.0, 0.99);
    by_sum.max((1.0 + follows) / (1.0 - follows))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: &[f64]) -> Series {
        let points = values.iter().enumerate().map(|(at, value)| (30_000 * at as i64, *value)).collect();
        Series { place: "here".into(), points }
    }

    /// A series in which each value follows the one before, as far as `follows` says.
    fn following(random: &mut fastrand::Rng, count: usize, follows: f64, noise: f64) -> Vec<f64> {
        let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let mut last = normal();
        let next = |_| {
            last = follows * last + (1.0 - follows * follows).sqrt() * normal();
            noise * last
        };
        (0..count).map(next).collect()
    }

    fn verdict(random: &mut fastrand::Rng, count: usize, follows: f64, effect: f64) -> Verdict {
        let [base, other] = [(); 2].map(|()| following(random, count, follows, 0.03));
        // Both have the same load.
        let load = following(random, count, 0.99, 0.5);
        let of = |noise: &[f64], effect: f64| {
            series(
                &noise
                    .iter()
                    .zip(&load)
                    .map(|(noise, load)| effect * (noise + load).exp())
                    .collect::<Vec<_>>(),
            )
        };
        let metrics = [("memory".to_owned(), of(&base, 1.0), of(&other, 1.0 + effect))];
        judge(&metrics).unwrap().verdict
    }

    #[test]
    fn what_lasts_is_not_taken_for_a_difference() {
        // Moments, how much each follows the one before, and the percentage in which a tenth is found at least.
        for (count, follows, least) in
            [(60, 0.0, 99), (120, 0.5, 99), (120, 0.8, 60), (120, 0.9, 0), (480, 0.9, 95)]
        {
            let random = &mut fastrand::Rng::with_seed(5);
            let told = |effect: f64, random: &mut fastrand::Rng| {
                let told = (0..200).filter(|_| verdict(random, count, follows, effect) != Verdict::Undecided);
                told.count() / 2
            };
            let (wrong, found) = (told(0.0, random), told(0.1, random));
            println!("{count} moments, following {follows}: {wrong} % wrong, {found} % found");
            assert!(wrong <= 5 && found >= least, "{count}, {follows}: {wrong} % wrong, {found} % found");
        }
    }

    #[test]
    fn one_worse_figure_is_enough() {
        let noise = |at: usize| 1.0 + 0.01 * ((at * 7) % 5) as f64;
        let base: Vec<f64> = (0..100).map(noise).collect();
        let times = |factor: f64| series(&base.iter().map(|value| factor * value).collect::<Vec<_>>());
        let metric = |name: &str, factor: f64| (name.to_owned(), series(&base), times(factor));
        let judged = judge(&[metric("memory", 0.8), metric("latency", 1.0), metric("cpu", 1.1)]).unwrap();
        let verdicts: Vec<Verdict> = judged.metrics.iter().map(|one| one.verdict).collect();
        assert_eq!(verdicts, [Verdict::Better, Verdict::Undecided, Verdict::Worse]);
        assert_eq!(judged.verdict, Verdict::Worse);
        let better = judge(&[metric("memory", 0.8), metric("latency", 1.0)]).unwrap();
        assert_eq!((better.verdict, better.metrics[0].ratio.blocks), (Verdict::Better, 100));
    }

    #[test]
    fn other_times_and_short_ones_are_refused() {
        let flat = |count: usize| series(&vec![1.0; count]);
        let refused = |one: Series, other: Series| judge(&[("memory".into(), one, other)]).unwrap_err();
        let error = refused(flat(100), flat(60));
        assert!(matches!(error, Error::OtherTimes { .. }), "{error}");
        let mut shifted = flat(100);
        shifted.points = shifted.points.iter().map(|(time, value)| (time + 7_000, *value)).collect();
        assert!(matches!(refused(flat(100), shifted), Error::OtherTimes { .. }));
        let error = refused(flat(20), flat(20));
        assert_eq!(error.to_string(), "`memory` has 20 moments with a figure of both; it takes 40");
        assert!(matches!(refused(flat(100), series(&[0.0; 100])), Error::TooShort { moments: 0, .. }));
    }
}
