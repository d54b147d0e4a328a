//! Tables for a terminal.

use super::markdown::figure;
use crate::Table;
use crate::results::{Results, SuiteResult};

/// The results as aligned tables, one for each suite; the winner of a row has a star.
pub fn text(results: &Results) -> String {
    results.suites.iter().map(|suite| of_suite(results, suite)).collect::<Vec<_>>().join("\n")
}

fn of_suite(results: &Results, suite: &SuiteResult) -> String {
    let mut text = format!("{}\n", suite.title);
    if let Some(skipped) = &suite.skipped {
        return format!("{text}skipped: {}\nhint: {}\n", skipped.reason, skipped.hint);
    }
    // Only the variants that ran: a column for the others would be empty.
    let ran: Vec<&str> = results
        .variants
        .iter()
        .map(|variant| variant.name.as_str())
        .filter(|name| {
            let mut cells = suite.cases.iter().flat_map(|case| &case.rows).flat_map(|row| &row.cells);
            cells.any(|cell| cell.variant == *name)
        })
        .collect();
    let mut table = Table::new(std::iter::once("").chain(ran.iter().copied()));
    for case in &suite.cases {
        for row in &case.rows {
            let cells = ran.iter().map(|name| {
                let cell = row.cells.iter().find(|cell| cell.variant == *name);
                let star = if row.winner.as_deref() == Some(name) { "*" } else { " " };
                cell.map_or(String::new(), |cell| figure(row, cell) + star)
            });
            table.row(std::iter::once(format!("{}, {}", case.name, row.name)).chain(cells));
        }
    }
    text.push_str(&table.to_text());
    for note in &suite.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    for case in &suite.cases {
        for warning in &case.warnings {
            text.push_str(&format!("warning: {}: {warning}\n", case.name));
        }
    }
    text
}
