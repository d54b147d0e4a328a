//! Does a heap put two threads' objects on one cache line? After Hoard's cache-thrash (the heap itself hands neighbours to
//! different threads) and cache-scratch (the program does so, and the heap prolongs it by reusing what was freed).

use std::sync::Mutex;

use crate::Report;
use crate::common::{Block, race};

/// Size of the objects, in bytes: eight fit on a line.
const SIZE: usize = 8;
/// How often each object is written before it is freed.
const WRITES: usize = 100;

/// An operation is one object: allocated, written, freed.
pub fn thrash(threads: usize, operations: usize) -> Report {
    work(threads, operations, None)
}

/// The same, after each thread has freed an object that the main thread made beside those of the others.
pub fn scratch(threads: usize, operations: usize) -> Report {
    let gifts = (0..threads).map(|_| Mutex::new(Some(Block::new(SIZE)))).collect();
    work(threads, operations, Some(gifts))
}

fn work(threads: usize, operations: usize, gifts: Option<Vec<Mutex<Option<Block>>>>) -> Report {
    let each = operations.div_ceil(threads);
    let (sums, took) = race(threads, |index| {
        if let Some(gifts) = &gifts {
            let gift = gifts[index].lock().expect("no thread panics").take();
            gift.expect("one for each thread").increment(1);
        }
        let mut sum = 0u64;
        for _ in 0..each {
            let mut block = Block::new(SIZE);
            block.increment(WRITES);
            sum += block.size() as u64;
        }
        sum
    });
    Report { operations: each * threads, checksum: sums.iter().sum(), took }
}
