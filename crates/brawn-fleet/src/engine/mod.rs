//! What runs blocks: a cluster's jobs, machines that can be logged in to, a queue's array jobs.

pub mod kubernetes;
pub mod slurm;
pub mod ssh;
mod state;

use brawn_collect::source::{Files, Source};

use crate::Error;
use crate::kubectl::Kubectl;
use crate::record::Record;

pub use state::State;

/// Where the logs of a fleet's blocks are.
pub fn logs(record: &Record) -> Box<dyn Source<Error>> {
    match (&record.spec.kubernetes, &record.spec.slurm) {
        (Some(settings), _) => Box::new(kubernetes::Logs::new(Kubectl::new(settings), &record.plan.id)),
        (_, Some(settings)) => Box::new(slurm::Logs::new(settings, &record.plan.id)),
        _ => Box::new(Files(vec![record.logs()])),
    }
}
