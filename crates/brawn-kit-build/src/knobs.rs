//! Reads the tables of knobs, `libc/malloc/*.toml`.

use anyhow::{Context as _, Result, anyhow};
use serde::Deserialize;
use std::path::Path;

/// The knobs of the allocators that share a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What stands before the dot in `--knob jemalloc.narenas=4`.
    pub prefix: String,
    #[serde(rename = "knob")]
    pub knobs: Vec<Knob>,
}

/// A row; `libc/malloc/jemalloc.toml` tells what each key means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knob {
    pub name: String,
    pub meaning: String,
    pub least: Option<i64>,
    pub most: Option<i64>,
    #[serde(default)]
    pub unit: String,
    #[serde(default)]
    pub words: Vec<String>,
    pub default: String,
    pub upstream: String,
    #[serde(default)]
    pub search: Vec<String>,
    pub source: String,
}

/// Reads a table and checks it, so that anyone who uses it need not.
pub fn read(path: &Path) -> Result<Table> {
    let file = path.display();
    let table: Table = toml::from_str(&fs_err::read_to_string(path)?)
        .with_context(|| format!("{file} is not a table of knobs"))?;
    for (index, knob) in table.knobs.iter().enumerate() {
        let wrong = |what| anyhow!("{file}: {}: {what}", knob.name);
        let plain =
            |text: &str| !text.is_empty() && !text.contains(|c: char| c == ',' || c == '"' || c.is_control());
        if table.knobs[..index].iter().any(|other| other.name == knob.name) {
            return Err(wrong("stands in the table twice"));
        }
        if !plain(&knob.name) || knob.words.iter().any(|word| !plain(word)) {
            return Err(wrong("a name or a word is empty, or holds a character that separates knobs"));
        }
        if knob.least.is_some() != knob.most.is_some() || knob.least > knob.most {
            return Err(wrong("`least` and `most` do not make a range"));
        }
        if knob.meaning.is_empty() || knob.source.is_empty() {
            return Err(wrong("`meaning` or `source` is empty"));
        }
        if !knob.takes(&knob.default) || !knob.takes(&knob.upstream) {
            return Err(wrong("a default is no value of the knob"));
        }
        if knob.search.iter().any(|value| !knob.takes(value) || *value == knob.default) {
            return Err(wrong("`search` holds the default, or no value of the knob"));
        }
    }
    Ok(table)
}

impl Knob {
    fn takes(&self, value: &str) -> bool {
        let number = value.parse().is_ok_and(|number: i64| {
            self.least.is_some_and(|least| least <= number) && self.most.is_some_and(|most| number <= most)
        });
        number || self.words.iter().any(|word| word == value)
    }
}

/// What is built into an object: the knobs in which the kit differs from the allocator's own defaults.
pub fn built_in(table: &Table) -> String {
    let differing = table.knobs.iter().filter(|knob| knob.default != knob.upstream);
    differing.map(|knob| format!("{}:{}", knob.name, knob.default)).collect::<Vec<_>>().join(",")
}

/// The table as an expression of `kit.rs`.
pub fn expression(table: Option<&Table>) -> String {
    let Some(table) = table else { return "None".to_owned() };
    let rows: String = table
        .knobs
        .iter()
        .map(|knob| {
            let range = match (knob.least, knob.most) {
                (Some(least), Some(most)) => format!("Some({least}..={most})"),
                _ => "None".to_owned(),
            };
            format!(
                "Knob {{ name: {:?}, meaning: {:?}, range: {range}, unit: {:?}, words: &{:?}, default: {:?}, \
                 upstream: {:?}, search: &{:?}, source: {:?} }}, ",
                knob.name,
                knob.meaning,
                knob.unit,
                knob.words,
                knob.default,
                knob.upstream,
                knob.search,
                knob.source,
            )
        })
        .collect();
    format!("Some(Knobs {{ prefix: {:?}, knobs: &[{rows}] }})", table.prefix)
}
