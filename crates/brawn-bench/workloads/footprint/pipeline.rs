//! Producers and consumers: every block is freed by another thread than the one that allocated it, for as long as the
//! process lives. Each pair has a queue of its own, so the heap is measured and not one queue's lock.

use crate::common::{Block, Queue, Random, metric, race_then, report_idle_memory};

/// Blocks that change hands at once.
const BATCH: usize = 64;
/// Batches that wait at most.
const WAITING: usize = 16;

/// `[pairs of threads, blocks of each pair]`
pub fn run([pairs, blocks]: [usize; 2]) {
    let batches = blocks.div_ceil(BATCH);
    let queues: Vec<Queue<[Block; BATCH]>> = (0..pairs).map(|_| Queue::new(WAITING)).collect();
    let work = |index: usize| -> u64 {
        let queue = &queues[index / 2];
        if index % 2 == 1 {
            return (0..batches)
                .map(|_| queue.take().iter().map(|block| block.size() as u64).sum::<u64>())
                .sum();
        }
        let mut random = Random::new(index);
        for _ in 0..batches {
            queue.put(std::array::from_fn(|_| {
                let mut block = Block::new(random.logarithmic(16, 2048));
                block.touch();
                block
            }));
        }
        0
    };
    let (bytes, took, ()) = race_then(2 * pairs, work, report_idle_memory);
    let (blocks, bytes) = (pairs * batches * BATCH, bytes.iter().sum::<u64>());
    println!("{pairs} producers, {pairs} consumers, {blocks} blocks, {bytes} bytes");
    metric("blocks_per_second", blocks as f64 / took.as_secs_f64());
}
