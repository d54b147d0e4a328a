//! One block: every candidate once on this machine, one after the other, in random order.

use std::io;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use brawn_collect::block::{Block, BlockRun, Outcome};
use brawn_image::Epoch;
use brawn_measure::{Machine, limits};
use brawn_tune::Stage as _;
use brawn_tune::candidate::Candidate;
use brawn_tune::failure::Failure;
use brawn_tune::links::Links;
use brawn_tune::runner::Runner;

use crate::Error;
use crate::guard::Guard;
use crate::task::{Place, Task};

/// Which block it is, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Its index in the pool, from 0 on.
    pub index: u32,
    /// Which try of it, from 0 on.
    pub attempt: u32,
    /// The node's name, where the engine tells.
    pub node: Option<String>,
}

/// Runs a block. Before each candidate, `before` is given what is known until then, with that candidate as one that wanted
/// too much memory: the last word of a block that is killed together with a candidate.
///
/// # Errors
/// What is no candidate's fault. [`Error::Changed`] where an executable is not the one that was planned.
pub fn run(
    task: &Task,
    place: &Place,
    turn: &Turn,
    mut before: impl FnMut(&Block) -> io::Result<()>,
) -> Result<Block, Error> {
    let begun = Instant::now();
    // This reads every executable, so that none is the first one to wait for the disk.
    for program in &task.candidates {
        let path = place.root.join(&program.path);
        if brawn_tune::links::digest([path.as_path()])? != brawn_libc::sha256_hex(program.digest.as_bytes()) {
            return Err(Error::Changed { path });
        }
    }
    let job = task.job(place)?;
    let mut links = Links::none();
    let mut runner = Runner::new(&job, &mut links)?;
    let mut candidates = task.programs(&place.root);
    let mut block = Block {
        fleet: task.fleet.clone(),
        pool: task.pool.clone(),
        index: turn.index,
        attempt: turn.attempt,
        machine: Machine::read(),
        node: turn.node.clone(),
        started: now(),
        seconds: 0.0,
        runs: Vec::new(),
    };
    let mut told = |block: &Block, candidate: &Candidate| {
        let mut last = block.clone();
        let limit = task.memory.unwrap_or_default();
        last.runs.push(BlockRun {
            candidate: candidate.name.clone(),
            outcome: Outcome::OverMemory { limit, peak: None },
        });
        before(&last)
    };
    let mut go = |candidate: &Candidate| -> Result<Outcome, Error> {
        let killed = limits::memory::killed_here();
        let guard = task.memory.and_then(Guard::start);
        let run = runner.run(candidate, 0);
        let bitten = guard.and_then(Guard::end);
        let run = run?;
        // A signal that ends this process may have ended the candidate as well: that says nothing of it.
        if place.interrupt.load(Ordering::Relaxed) {
            return Err(brawn_tune::Error::Interrupted.into());
        }
        Ok(match run {
            Ok(sample) => Outcome::Sample(sample),
            Err(_) if bitten.is_some() => {
                Outcome::OverMemory { limit: task.memory.unwrap_or_default(), peak: bitten }
            }
            Err(failure) => outcome(failure, limits::memory::killed_here() > killed, task.memory),
        })
    };
    // To warm up: what others print is compared with what this one printed, and how long it took is known.
    told(&block, &candidates[0])?;
    go(&candidates[0])?;
    order(task.seed, turn.index).shuffle(&mut candidates);
    for candidate in &candidates {
        told(&block, candidate)?;
        block.runs.push(BlockRun { candidate: candidate.name.clone(), outcome: go(candidate)? });
    }
    block.seconds = begun.elapsed().as_secs_f64();
    Ok(block)
}

/// The same block has the same order wherever it runs.
fn order(seed: u64, index: u32) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed ^ (u64::from(index) << 32))
}

/// What became of a candidate that failed. Where the kernel killed something of this container's meanwhile, it was the
/// container's limit of memory that was passed: by processes of the candidate's together, or between two looks of the watchdog.
fn outcome(failure: Failure, killed: bool, limit: Option<u64>) -> Outcome {
    match failure {
        Failure::OverLimit { limit, peak } => Outcome::OverMemory { limit, peak },
        Failure::TimedOut(seconds) | Failure::TooSlow(seconds) => Outcome::TimedOut { seconds },
        _ if killed => Outcome::OverMemory { limit: limit.unwrap_or_default(), peak: None },
        other => Outcome::Failed { reason: other.to_string() },
    }
}

/// Now, as a date of RFC 3339.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    Epoch { seconds }.rfc3339()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_differ_and_come_back() {
        let shuffled = |index| {
            let mut list: Vec<u32> = (0..6).collect();
            order(7, index).shuffle(&mut list);
            list
        };
        assert_eq!(shuffled(3), shuffled(3));
        let first: std::collections::BTreeSet<u32> = (0..40).map(|index| shuffled(index)[0]).collect();
        assert_eq!(first.len(), 6, "each is first some time");
    }

    #[test]
    fn what_the_kernel_killed_wanted_memory() {
        let ended = || Failure::Ended("ended with signal SIGKILL".into());
        assert_eq!(outcome(ended(), true, Some(5)), Outcome::OverMemory { limit: 5, peak: None });
        assert!(matches!(outcome(ended(), false, Some(5)), Outcome::Failed { .. }));
        assert_eq!(outcome(Failure::TooSlow(2.0), true, None), Outcome::TimedOut { seconds: 2.0 });
        let over = Failure::OverLimit { limit: 1, peak: Some(2) };
        assert_eq!(outcome(over, false, None), Outcome::OverMemory { limit: 1, peak: Some(2) });
    }
}
