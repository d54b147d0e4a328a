//! Geometric means of the ratios to the baseline, a figure for each suite, variant and kind.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::results::{Better, CaseResult, Cell, Kind, Results, Row, SuiteResult};
use crate::statistics::geometric_mean;

/// How the variants stand to the baseline over all rows of one kind in a suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The suite.
    pub suite: String,
    /// Time or memory.
    pub kind: Kind,
    /// Geometric mean of the cost over that of the baseline for each variant that has every row: below 1 is better.
    pub ratios: BTreeMap<String, f64>,
    /// Rows that the mean is of.
    pub rows: usize,
}

impl Row {
    /// What a variant costs beside the baseline: its ratio, turned round for rates, so that below 1 is better. 1 for the
    /// baseline itself; none where the ratio is not positive.
    pub fn cost(&self, cell: &Cell) -> Option<f64> {
        let ratio = cell.ratio.map_or(1.0, |ratio| ratio.median);
        (ratio > 0.0).then_some(match self.better {
            Better::Lower => ratio,
            Better::Higher => 1.0 / ratio,
        })
    }
}

impl Results {
    /// Every row with its suite and case, in order.
    pub fn rows(&self) -> impl Iterator<Item = (&SuiteResult, &CaseResult, &Row)> {
        self.suites.iter().flat_map(|suite| {
            suite.cases.iter().flat_map(move |case| case.rows.iter().map(move |row| (suite, case, row)))
        })
    }

    /// Means of time and of memory for each suite that has such rows. A row counts where the baseline and every variant
    /// of the suite have it: means over different rows could not be compared.
    pub fn geometric_means(&self) -> Vec<Mean> {
        let kinds = [Kind::Time, Kind::Memory];
        self.suites
            .iter()
            .flat_map(|suite| kinds.into_iter().filter_map(move |kind| self.mean(suite, kind)))
            .collect()
    }

    fn mean(&self, suite: &SuiteResult, kind: Kind) -> Option<Mean> {
        let baseline = &self.variants.first()?.name;
        let rows = || suite.cases.iter().flat_map(|case| &case.rows).filter(|row| row.kind == kind);
        let most = rows().map(|row| row.cells.len()).max()?;
        let whole: Vec<&Row> = rows()
            .filter(|row| row.cells.len() == most)
            .filter(|row| row.cells.iter().any(|cell| cell.variant == *baseline))
            .filter(|row| row.cells.iter().all(|cell| row.cost(cell).is_some()))
            .collect();
        let mut costs: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for row in &whole {
            for cell in &row.cells {
                costs.entry(&cell.variant).or_default().push(row.cost(cell)?);
            }
        }
        let ratios: BTreeMap<String, f64> = costs
            .into_iter()
            .filter(|(_, costs)| costs.len() == whole.len())
            .filter_map(|(variant, costs)| Some((variant.to_owned(), geometric_mean(&costs)?)))
            .collect();
        (!ratios.is_empty()).then(|| Mean { suite: suite.name.clone(), kind, ratios, rows: whole.len() })
    }
}
