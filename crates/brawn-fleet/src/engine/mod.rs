//! What runs blocks: a cluster's jobs, machines that can be logged in to, a queue's array jobs.

pub mod kubernetes;
pub mod slurm;
pub mod ssh;

use std::collections::BTreeMap;

use brawn_collect::source::{Files, Source};
use serde::Serialize;

use crate::kubectl::Kubectl;
use crate::record::Record;

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

/// Where the logs of a fleet's blocks are.
pub fn logs(record: &Record) -> Box<dyn Source> {
    match (&record.spec.kubernetes, &record.spec.slurm) {
        (Some(settings), _) => Box::new(kubernetes::Logs::new(Kubectl::new(settings), &record.plan.id)),
        (_, Some(settings)) => Box::new(Files(vec![slurm::folder(settings, &record.plan.id).join("logs")])),
        _ => Box::new(Files(vec![record.logs()])),
    }
}
