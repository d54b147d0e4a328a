//! The results of `brawn bench`: one versioned document with every raw sample, from which tables, CSV, the report and
//! comparisons are made. Reading a document never needs the machine that wrote it.
//!
//! A document holds suites, a suite holds cases, a case is one program (or server) run as every variant with the same
//! arguments, and a case has rows: one figure each, with a cell per variant. Rows of a suite that share a `series` and
//! differ in `x` form a curve: thread counts, sizes in bytes, connections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Machine, Sample, Summary};

/// Version of the document's form; it grows when a field changes its meaning or goes.
pub const SCHEMA: u32 = 2;

/// Everything that one command measured on one machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Version of the Brawn that measured.
    pub brawn: String,
    /// The exact command.
    pub command: String,
    /// The day, in UTC, as `YYYY-MM-DD`.
    pub date: String,
    /// Where every random order comes from.
    pub seed: u64,
    /// Seconds that one case may take, and the half-width of the ratio's interval at which it may stop earlier.
    pub settings: Settings,
    /// Where it was measured.
    pub machine: Machine,
    /// What the noise self-test found; none when it was not run.
    pub noise: Option<Noise>,
    /// Version of everything that took part: rustc, the C compiler, musl, glibc, allocators, programs.
    pub versions: BTreeMap<String, String>,
    /// The variants, the baseline first.
    pub variants: Vec<VariantInfo>,
    /// The suites, in the order in which they ran.
    pub suites: Vec<SuiteResult>,
    /// False when the run was interrupted: what is here holds, something else is missing.
    pub complete: bool,
    /// What was found, where a mean over the suites does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

impl Results {
    /// Whether builds of the user's own were compared, and no suite.
    pub fn is_of_builds(&self) -> bool {
        !self.variants.is_empty() && self.variants.iter().all(|variant| variant.inside.is_some())
    }

    /// A document of this machine, today, that nothing was measured for yet.
    pub fn new(command: impl Into<String>, seed: u64, settings: Settings) -> Self {
        Self {
            schema: SCHEMA,
            brawn: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.into(),
            date: crate::date::today(),
            seed,
            settings,
            machine: Machine::read(),
            ..Self::default()
        }
    }
}

/// The answer to the question that a run was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// In one sentence; names stand between backquotes.
    pub headline: String,
    /// Why, in some sentences.
    pub words: String,
}

/// How long and how exactly was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// Time for each case, in seconds.
    pub budget_seconds: f64,
    /// Relative half-width of the 95 % interval of the ratio that is narrow enough: 0.01 for one percent.
    pub precision: f64,
    /// Fewest counted blocks.
    pub min_blocks: usize,
    /// Most counted blocks.
    pub max_blocks: usize,
    /// Cores that the programs were held to; empty for all.
    pub cores: Vec<usize>,
    /// CPU quota in cores, where one was set.
    pub quota: Option<f64>,
}

/// The noise self-test: the same executable under two names, measured like two variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Noise {
    /// Ratio of the two: 1 on a quiet machine.
    pub ratio: Summary,
    /// The smallest relative difference that this machine resolves: 0.02 for two percent.
    pub resolution: f64,
}

/// One of the compared variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VariantInfo {
    /// Short name, as given to `--variants`.
    pub name: String,
    /// For people: `glibc 2.36, dynamic`, `musl 1.2.5 with mimalloc 3.6.0`.
    pub title: String,
    /// What is inside, where a build of the user's own is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
}

impl VariantInfo {
    /// A variant of which only its name says what it is.
    pub fn new(name: impl Into<String>, title: impl Into<String>) -> Self {
        Self { name: name.into(), title: title.into(), inside: None }
    }
}

/// What is inside an executable, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Inside {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// How it is linked: `static-pie`, `dynamic`.
    pub linkage: String,
    /// `musl 1.2.5`, `glibc, 2.34 or newer`.
    pub libc: String,
    /// Its heaps, the one behind `malloc` first.
    pub heap: String,
    /// Whose functions stand in its libc's place: Brawn's for these families, or its libc's own.
    pub functions: String,
}

/// One suite.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuiteResult {
    /// Name, as given to `brawn bench`.
    pub name: String,
    /// Heading.
    pub title: String,
    /// What is measured, in a few sentences.
    pub about: String,
    /// Why it did not run, if so.
    pub skipped: Option<Skipped>,
    /// What the reader must know: limits of this machine, lost figures.
    pub notes: Vec<String>,
    /// The cases, in order.
    pub cases: Vec<CaseResult>,
}

/// Why a suite did not run, and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Skipped {
    /// What is missing.
    pub reason: String,
    /// How to get it.
    pub hint: String,
}

/// One program with one set of arguments, run as every variant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseResult {
    /// Name, unique in the suite: `threads=4`.
    pub name: String,
    /// The command that measures this case alone.
    pub command: String,
    /// Raw samples, a list for each variant, in the order of the blocks.
    pub runs: Vec<Runs>,
    /// The figures.
    pub rows: Vec<Row>,
    /// What to know before trusting them, each with what to do about it.
    pub warnings: Vec<String>,
}

/// The samples of one variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Runs {
    /// The variant's name.
    pub variant: String,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// One sample a block.
    pub samples: Vec<Sample>,
}

brawn_base::named! {
    /// Which direction is good.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Better {
        /// Times, memory.
        #[default]
        Lower = "lower",
        /// Rates.
        Higher = "higher",
    }
}

brawn_base::named! {
    /// What kind of figure a row holds: a report sets time against memory.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// A time, or a rate, which is one turned round.
        #[default]
        Time = "time",
        /// An amount of memory.
        Memory = "memory",
        /// Anything else: system calls, faults, bytes of code.
        Other = "other",
    }
}

/// One figure, a cell per variant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Row {
    /// Name, unique in the case: `time`, `peak memory`, `memcpy 36`.
    pub name: String,
    /// Time, memory or something else.
    pub kind: Kind,
    /// Unit of the cells: `s`, `ns`, `bytes`, `/s`, `MB/s`, `count`.
    pub unit: String,
    /// Which direction is good.
    pub better: Better,
    /// Rows of a suite with the same series form a curve.
    pub series: Option<String>,
    /// Where on that curve this row stands.
    pub x: Option<f64>,
    /// What `x` counts: `threads`, `bytes`, `connections`.
    pub x_label: Option<String>,
    /// A cell per variant that ran, in the order of [`Results::variants`].
    pub cells: Vec<Cell>,
    /// The best variant, where the intervals tell it from the others.
    pub winner: Option<String>,
    /// What others published of the same figure.
    pub published: Vec<Published>,
}

/// A figure of one variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cell {
    /// The variant's name.
    pub variant: String,
    /// The figure over all blocks.
    pub summary: Summary,
    /// The figure over that of the baseline, within each block; none for the baseline.
    pub ratio: Option<Summary>,
    /// Samples far outside the others.
    pub outliers: usize,
}

/// A figure that others published, as a ratio to their glibc: absolute figures do not carry over to another machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Published {
    /// What they called it: `Alpaquita, musl-perf`.
    pub label: String,
    /// Their figure.
    pub value: f64,
    /// Their figure over their glibc's.
    pub ratio: Option<f64>,
    /// Where it stands.
    pub source: String,
}

#[cfg(test)]
mod tests {
    //! Keeps `docs/reference/schema/results.schema.json` in step with the types.

    use std::path::Path;

    use super::{Results, SCHEMA};

    /// Set to anything, this writes the file instead of comparing it.
    const RENEW: &str = "BRAWN_RENEW";

    #[test]
    fn the_published_schema_is_that_of_the_types() {
        let mut schema = schemars::schema_for!(Results);
        schema.insert("title".to_owned(), format!("Results of `brawn bench`, form {SCHEMA}").into());
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schema/results.schema.json");
        if std::env::var_os(RENEW).is_some() {
            crate::write_whole(&path, &text).unwrap();
        }
        assert!(
            fs_err::read_to_string(&path).is_ok_and(|published| published == text),
            "docs/reference/schema/results.schema.json is stale; renew it with: {RENEW}=1 cargo test -p brawn-measure --lib results"
        );
    }
}
