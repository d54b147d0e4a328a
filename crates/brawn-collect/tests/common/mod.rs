//! Blocks as a runner would make them.

#![allow(dead_code, missing_docs)] // Each test uses its part.

pub mod synthetic;

use brawn_collect::block::{Block, BlockRun, Outcome};
use brawn_collect::plan::{Plan, PlanCandidate, PlanPool};
use brawn_measure::{Machine, Sample};
use brawn_tune::Goal;

/// A run that took so many seconds, and 100 MiB.
pub fn took(seconds: f64) -> Outcome {
    Outcome::Sample(Sample {
        wall_seconds: seconds,
        user_seconds: 0.9 * seconds,
        peak_bytes: Some(100 << 20),
        ..Sample::default()
    })
}

/// A block of fleet `f` on a node of its own.
pub fn block(pool: &str, index: u32, runs: &[(&str, f64)]) -> Block {
    let runs =
        runs.iter().map(|&(name, seconds)| BlockRun { candidate: name.into(), outcome: took(seconds) });
    Block {
        fleet: "f".into(),
        pool: pool.into(),
        index,
        machine: Machine { architecture: "x86_64".into(), cores: 8, ..Machine::default() },
        node: Some(format!("{pool}-{index}")),
        started: "2026-11-25T20:00:00Z".into(),
        seconds: 3.0,
        runs: runs.collect(),
        ..Block::default()
    }
}

/// A plan of fleet `f` for the candidates `now` and `other`, with so many blocks on each pool.
pub fn plan(pools: &[(&str, u32)]) -> Plan {
    let candidate = |name: &str| PlanCandidate {
        name: name.into(),
        image_path: format!("/bin/{name}"),
        digest: "0".repeat(64),
        ..PlanCandidate::default()
    };
    let pool = |&(name, blocks): &(&str, u32)| PlanPool { name: name.into(), blocks, ..PlanPool::default() };
    Plan {
        id: "f".into(),
        created: "2026-11-25T19:00:00Z".into(),
        program: "program".into(),
        goal: Goal::Time,
        reference: "now".into(),
        candidates: ["now", "other"].map(candidate).to_vec(),
        pools: pools.iter().map(pool).collect(),
        seed: 7,
        image: Some(format!("registry.example/program@sha256:{}", "a".repeat(64))),
    }
}
