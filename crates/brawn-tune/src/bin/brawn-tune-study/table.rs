//! The study's first page.

use std::path::Path;

use anyhow::Result;
use brawn_bench::{Machine, Table, format};
use serde_json::Value;

use crate::programs::{PROGRAMS, Program};
use crate::{advice, read};

/// The chosen one may be this much slower, or larger, than the best of the exhaustive run.
const TOLERANCE: f64 = 1.03;

/// Writes `README.md` from the answers that are there.
pub fn write(out: &Path) -> Result<()> {
    let mut text = format!(
        "# `brawn tune` on five real programs\n\nMeasured by `make tune-study` on {}: {}.\n\nEach program was tuned twice, with \
         different seeds, and once exhaustively, where no candidate leaves early. \"Repeats\": both runs recommend the same, or \
         settings whose cost the exhaustive run finds within 3 %. \"Near the best\": the first recommendation costs at most 3 % more than \
         the best of the exhaustive run that stayed within the limit.\n\n",
        brawn_bench::report::today(),
        Machine::read().describe()
    );
    let mut table = Table::new(
        ["program", "goal", "now", "recommended", "time", "memory", "second run", "repeats", "near the best"]
            .map(str::to_owned),
    );
    let mut about = String::new();
    for program in PROGRAMS {
        let folder = out.join(program.name);
        let answers = ["first", "second", "exhaustive"].map(|run| read(&folder.join(format!("{run}.json"))));
        let [Ok(first), Ok(second), Ok(exhaustive)] = answers else { continue };
        table.row(row(program, first.as_ref(), second.as_ref(), exhaustive.as_ref()));
        about.push_str(&format!("- [`{0}`]({0}/README.md): {1}\n", program.name, program.about));
    }
    text.push_str(&table.to_markdown());
    text.push_str(
        "\nTime and memory are those of the recommendation beside what is used now; below 1 is better.\n\n",
    );
    text.push_str(&about);
    fs_err::write(out.join("README.md"), text)?;
    Ok(())
}

fn row(
    program: &Program,
    first: Option<&Value>,
    second: Option<&Value>,
    exhaustive: Option<&Value>,
) -> Vec<String> {
    let goal = program.limit.map_or(program.goal.to_owned(), |limit| format!("{}, {limit}", program.goal));
    let mut cells = vec![program.name.to_owned(), goal];
    let Some(first) = first else {
        cells.extend(["", "no answer: too noisy", "", "", "", "", ""].map(str::to_owned));
        return cells;
    };
    let pick = name(first, "pick");
    let point = |figure: &str| {
        let ratio = point_of(first, &pick).and_then(|point| point[figure]["median"].as_f64());
        ratio.map_or(String::new(), format::ratio)
    };
    let other = second.map_or("no answer".to_owned(), |second| name(second, "pick"));
    let costs = exhaustive.map(|answer| costs(answer, program.goal));
    let near = |name: &str| near_best(costs.as_deref()?, name);
    let repeats = other == pick || near(&pick) == Some(true) && near(&other) == Some(true);
    let word = |known: Option<bool>| match known {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    cells.extend([
        name(first, "now"),
        format!("{pick} ({})", advice(first)),
        point("time"),
        point("memory"),
        other,
        word(Some(repeats)).to_owned(),
        word(near(&pick)).to_owned(),
    ]);
    cells
}

fn name(answer: &Value, key: &str) -> String {
    answer[key].as_str().unwrap_or_default().to_owned()
}

fn point_of<'a>(answer: &'a Value, name: &str) -> Option<&'a Value> {
    answer["points"].as_array()?.iter().find(|point| point["name"] == name)
}

/// What every candidate of an exhaustive run costs beside what is used now, by the goal.
fn costs(answer: &Value, goal: &str) -> Vec<(String, f64)> {
    let ratio = |point: &Value, figure: &str| point[figure]["median"].as_f64();
    let points =
        answer["points"].as_array().into_iter().flatten().filter(|point| point["role"] != "reference");
    points
        .filter_map(|point| {
            let (time, memory) = (ratio(point, "time")?, ratio(point, "memory").unwrap_or(1.0));
            let cost = match goal {
                "time" => time,
                "memory" => memory * time.powf(0.25),
                _ => time * memory.powf(0.25),
            };
            Some((name(point, "name"), cost))
        })
        .collect()
}

/// Whether a candidate is near the best; none where it did not run.
fn near_best(costs: &[(String, f64)], name: &str) -> Option<bool> {
    let best = costs.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
    let (_, cost) = costs.iter().find(|(known, _)| known == name)?;
    Some(*cost <= best * TOLERANCE)
}
