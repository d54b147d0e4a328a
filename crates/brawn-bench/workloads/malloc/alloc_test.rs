//! A heap in its steady state, after alloc-test: each thread has a table of slots, picks one at random, and empties it or
//! fills it. Few slots get most of the traffic, and small sizes are far more frequent than large ones.

use crate::Report;
use crate::common::{Block, Random, race};

/// Slots of one thread.
const SLOTS: usize = 16 * 1024;
/// Largest block, in bytes.
const LARGEST: usize = 16 * 1024;

/// An operation is one visit to a slot: a `malloc` or a `free`.
pub fn run(threads: usize, operations: usize) -> Report {
    let each = operations.div_ceil(threads);
    let (sums, took) = race(threads, |index| {
        let mut random = Random::new(index);
        let mut slots: Vec<Option<Block>> = (0..SLOTS).map(|_| None).collect();
        let mut sum = 0u64;
        for _ in 0..each {
            let slot = &mut slots[skewed(&mut random)];
            if slot.take().is_none() {
                let block = Block::new(size(&mut random));
                sum += block.size() as u64;
                *slot = Some(block);
            }
        }
        sum
    });
    Report { operations: each * threads, checksum: sums.iter().sum(), took }
}

/// A slot; the product of two uniform numbers favours the low ones as a Pareto distribution does.
fn skewed(random: &mut Random) -> usize {
    let bits = random.next();
    let (left, right) = (bits as u32 as usize % SLOTS, (bits >> 32) as usize % SLOTS);
    left * right / SLOTS
}

/// A size from 8 bytes up; twice the size is half as likely.
fn size(random: &mut Random) -> usize {
    let bits = random.next();
    let power = 8 << bits.trailing_zeros().min((LARGEST / 16).ilog2());
    power + (bits >> 32) as usize % power
}
