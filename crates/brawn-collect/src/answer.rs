//! The answer: what each pool should run, what all together should, and how certain that is. `decide.rs` finds it.

use std::collections::BTreeMap;

use brawn_measure::Summary;
use brawn_tune::Goal;
use brawn_tune::verdict::Advice;
use serde::{Deserialize, Serialize};

use crate::estimate::Ratio;

/// What a fleet answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// Version of the form: that of the file of the fleet.
    pub schema: u32,
    /// The plan's name.
    pub fleet: String,
    /// The program's name.
    pub program: String,
    /// What was asked for.
    #[cfg_attr(test, schemars(with = "String"))]
    pub goal: Goal,
    /// What is used now.
    pub reference: String,
    /// The probability with which all intervals of candidates beside what is used now hold together.
    pub level: f64,
    /// How many intervals these are.
    pub intervals: usize,
    /// Each pool, in the order of the plan.
    pub pools: Vec<PoolAnswer>,
    /// One for all pools; none for a single pool, and where no candidate stays alive on all.
    pub overall: Option<Overall>,
    /// Memory by cores.
    pub memory: Vec<MemoryPoint>,
    /// Blocks that were planned, and that were measured.
    pub planned: usize,
    /// Blocks that were measured.
    pub blocks: usize,
    /// Blocks that logs had only parts of.
    pub lost: usize,
    /// What the reader must know.
    pub notes: Vec<String>,
}

/// What a pool should run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PoolAnswer {
    /// The pool's name.
    pub name: String,
    /// Blocks that were planned.
    pub planned: u32,
    /// Blocks that were measured.
    pub blocks: usize,
    /// Nodes that they were measured on.
    pub nodes: usize,
    /// What to do.
    #[cfg_attr(test, schemars(with = "String"))]
    pub advice: Advice,
    /// What to run; none where nothing was measured, or nothing stays alive.
    pub pick: Option<String>,
    /// Each candidate, in the order of the plan.
    pub candidates: Vec<CandidateAnswer>,
}

/// A candidate on a pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CandidateAnswer {
    /// Its name.
    pub name: String,
    /// How it does.
    pub verdict: Verdict,
    /// Its cost by the goal over that of what is used now, or of the first that stays alive.
    pub cost: Option<Ratio>,
    /// The same for time.
    pub time: Option<Ratio>,
    /// The same for memory.
    pub memory: Option<Ratio>,
    /// Seconds of a run.
    #[cfg_attr(test, schemars(schema_with = "crate::elsewhere::summary"))]
    pub seconds: Option<Summary>,
    /// Peak of a run, in bytes.
    #[cfg_attr(test, schemars(schema_with = "crate::elsewhere::summary"))]
    pub peak_bytes: Option<Summary>,
    /// What went wrong, and how often.
    pub failure: Option<String>,
}

/// How a candidate does beside what is used now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is what is used now.
    Now,
    /// Certainly better.
    Better,
    /// Certainly worse.
    Worse,
    /// No significant difference.
    #[default]
    Undecided,
    /// It stays alive, where what is used now does not.
    Alive,
    /// It died of the memory limit.
    OverMemory,
    /// It failed, or did not end.
    Failed,
}

/// One for all pools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Overall {
    /// What to run.
    pub pick: String,
    /// Its cost over that of what is used now; none where it is that, or that failed on some pool.
    pub gain: Option<Ratio>,
    /// Whether pools count by their replicas, and not alike.
    pub by_replicas: bool,
    /// Its cost on each pool over that of the pool's own pick; none where it is that.
    pub beside_best: BTreeMap<String, Option<Ratio>>,
    /// Pools on which it certainly costs more than what is used now.
    pub worse_on: Vec<String>,
}

/// Memory of a candidate on nodes with so many cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryPoint {
    /// The candidate's name.
    pub candidate: String,
    /// Cores that its process could use.
    pub cores: usize,
    /// Peak of a run, in bytes.
    #[cfg_attr(test, schemars(schema_with = "crate::elsewhere::summary_itself"))]
    pub peak_bytes: Summary,
}
