//! What a program that does next to nothing pays, with every preset.

use brawn_measure::results::Results;
use brawn_measure::{Table, format};

/// The suite.
pub const SUITE: &str = "startup";

/// How the names of its cases begin that are shown: those of a program that prints a line.
const PROGRAM: &str = "print";

/// glibc both ways, musl as it came, and every preset that is not.
pub const VARIANTS: &str = "glibc,glibc-static,stock,balanced,fast,small,hardened";

/// The figures, as the suite calls them, and the words above their columns.
const FIGURES: &[(&str, &str)] = &[
    ("time per start", "exec to end"),
    ("peak memory", "peak"),
    ("system calls", "system calls"),
    ("pages touched", "pages touched"),
];

/// A row for each variant, with medians.
pub fn table(results: &Results) -> Table {
    let mut table = Table::new([""].into_iter().chain(FIGURES.iter().map(|(_, words)| *words)));
    let rows = || {
        let suites = results.suites.iter().filter(|suite| suite.name == SUITE);
        let cases = suites.flat_map(|suite| &suite.cases).filter(|case| case.name.starts_with(PROGRAM));
        cases.flat_map(|case| &case.rows)
    };
    for variant in &results.variants {
        let figure = |(name, _): &(&str, &str)| {
            let row = rows().find(|row| row.name == *name);
            let cell = row.and_then(|row| row.cells.iter().find(|cell| cell.variant == variant.name));
            row.zip(cell)
                .map_or_else(|| "–".to_owned(), |(row, cell)| format::figure(cell.summary.median, &row.unit))
        };
        let name = format!("{} ({})", variant.name, variant.title);
        table.row([name].into_iter().chain(FIGURES.iter().map(figure)));
    }
    table
}
