//! How variants stand to the baseline over a whole run: means, the worst row, and which no other beats.

use std::collections::BTreeMap;

use brawn_measure::results::{Kind, Results};
use brawn_measure::{Table, statistics};

/// A variant over a whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The variant's name.
    pub variant: String,
    /// Its times.
    pub time: Costs,
    /// Its memory.
    pub memory: Costs,
    /// Suite by suite.
    pub suites: Vec<SuiteCosts>,
    /// Whether no other variant is better in one of the two means and at least as good in the other. Never for one that
    /// lacks a suite: its means are of something else.
    pub front: bool,
}

/// What a variant costs beside the baseline: below 1 is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// The geometric mean of the suites' geometric means, so that a suite of many rows does not count for more than one of
    /// few.
    pub mean: f64,
    /// The dearest row.
    pub worst: f64,
    /// Where that is: suite, case and row.
    pub worst_at: String,
}

/// The means of a suite; none where it has no such rows, or the variant lacks some.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteCosts {
    /// The suite's name.
    pub suite: String,
    /// Of its rows of time.
    pub time: Option<f64>,
    /// Of its rows of memory.
    pub memory: Option<f64>,
}

/// How each variant stands, in their order; a variant without any figure of either kind is left out.
pub fn standings(results: &Results) -> Vec<Standing> {
    let mut means: BTreeMap<(&str, Kind), BTreeMap<String, f64>> = BTreeMap::new();
    let all = results.geometric_means();
    for mean in &all {
        means.insert((&mean.suite, mean.kind), mean.ratios.clone());
    }
    let worst = [Kind::Time, Kind::Memory].map(|kind| worst_rows(results, kind));
    let mut standings: Vec<(Standing, bool)> = Vec::new();
    for variant in &results.variants {
        let of = |suite: &str, kind| means.get(&(suite, kind))?.get(&variant.name).copied();
        let suites: Vec<SuiteCosts> = results
            .suites
            .iter()
            .map(|suite| SuiteCosts {
                suite: suite.name.clone(),
                time: of(&suite.name, Kind::Time),
                memory: of(&suite.name, Kind::Memory),
            })
            .collect();
        let costs = |kind: Kind, worst: &BTreeMap<String, (f64, String)>| {
            let values: Vec<f64> = suites.iter().filter_map(|suite| of(&suite.suite, kind)).collect();
            let (worst, worst_at) = worst.get(&variant.name)?.clone();
            Some(Costs { mean: statistics::geometric_mean(&values)?, worst, worst_at })
        };
        let (Some(time), Some(memory)) = (costs(Kind::Time, &worst[0]), costs(Kind::Memory, &worst[1]))
        else {
            continue;
        };
        let whole = means.values().all(|ratios| ratios.contains_key(&variant.name));
        let variant = variant.name.clone();
        standings.push((Standing { variant, time, memory, suites, front: false }, whole));
    }
    // Who lacks a suite is beaten by everyone.
    let point = |(standing, whole): &(Standing, bool)| match whole {
        true => (standing.time.mean, standing.memory.mean),
        false => (f64::INFINITY, f64::INFINITY),
    };
    let points: Vec<(f64, f64)> = standings.iter().map(point).collect();
    for ((standing, whole), front) in standings.iter_mut().zip(statistics::front(&points)) {
        standing.front = *whole && front;
    }
    standings.into_iter().map(|(standing, _)| standing).collect()
}

/// The dearest row of a kind for each variant.
fn worst_rows(results: &Results, kind: Kind) -> BTreeMap<String, (f64, String)> {
    let mut worst: BTreeMap<String, (f64, String)> = BTreeMap::new();
    for (suite, case, row) in results.rows().filter(|(_, _, row)| row.kind == kind) {
        for cell in &row.cells {
            let Some(cost) = row.cost(cell) else { continue };
            if worst.get(&cell.variant).is_none_or(|(known, _)| cost > *known) {
                let place = format!("{}, {}, {}", suite.name, case.name, row.name);
                worst.insert(cell.variant.clone(), (cost, place));
            }
        }
    }
    worst
}

fn fastest_first(standings: &[Standing]) -> Vec<&Standing> {
    let mut sorted: Vec<&Standing> = standings.iter().collect();
    sorted.sort_by(|one, other| one.time.mean.total_cmp(&other.time.mean));
    sorted
}

/// The standings as a table, the fastest first: both means, and those of each suite.
pub fn table(standings: &[Standing]) -> Table {
    let suites = standings.first().map_or(&[][..], |standing| &standing.suites);
    let header = ["variant", "time", "memory", "front"].map(str::to_owned).into_iter();
    let mut table = Table::new(header.chain(suites.iter().map(|suite| suite.suite.clone())));
    for standing in fastest_first(standings) {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
        let means =
            [standing.variant.clone(), number(Some(standing.time.mean)), number(Some(standing.memory.mean))];
        let front = if standing.front { "*" } else { "" }.to_owned();
        let each = standing.suites.iter().map(|suite| match suite.memory {
            Some(_) => format!("{} {}", number(suite.time), number(suite.memory)),
            None => number(suite.time),
        });
        table.row(means.into_iter().chain([front]).chain(each));
    }
    table
}

/// Where each variant is at its worst, the fastest first.
pub fn worst(standings: &[Standing]) -> Table {
    let mut table = Table::new(["variant", "slowest row", "fattest row"]);
    for standing in fastest_first(standings) {
        let worst = |costs: &Costs| format!("{:.2} {}", costs.worst, costs.worst_at);
        table.row([standing.variant.clone(), worst(&standing.time), worst(&standing.memory)]);
    }
    table
}

#[cfg(test)]
#[path = "../../../crates/brawn-measure/tests/report/fixture.rs"]
#[allow(dead_code, reason = "the tests of the reports use all of it")]
mod fixture;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_name_the_worst_row_and_who_is_beaten_by_nobody() {
        let mut results = fixture::results();
        let found = standings(&results);
        let names: Vec<_> = found.iter().map(|standing| standing.variant.as_str()).collect();
        assert_eq!(names, fixture::VARIANTS, "every variant has every kind of row");
        let (glibc, stock) = (&found[0], &found[1]);
        assert_eq!((glibc.time.mean, glibc.memory.mean), (1.0, 1.0));
        assert!(stock.time.mean > 1.0 && stock.time.worst >= stock.time.mean && stock.memory.mean < 1.0);
        // Faster and smaller than glibc: glibc is not on the front, and no one beats the smallest.
        assert!(found[2].time.mean < 1.0 && found[2].memory.mean < 1.0);
        assert!(!glibc.front && stock.front && found[3].front);
        let place = &stock.time.worst_at;
        assert!(
            results
                .rows()
                .any(|(suite, case, row)| *place == format!("{}, {}, {}", suite.name, case.name, row.name))
        );
        let table = table(&found).to_text();
        assert!(table.lines().nth(1).unwrap().starts_with("fast "), "the fastest first: {table}");
        results.suites.clear();
        assert!(standings(&results).is_empty());
    }
}
