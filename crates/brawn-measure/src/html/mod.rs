//! The report: one page that needs no other file and no network, with every figure inside.

use serde_json::{Value, json};

use crate::probe::Point;
use crate::results::{Results, Runs};

const STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 7] = [
    include_str!("format.js"),
    include_str!("data.js"),
    include_str!("dom.js"),
    include_str!("scale.js"),
    include_str!("charts.js"),
    include_str!("sections.js"),
    include_str!("page.js"),
];
const BODY: &str = include_str!("page.html");

/// Most points of a timeline that the page keeps: more than a screen can show.
const TIMELINE_POINTS: usize = 300;

/// The page for these results.
///
/// # Panics
/// Never: results hold only what JSON can say.
pub fn page(results: &Results) -> String {
    let of_finding = results.command.split(' ').nth(1).filter(|_| results.finding.is_some());
    let command = of_finding.unwrap_or("bench");
    let title = escape(&format!("brawn {command}, {}", results.date));
    let (data, scripts) = (embedded(&data(results)), SCRIPTS.join("\n"));
    let parts = [
        ("<!-- title -->", &*title),
        ("/* style */", STYLE),
        ("/* data */", &data),
        ("/* script */", &scripts),
    ];
    // In the order of the marks, so that none is looked for in what was put in.
    let (mut page, mut rest) = (String::new(), BODY);
    for (mark, part) in parts {
        let (before, after) = rest.split_once(mark).expect("the template has every mark once, in this order");
        page.extend([before, part]);
        rest = after;
    }
    page + rest
}

/// What the page shows: the results less the raw samples, which would make it ten times as long; of those it keeps one
/// timeline for each variant of a case.
fn data(results: &Results) -> Value {
    let mut value = serde_json::to_value(results).expect("results are plain data");
    for (suite, result) in results.suites.iter().enumerate() {
        for (case, result) in result.cases.iter().enumerate() {
            let runs: Vec<Value> = result.runs.iter().map(timeline).collect();
            let value = &mut value["suites"][suite]["cases"][case];
            value["runs"] = Value::Array(runs);
            value["rows"].as_array_mut().into_iter().flatten().for_each(shorten);
        }
    }
    value["means"] = json!(results.geometric_means());
    round(&mut value);
    // JavaScript's numbers have 53 bits.
    value["seed"] = json!(results.seed.to_string());
    value
}

/// Leaves of a row's cells what the page shows, without the names of the numbers, which would be more than half of it:
/// `data.js` knows their order.
fn shorten(row: &mut Value) {
    for cell in row["cells"].as_array_mut().into_iter().flatten() {
        for summary in ["summary", "ratio"] {
            let whole = &mut cell[summary];
            if whole.is_object() {
                *whole = json!([whole["median"], whole["low"], whole["high"], whole["count"]]);
            }
        }
    }
}

/// Cuts figures to six digits, of which the page shows five: a long run has tens of thousands of them.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let figure = number.as_f64().unwrap_or_default();
            *value = json!(format!("{figure:.5e}").parse::<f64>().unwrap_or(figure));
        }
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}

/// The variant's longest timeline, thinned.
fn timeline(runs: &Runs) -> Value {
    let longest: &[Point] = runs
        .samples
        .iter()
        .map(|sample| &*sample.timeline)
        .max_by_key(|points| points.len())
        .unwrap_or_default();
    let step = longest.len().div_ceil(TIMELINE_POINTS).max(1);
    let last = longest.len().saturating_sub(1);
    let kept: Vec<&Point> = longest
        .iter()
        .enumerate()
        .filter(|(index, _)| index % step == 0 || *index == last)
        .map(|(_, point)| point)
        .collect();
    json!({ "variant": runs.variant, "count": runs.samples.len(), "timeline": kept })
}

/// JSON that may stand inside a script element: nothing in it can end the element, whatever a name holds.
fn embedded(value: &Value) -> String {
    let text = serde_json::to_string(value).expect("a value is plain data");
    // Outside of strings JSON has none of these, and inside they may be written so.
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
