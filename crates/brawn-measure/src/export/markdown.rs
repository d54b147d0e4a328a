//! Tables for a document: a table for each suite, a column for each variant.

use crate::format;
use crate::results::{Cell, Results, Row, SuiteResult};
use crate::{Summary, Table};

/// The results as a Markdown document. Its first table holds the geometric means of all suites, so that a document
/// that quotes one table quotes those.
pub fn markdown(results: &Results) -> String {
    let mut text = format!(
        "# Results of `brawn bench`\n\nMeasured by `{}` with Brawn {} on {}: {}. Seed {}.\n",
        results.command,
        results.brawn,
        results.date,
        results.machine.describe(),
        results.seed
    );
    if !results.complete {
        text.push_str("\n**The run was interrupted: what is here holds, something else is missing.**\n");
    }
    if let Some(noise) = &results.noise {
        text.push_str(&format!(
            "\nThe same executable, measured against itself: {}. Differences below {} % are noise here.\n",
            interval(&noise.ratio, format::ratio),
            format::digits(noise.resolution * 100.0)
        ));
    }
    text.push_str("\n## Geometric means\n\n");
    text.push_str(&means(results).to_markdown());
    text.push_str(&format!(
        "\nRatios to `{}`, over all rows of a suite: below 1 is better, for rates as for times.\n",
        results.variants.first().map_or("the baseline", |baseline| &baseline.name)
    ));
    for suite in &results.suites {
        text.push_str(&format!("\n## {}\n\n{}\n", suite.title, suite.about));
        if let Some(skipped) = &suite.skipped {
            text.push_str(&format!(
                "\nSkipped: {}. {}\n",
                skipped.reason.trim_end_matches('.'),
                skipped.hint
            ));
            continue;
        }
        text.push('\n');
        text.push_str(&table(results, suite).to_markdown());
        for note in &suite.notes {
            text.push_str(&format!("\nNote: {note}\n"));
        }
        for case in &suite.cases {
            for warning in &case.warnings {
                text.push_str(&format!("\nWarning ({}): {warning}\n", case.name));
            }
        }
    }
    text.push_str("\n## Variants\n\n");
    for variant in &results.variants {
        text.push_str(&format!("- `{}`: {}\n", variant.name, variant.title));
    }
    let versions: Vec<String> =
        results.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    if !versions.is_empty() {
        text.push_str(&format!("\nVersions: {}.\n", versions.join(", ")));
    }
    text
}

fn means(results: &Results) -> Table {
    let variants = &results.variants;
    let mut table = Table::new(
        ["suite".to_owned(), "figure".to_owned()]
            .into_iter()
            .chain(variants.iter().map(|variant| variant.name.clone())),
    );
    for mean in results.geometric_means() {
        let best = mean.ratios.values().copied().fold(f64::INFINITY, f64::min);
        let cells = variants.iter().map(|variant| match mean.ratios.get(&variant.name) {
            Some(&ratio) if ratio == best => bold(&format::ratio(ratio)),
            Some(&ratio) => format::ratio(ratio),
            None => String::new(),
        });
        table.row([mean.suite.clone(), mean.kind.name().to_owned()].into_iter().chain(cells));
    }
    table
}

fn table(results: &Results, suite: &SuiteResult) -> Table {
    let published = suite.cases.iter().flat_map(|case| &case.rows).any(|row| !row.published.is_empty());
    let mut header = vec!["case".to_owned(), "figure".to_owned()];
    header.extend(results.variants.iter().map(|variant| variant.name.clone()));
    if published {
        header.push("published".to_owned());
    }
    let mut table = Table::new(header);
    for case in &suite.cases {
        for row in &case.rows {
            let mut cells = vec![case.name.clone(), row.name.clone()];
            cells.extend(results.variants.iter().map(|variant| {
                row.cells.iter().find(|cell| cell.variant == variant.name).map_or(String::new(), |cell| {
                    let text = figure(row, cell);
                    if row.winner.as_deref() == Some(&cell.variant) { bold(&text) } else { text }
                })
            }));
            if published {
                cells.push(quoted(row));
            }
            table.row(cells);
        }
    }
    table
}

/// The median with its unit, and how it stands to the baseline.
pub(super) fn figure(row: &Row, cell: &Cell) -> String {
    let value = format::figure(cell.summary.median, &row.unit);
    match cell.ratio {
        Some(ratio) => format!("{value} ({})", format::ratio(ratio.median)),
        None => value,
    }
}

/// What others published, as ratios to their glibc where they gave one.
fn quoted(row: &Row) -> String {
    let quotes = row.published.iter().map(|published| {
        let figure =
            published.ratio.map_or_else(|| format::figure(published.value, &row.unit), format::ratio);
        format!("{}: {figure}", published.label)
    });
    quotes.collect::<Vec<_>>().join("; ")
}

fn interval(summary: &Summary, show: impl Fn(f64) -> String) -> String {
    format!("{} ({} to {})", show(summary.median), show(summary.low), show(summary.high))
}

fn bold(text: &str) -> String {
    format!("**{text}**")
}
