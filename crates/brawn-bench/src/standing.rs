//! How variants stand to the baseline over a whole run: means, the worst row, and which no other beats.

use std::collections::BTreeMap;

use crate::results::{Kind, Results};
use crate::statistics;
use crate::table::Table;

/// A variant over all rows that every variant of a run has.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The variant's name.
    pub variant: String,
    /// Its times.
    pub time: Costs,
    /// Its memory.
    pub memory: Costs,
    /// Whether no other variant is better in one of the two means and at least as good in the other.
    pub front: bool,
}

/// What a variant costs beside the baseline over several rows: below 1 is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// The geometric mean.
    pub mean: f64,
    /// The dearest row.
    pub worst: f64,
    /// Where that is: suite, case and row.
    pub worst_at: String,
}

impl Results {
    /// How each variant stands, in their order; a variant that lacks a row of either kind everywhere is left out.
    pub fn standings(&self) -> Vec<Standing> {
        let time = self.costs(Kind::Time);
        let memory = self.costs(Kind::Memory);
        let both = self.variants.iter().filter_map(|variant| {
            let name = variant.name.as_str();
            Some((name, time.get(name)?.clone(), memory.get(name)?.clone()))
        });
        let (names, points): (Vec<_>, Vec<_>) =
            both.map(|(name, time, memory)| (name, (time, memory))).unzip();
        let means: Vec<_> = points.iter().map(|(time, memory)| (time.mean, memory.mean)).collect();
        let standing = |((name, (time, memory)), front): ((&str, (Costs, Costs)), bool)| Standing {
            variant: name.to_owned(),
            time,
            memory,
            front,
        };
        names.into_iter().zip(points).zip(statistics::front(&means)).map(standing).collect()
    }

    /// Over the rows of a kind that the most variants have: means over different rows could not be compared.
    fn costs(&self, kind: Kind) -> BTreeMap<String, Costs> {
        let rows = || self.rows().filter(|(_, _, row)| row.kind == kind);
        let most = rows().map(|(_, _, row)| row.cells.len()).max().unwrap_or(0);
        let mut all: BTreeMap<String, Vec<(f64, String)>> = BTreeMap::new();
        let mut count = 0;
        for (suite, case, row) in rows().filter(|(_, _, row)| row.cells.len() == most) {
            let costs: Option<Vec<f64>> = row.cells.iter().map(|cell| row.cost(cell)).collect();
            let Some(costs) = costs else { continue };
            count += 1;
            for (cell, cost) in row.cells.iter().zip(costs) {
                let place = format!("{}, {}, {}", suite.name, case.name, row.name);
                all.entry(cell.variant.clone()).or_default().push((cost, place));
            }
        }
        all.into_iter()
            .filter(|(_, costs)| costs.len() == count)
            .filter_map(|(variant, costs)| {
                let each: Vec<f64> = costs.iter().map(|(cost, _)| *cost).collect();
                let mean = statistics::geometric_mean(&each)?;
                let (worst, worst_at) = costs.into_iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
                Some((variant, Costs { mean, worst, worst_at }))
            })
            .collect()
    }
}

/// The standings as a table, the fastest first.
pub fn table(standings: &[Standing]) -> Table {
    let mut sorted: Vec<&Standing> = standings.iter().collect();
    sorted.sort_by(|one, other| one.time.mean.total_cmp(&other.time.mean));
    let mut table = Table::new(["variant", "time", "memory", "front", "slowest row", "fattest row"]);
    for standing in sorted {
        let worst = |costs: &Costs| format!("{:.2} {}", costs.worst, costs.worst_at);
        table.row([
            standing.variant.clone(),
            format!("{:.3}", standing.time.mean),
            format!("{:.3}", standing.memory.mean),
            if standing.front { "*" } else { "" }.to_owned(),
            worst(&standing.time),
            worst(&standing.memory),
        ]);
    }
    table
}
