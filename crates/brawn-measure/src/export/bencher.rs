//! Bencher Metric Format: benchmark, measure, value with its lower and upper end
//! (<https://bencher.dev/docs/reference/bencher-metric-format>).

use serde_json::{Map, Value, json};

use crate::results::{Kind, Results, Row};

/// Most characters that a measure's name may have there; a benchmark's may have 1,024.
const MEASURE_LIMIT: usize = 64;

/// The results as BMF: each case of each variant is a benchmark, `suite/case @variant`, and each row a measure.
pub fn bencher(results: &Results) -> String {
    let mut benchmarks = Map::new();
    for (suite, case, row) in results.rows() {
        for cell in &row.cells {
            let name = format!("{}/{} @{}", suite.name, case.name, cell.variant);
            let measures = benchmarks.entry(name).or_insert_with(|| json!({}));
            measures[measure(row)] = json!({
                "value": cell.summary.median,
                "lower_value": cell.summary.low,
                "upper_value": cell.summary.high,
            });
        }
    }
    serde_json::to_string_pretty(&Value::Object(benchmarks)).expect("a map is plain data") + "\n"
}

/// The row's name with its unit, which tells thresholds apart; times in the built-in measure's own unit keep its name.
fn measure(row: &Row) -> String {
    let name = match (row.kind, row.unit.as_str()) {
        (Kind::Time, "ns") if row.name == "time" => "latency".to_owned(),
        (_, "" | "count") => row.name.clone(),
        (_, unit) => format!("{} ({unit})", row.name),
    };
    name.chars().take(MEASURE_LIMIT).collect()
}
