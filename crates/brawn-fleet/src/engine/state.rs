use std::collections::BTreeMap;

use serde::Serialize;

/// How far a pool is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct State {
    /// The pool.
    pub pool: String,
    /// Blocks that were planned.
    pub blocks: u32,
    /// Blocks that have ended with an answer.
    pub done: u32,
    /// Blocks that are given up.
    pub failed: u32,
    /// Blocks that run, or are about to.
    pub active: u32,
    /// What others wait for, and how many do: `ImagePullBackOff`, `Unschedulable`.
    pub waiting: BTreeMap<String, u32>,
}
