//! A server that hands its objects from thread to thread, after Larson and Krishnan: each thread replaces random blocks of
//! a set with new ones of random size, and when it has served long enough, a new thread takes over the set. So most
//! blocks are freed by another thread than the one that allocated them.

use std::thread;

use crate::Report;
use crate::common::{Block, Random, race};

/// Blocks of one set.
const SET: usize = 1000;
/// Smallest and largest block, in bytes.
const SIZES: (usize, usize) = (8, 1000);
/// Blocks that a thread replaces before it hands its set on.
const SERVICE: usize = 20_000;

/// An operation is one block replaced: a `free` and a `malloc`.
pub fn run(threads: usize, operations: usize) -> Report {
    let each = operations.div_ceil(threads);
    let (sums, took) = race(threads, |index| {
        let mut random = Random::new(index);
        let mut set: Vec<Block> = (0..SET).map(|_| Block::new(random.between(SIZES.0, SIZES.1))).collect();
        let (mut left, mut sum) = (each, 0u64);
        while left > 0 {
            let rounds = left.min(SERVICE);
            let serve = move || {
                let mut sum = 0;
                for _ in 0..rounds {
                    let block = Block::new(random.between(SIZES.0, SIZES.1));
                    sum += block.size() as u64;
                    set[random.below(SET)] = block;
                }
                (random, set, sum)
            };
            let served;
            (random, set, served) = thread::spawn(serve).join().expect("a server panicked");
            sum += served;
            left -= rounds;
        }
        sum
    });
    Report { operations: each * threads, checksum: sums.iter().sum(), took }
}
