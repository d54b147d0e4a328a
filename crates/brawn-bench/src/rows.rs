//! Rows of results as a suite's file has them, with what others published beside them.

use brawn_measure::results::{Better, Kind, Published};
use serde::Deserialize;

use crate::words::Words;
use crate::{Figure, RowSpec, published};

/// Rows of the results. A figure whose name ends in `_per_second` is a rate, in `_bytes` an amount of memory, and anything
/// else that a program prints is a time in seconds, unless there is a `unit`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct RowTemplate {
    pub figure: String,
    pub name: Option<String>,
    pub unit: Option<String>,
    pub kind: Option<Kind>,
    pub better: Option<Better>,
    /// The curve that it is a point of, if the case counts something.
    pub curve: Option<String>,
    /// The place on the curve, if it is not the case's number, and what it counts.
    pub at: Option<(String, String)>,
    pub published: Option<Theirs>,
    /// Variables, each with its values: a row for each combination, the last variable changing fastest.
    #[serde(default)]
    pub each: Vec<Vec<String>>,
}

/// Where a table of `published/` has what others found.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Theirs {
    pub table: String,
    /// A row's name: the first of these that there is.
    #[serde(default)]
    pub row: Vec<String>,
    pub column: Option<String>,
    /// Every row whose cell in this column is the case's number.
    pub rows_with: Option<String>,
    /// They stand beside this case alone.
    pub only: Option<String>,
    /// Their figures are rates, and ours is a time.
    #[serde(default)]
    pub inverse: bool,
}

impl RowTemplate {
    pub fn rows(&self, words: &Words, place: Option<(f64, &str)>) -> Vec<RowSpec> {
        let mut all = vec![words.clone()];
        for each in &self.each {
            let (name, values) = each.split_first().expect("a variable has a name");
            all = all.iter().flat_map(|words| values.iter().map(|value| words.with(name, value))).collect();
        }
        all.iter().map(|words| self.row(words, place)).collect()
    }

    fn row(&self, words: &Words, place: Option<(f64, &str)>) -> RowSpec {
        let figure = Figure::from_key(&words.fill(&self.figure));
        let mut spec = match (&figure, &self.unit) {
            (Figure::Metric(name), Some(unit)) => {
                let (kind, better) = (self.kind.unwrap_or(Kind::Time), self.better.unwrap_or(Better::Lower));
                RowSpec::metric(name, kind, unit, better)
            }
            (Figure::Metric(name), None) if name.ends_with("_per_second") => RowSpec::rate(name),
            (Figure::Metric(name), None) if name.ends_with("_bytes") => RowSpec::memory(name, name),
            _ => RowSpec::new(figure),
        };
        let row = &mut spec.row;
        if let Some(name) = &self.name {
            row.name = words.fill(name);
        }
        let at = self.at.as_ref().map(|(x, label)| {
            let x = words.fill(x).parse().expect("a place on a curve is a number");
            (x, label.as_str())
        });
        if let (Some(curve), Some((x, label))) = (&self.curve, at.or(place)) {
            (row.series, row.x, row.x_label) = (Some(words.fill(curve)), Some(x), Some(label.to_owned()));
        }
        if let Some(theirs) = &self.published {
            row.published = theirs.find(words, place.map(|(x, _)| x));
        }
        spec
    }
}

impl Theirs {
    fn find(&self, words: &Words, count: Option<f64>) -> Vec<Published> {
        if self.only.as_ref().is_some_and(|case| *case != words.fill("{case}")) {
            return Vec::new();
        }
        let table = published::table(&words.fill(&self.table));
        let found = match (&self.column, &self.rows_with, count) {
            (Some(column), ..) => table.column(&words.fill(column)),
            (None, Some(name), Some(count)) => table.rows_with(name, count),
            _ => {
                let mut rows = self.row.iter().map(|row| table.row(&words.fill(row)));
                rows.find(|found| !found.is_empty()).unwrap_or_default()
            }
        };
        let turned = |rate: Published| Published {
            value: 1.0 / rate.value,
            ratio: rate.ratio.map(|ratio| 1.0 / ratio),
            ..rate
        };
        found.into_iter().map(|one| if self.inverse { turned(one) } else { one }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::suite;
    use crate::suite::Template;

    /// What others published for the row of a case, with its number.
    fn theirs(case: &Template, row: &RowTemplate, count: usize) -> Vec<Published> {
        let mut words = Words::new(&case.vars).counting(&case.axis, Some(count));
        words.set("case", &case.name);
        row.published.as_ref().unwrap().find(&words, Some(count as f64))
    }

    #[test]
    fn every_row_of_nginxs_table_has_its_case() {
        let case = suite("nginx").template("connections={connections}");
        assert_eq!(published::table("alpaquita_nginx_req_s").rows().len(), case.counts.len());
        assert!(case.counts.iter().all(|&count| !theirs(case, &case.rows[0], count).is_empty()));
    }

    #[test]
    fn every_node_of_the_fleet_stands_at_its_thread_count() {
        let case = suite("footprint").template("requests, threads={threads}");
        let of = |threads| theirs(case, &case.rows[2], threads);
        let cells: usize = case.counts.iter().map(|&threads| of(threads).len()).sum();
        assert_eq!(cells, 2 * published::table("denev_rss_mb").rows().len());
        assert!(of(4).iter().all(|cell| cell.label.ends_with("_mb") && cell.ratio.is_some()));
        assert!(of(3).is_empty());
    }

    #[test]
    fn every_published_row_of_the_allocators_is_found() {
        let cases = suite("malloc").cases.iter().filter(|case| !case.counts.is_empty());
        let ours = cases.flat_map(|case| case.counts.iter().map(|&count| theirs(case, &case.rows[0], count)));
        let found = ours.filter(|rows| rows.iter().any(|row| row.ratio == Some(1.0))).count();
        // All but espresso, which is a real program.
        assert_eq!(found, published::table("alpaquita_malloc_ops_s").rows().len() - 1);
    }

    #[test]
    fn who_was_slower_than_glibc_took_longer() {
        let case = suite("malloc").template("espresso");
        let theirs = theirs(case, &case.rows[0], 1);
        let musl = theirs.iter().find(|row| row.label == "alpaquita-22-musl-def").unwrap();
        assert!((musl.ratio.unwrap() - 0.19 / 0.13).abs() < 1e-9);
    }

    #[test]
    fn every_row_of_the_string_tables_was_published() {
        let [table, unaligned] = ["table", "unaligned"].map(|name| suite("strings").template(name));
        let [lengths, functions] = &table.rows[1].each[..] else { panic!("{:?}", table.rows[1].each) };
        assert_eq!((lengths.len(), functions.len()), (1 + 3, 1 + 17));
        for (length, function) in
            lengths[1..].iter().flat_map(|length| functions[1..].iter().map(move |f| (length, f)))
        {
            let mut words = Words::default();
            for (name, value) in [("length", length.as_str()), ("function", function), ("case", "table")] {
                words.set(name, value);
            }
            let found = table.rows[1].published.as_ref().unwrap().find(&words, None);
            assert!(found.iter().any(|one| one.ratio == Some(1.0)), "{function} {length}");
            words.set("case", "unaligned");
            assert!(unaligned.rows[1].published.as_ref().unwrap().find(&words, None).is_empty());
        }
    }

    #[test]
    fn the_curve_is_even_on_a_logarithmic_axis() {
        let lengths = &suite("strings").template("curve").rows[1].each[1];
        let pairs = (1..20).map(|power| 1usize << power).flat_map(|low| [low, low + low / 2]);
        let expected = std::iter::once(1).chain(pairs).chain([1 << 20]).map(|length| length.to_string());
        assert_eq!(lengths[1..], expected.collect::<Vec<_>>());
    }

    #[test]
    fn both_columns_of_wasmtime_stand_against_glibc() {
        for (name, count) in [("generated, parallel", 3), ("generated, one thread", 2)] {
            let case = suite("wasmtime").template(name);
            let rows = theirs(case, &case.rows[0], 1);
            assert_eq!(rows.len(), count, "{name}");
            assert_eq!(rows[0].ratio, Some(1.0));
        }
    }
}
