//! What others published, from the tables in this crate's folder `published/`; its README names the sources.
//!
//! Absolute figures do not carry over to another machine, so every figure comes with its ratio to the same source's
//! glibc, where there is one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use brawn_measure::results::Published;
use serde::Deserialize;

use crate::texts;

/// One published table: rows by name, columns by system.
#[derive(Deserialize)]
pub struct Table {
    #[serde(skip)]
    csv: &'static str,
    /// The column that ratios are taken against, if the source has one.
    baseline: Option<String>,
    source: String,
}

static TABLES: LazyLock<BTreeMap<String, Table>> = LazyLock::new(|| {
    let text = texts::text("published/tables.toml");
    let mut tables: BTreeMap<String, Table> = toml::from_str(text).expect("a test reads it");
    for (file, table) in &mut tables {
        table.csv = texts::text(&format!("published/{file}.csv"));
    }
    tables
});

/// The table in this file of `published/`, without its ending.
///
/// # Panics
/// When there is none: the suites are constants of this crate, and a test reads them all.
pub fn table(file: &str) -> &'static Table {
    TABLES.get(file).unwrap_or_else(|| panic!("no table {file} in published/"))
}

impl Table {
    /// Every column of the row called `row`, in whatever case, with its ratio to the baseline's column. Empty when there is no such row.
    pub fn row(&self, row: &str) -> Vec<Published> {
        let mut lines = self.lines();
        let Some(header) = lines.next() else { return Vec::new() };
        let Some(cells) = lines.find(|cells| cells[0].eq_ignore_ascii_case(row)) else { return Vec::new() };
        self.published(header.iter().zip(&cells).skip(1).map(|(column, cell)| (*column, *cell)))
    }

    /// Every row of the column called `column`, with its ratio to the baseline's row.
    pub fn column(&self, column: &str) -> Vec<Published> {
        let mut lines = self.lines();
        let position = lines.next().and_then(|header| header.iter().position(|name| *name == column));
        let Some(position) = position else { return Vec::new() };
        let cells: Vec<(&str, &str)> = lines.map(|cells| (cells[0], cells[position])).collect();
        self.published(cells.iter().copied())
    }

    /// The cells of every row whose cell in the column `name` is `value`, but for that one.
    pub fn rows_with(&self, name: &str, value: f64) -> Vec<Published> {
        let rows = self.rows().into_iter().map(|row| self.row(row));
        rows.filter(|row| row.iter().any(|cell| cell.label == name && cell.value == value))
            .flatten()
            .filter(|cell| cell.label != name)
            .collect()
    }

    /// The names of the rows.
    pub fn rows(&self) -> Vec<&'static str> {
        self.lines().skip(1).map(|cells| cells[0]).collect()
    }

    fn lines(&self) -> impl Iterator<Item = Vec<&'static str>> + use<> {
        self.csv.lines().filter(|line| !line.is_empty()).map(|line| line.split(',').collect())
    }

    fn published<'a>(&self, cells: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<Published> {
        let number = |cell: &str| cell.trim().parse::<f64>().ok();
        let baseline = self
            .baseline
            .as_ref()
            .and_then(|baseline| cells.clone().find(|(name, _)| name == baseline))
            .and_then(|(_, cell)| number(cell));
        cells
            .filter_map(|(name, cell)| {
                let value = number(cell)?;
                Some(Published {
                    label: name.to_owned(),
                    value,
                    ratio: baseline.filter(|base| *base > 0.0).map(|base| value / base),
                    source: self.source.clone(),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_whole_table() {
        let files = texts::names("published").filter(|name| name.ends_with(".csv"));
        assert_eq!(TABLES.len(), files.count());
        for (file, table) in TABLES.iter() {
            let lines: Vec<_> = table.lines().collect();
            assert!(lines.len() > 2, "{file}");
            assert!(lines.iter().all(|cells| cells.len() == lines[0].len()), "{file}");
        }
    }

    #[test]
    fn ratios_are_to_the_same_sources_glibc() {
        let row = table("alpaquita_strings_4100_ns").row("strlen");
        let of = |label: &str| row.iter().find(|published| published.label == label).unwrap();
        assert_eq!(of("alpaquita-22-glibc").ratio, Some(1.0));
        let stock = of("alpaquita-22-musl-def");
        assert!((stock.ratio.unwrap() - 300.76 / 42.60).abs() < 1e-9, "{stock:?}");
        assert!(table("alpaquita_strings_4100_ns").row("strsep").is_empty());

        let parallel = table("wasmtime_s").column("parallel_mean_s");
        assert_eq!(parallel.len(), 3);
        assert!((parallel[1].ratio.unwrap() - 92.16 / 4.452).abs() < 1e-9);
        // Two cells of the serial column are all that there is.
        assert_eq!(table("wasmtime_s").column("serial_mean_s").len(), 2);

        let loops = table("vec_loop").column("operations_per_second");
        assert!(loops.len() == 4 && loops.iter().all(|published| published.ratio.is_none()));
    }
}
