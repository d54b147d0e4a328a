//! Blocks as a runner would make them.

#![allow(dead_code, missing_docs)] // Each test uses its part.

use brawn_collect::block::{Block, BlockRun, Outcome};
use brawn_measure::{Machine, Sample};

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
