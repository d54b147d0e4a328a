//! Builds of one program side by side, for a terminal and for a pull request.

use crate::results::{Better, Cell, Inside, Results, Row};
use crate::{Summary, Table, format};

/// A word about a build, by its name.
type Fact = (&'static str, fn(&Inside) -> &str);

/// What is told of each build beside its size.
const FACTS: [Fact; 4] = [
    ("linkage", |of| &of.linkage),
    ("libc", |of| &of.libc),
    ("heap", |of| &of.heap),
    ("functions", |of| &of.functions),
];

/// A table for a terminal, and what is inside each build below it, as that is long.
pub fn text(results: &Results) -> String {
    let mut text = figures(results, |text| text).to_text();
    for variant in &results.variants {
        let facts = variant.inside.iter().flat_map(|of| FACTS.map(|(name, fact)| (name, fact(of))));
        let facts: Vec<String> = facts
            .filter(|(_, fact)| !fact.is_empty())
            .map(|(name, fact)| format!("  {name:9}  {fact}\n"))
            .collect();
        text.push_str(&format!("{}\n{}", variant.name, facts.concat()));
    }
    for line in remarks(results) {
        text.push_str(&format!("note: {line}\n"));
    }
    text
}

/// A table for a pull request: what certainly changed is bold.
pub fn markdown(results: &Results) -> String {
    let names: Vec<String> = results.variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
    let mut table = figures(results, |text| format!("**{text}**"));
    for (name, fact) in FACTS {
        let cells = results.variants.iter().filter_map(|variant| variant.inside.as_ref()).map(fact);
        table.row(std::iter::once(name).chain(cells));
    }
    let mut text = format!("### {}\n\n{}", names.join(", "), table.to_markdown());
    for line in remarks(results) {
        text.push_str(&format!("\nNote: {line}.\n"));
    }
    let machine = results.machine.describe();
    text.push_str(&format!(
        "\nChanges are to {}, in brackets their 95 % interval. Measured by `{}` with Brawn {} on {}: {machine}. \
         Seed {}.\n",
        names.first().map_or("", |name| name.as_str()),
        results.command,
        results.brawn,
        results.date,
        results.seed
    ));
    text
}

/// What was measured, a column for each build. `mark` shows that a change is certain.
fn figures(results: &Results, mark: impl Fn(String) -> String) -> Table {
    let names = results.variants.iter().map(|variant| variant.name.as_str());
    let mut table = Table::new(std::iter::once("").chain(names));
    let resolution = results.noise.as_ref().map_or(0.0, |noise| noise.resolution);
    for (_, _, row) in results.rows() {
        // The noise is that of times.
        let noise = if row.unit == "s" { resolution } else { 0.0 };
        let cells = results.variants.iter().map(|variant| {
            let cell = row.cells.iter().find(|cell| cell.variant == variant.name);
            cell.map_or(String::new(), |cell| measured(row, cell, noise, &mark))
        });
        table.row(std::iter::once(row.name.clone()).chain(cells));
    }
    let sizes: Vec<f64> =
        results.variants.iter().flat_map(|variant| &variant.inside).map(|of| of.bytes as f64).collect();
    let sizes = sizes.iter().map(|size| match *size == sizes[0] {
        true => format::bytes(*size),
        false => format!("{} {}", format::bytes(*size), mark(percent(size / sizes[0]))),
    });
    table.row(std::iter::once("size".to_owned()).chain(sizes));
    table
}

/// A figure, and how it stands to that of the first build.
fn measured(row: &Row, cell: &Cell, noise: f64, mark: impl Fn(String) -> String) -> String {
    let value = format::figure(cell.summary.median, &row.unit);
    let Some(ratio) = &cell.ratio else { return value };
    let interval = format!("({} to {})", percent(ratio.low), percent(ratio.high));
    match verdict(ratio, row.better, noise) {
        Some(word) => format!("{value} {} {interval} {word}", mark(percent(ratio.median))),
        None => format!("{value} no difference {interval}"),
    }
}

/// Whether the build is certainly better or worse than the first: the interval leaves no change out, and the change is more
/// than the noise of this machine (0.02 for two percent).
fn verdict(ratio: &Summary, better: Better, noise: f64) -> Option<&'static str> {
    let more = ratio.median > 1.0;
    let beyond = if more { ratio.median > 1.0 + noise } else { ratio.median < 1.0 / (1.0 + noise) };
    (ratio.resolved() && beyond).then_some(match (more, better) {
        (true, Better::Lower) | (false, Better::Higher) => "worse",
        (true, Better::Higher) | (false, Better::Lower) => "better",
    })
}

fn percent(ratio: f64) -> String {
    if ratio >= 10.0 { format::ratio(ratio) } else { format!("{:+.1} %", (ratio - 1.0) * 100.0) }
}

/// What to know before trusting the figures.
fn remarks(results: &Results) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(noise) = &results.noise {
        lines.push(format!(
            "times of the first build and of its own copy differ by up to {} % here: smaller changes are no difference",
            format::digits(noise.resolution * 100.0)
        ));
    }
    let cases = results.suites.iter().flat_map(|suite| &suite.cases);
    lines.extend(cases.flat_map(|case| &case.warnings).cloned());
    if !results.complete {
        lines.push("the run was interrupted: what is here holds, something else is missing".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{CaseResult, SuiteResult, VariantInfo};

    fn ratio(low: f64, median: f64, high: f64, count: usize) -> Summary {
        Summary { count, median, min: low, max: high, low, high }
    }

    fn results() -> Results {
        let row = |name: &str, unit: &str, ratio: Summary| {
            let cell = |variant: &str, ratio| Cell {
                variant: variant.into(),
                summary: Summary { median: 0.5, ..ratio },
                ratio: (variant != "before").then_some(ratio),
                outliers: 0,
            };
            let cells = vec![cell("before", ratio), cell("after", ratio)];
            Row { name: name.into(), unit: unit.into(), cells, ..Row::default() }
        };
        let rows = vec![
            row("time", "s", ratio(0.98, 0.99, 1.01, 9)),
            row("CPU time", "s", ratio(0.70, 0.71, 0.72, 9)),
            row("peak memory", "bytes", ratio(11.0, 12.0, 13.0, 9)),
        ];
        let case = CaseResult { rows, ..CaseResult::default() };
        let of = |name: &str, bytes, libc: &str| {
            let inside = Inside { bytes, libc: libc.into(), ..Inside::default() };
            VariantInfo { inside: Some(inside), ..VariantInfo::new(name, "") }
        };
        Results {
            variants: vec![of("before", 1000, "glibc"), of("after", 900, "musl 1.2.5")],
            suites: vec![SuiteResult { cases: vec![case], ..SuiteResult::default() }],
            complete: true,
            ..Results::default()
        }
    }

    #[test]
    fn what_is_no_difference_is_called_so() {
        let text = markdown(&results());
        assert!(
            text.starts_with("### `before`, `after`\n\n|  | before | after |\n|---|---:|---:|\n"),
            "{text}"
        );
        for row in [
            "| time | 500 ms | 500 ms no difference (-2.0 % to +1.0 %) |",
            "| CPU time | 500 ms | 500 ms **-29.0 %** (-30.0 % to -28.0 %) better |",
            "| peak memory | 0 B | 0 B **12.0x** (11.0x to 13.0x) worse |",
            "| size | 1000 B | 900 B **-10.0 %** |",
            "| libc | glibc | musl 1.2.5 |",
        ] {
            assert!(text.lines().any(|line| line == row), "{row} in\n{text}");
        }
        let plain = super::text(&results());
        assert!(plain.contains("after\n  libc       musl 1.2.5\n") && !plain.contains("**"), "{plain}");
    }

    #[test]
    fn only_a_change_beyond_interval_and_noise_has_a_direction() {
        let of = |low, median, high| verdict(&ratio(low, median, high, 9), Better::Lower, 0.02);
        assert_eq!(of(0.70, 0.71, 0.72), Some("better"));
        assert_eq!(of(1.05, 1.06, 1.07), Some("worse"));
        assert_eq!(of(0.97, 1.05, 1.10), None, "the interval holds 1");
        assert_eq!(of(1.005, 1.01, 1.015), None, "less than the noise");
        assert_eq!(verdict(&ratio(2.0, 2.0, 2.0, 2), Better::Lower, 0.0), None, "two runs tell nothing");
        assert_eq!(verdict(&ratio(2.0, 2.0, 2.0, 5), Better::Higher, 0.0), Some("better"));
    }
}
