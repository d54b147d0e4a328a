//! Blocks that one thread allocates and another frees, after Lever and Boreham's malloc-test: half of the threads fill
//! batches, the other half empty them.

use crate::Report;
use crate::common::{Block, Queue, Random, race};

/// Blocks that change hands at once.
const BATCH: usize = 100;
/// Batches that wait at most.
const WAITING: usize = 32;

/// An operation is one block that was handed over. One thread alone does both halves in turn.
pub fn run(threads: usize, operations: usize) -> Report {
    let producers = (threads / 2).max(1);
    let batches = operations.div_ceil(producers * BATCH);
    let queue: Queue<Vec<Block>> = Queue::new(WAITING);
    let produce = |random: &mut Random| -> (Vec<Block>, u64) {
        let batch: Vec<Block> = (0..BATCH).map(|_| Block::new(random.logarithmic(16, 1024))).collect();
        let sum = batch.iter().map(|block| block.size() as u64).sum();
        (batch, sum)
    };
    let (sums, took) = race(producers * threads.min(2), |index| {
        let mut random = Random::new(index);
        let mut sum = 0u64;
        for _ in 0..batches {
            if index < producers {
                let (batch, size) = produce(&mut random);
                sum += size;
                queue.put(batch);
            }
            if index >= producers || threads == 1 {
                drop(queue.take());
            }
        }
        sum
    });
    Report { operations: producers * batches * BATCH, checksum: sums.iter().sum(), took }
}
