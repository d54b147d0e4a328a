//! The two loops that glibc's developers measure malloc with: blocks of one size, allocated in a row and freed in a row;
//! and threads that replace random blocks of a large range of sizes.

use crate::Report;
use crate::common::{Block, Random, race};

/// Sizes of the first loop, in bytes.
const SIZES: &[usize] = &[16, 64, 256, 1024, 4096];
/// Blocks in a row, for each size.
const COUNTS: &[usize] = &[25, 100, 400, 1600];
/// Blocks that a thread of the second loop holds.
const SLOTS: usize = 1024;

/// An operation is one block, allocated and freed.
pub fn simple(threads: usize, operations: usize) -> Report {
    let pass = SIZES.len() * COUNTS.len() * 1600;
    let passes = operations.div_ceil(pass * threads);
    let (sums, took) = race(threads, |_| {
        let mut row = Vec::with_capacity(1600);
        let mut sum = 0u64;
        for _ in 0..passes {
            for &size in SIZES {
                // Each count gets the same number of blocks in all.
                for &count in COUNTS {
                    for _ in 0..1600 / count {
                        row.extend((0..count).map(|_| Block::new(size)));
                        sum += (row.len() * size) as u64;
                        row.clear();
                    }
                }
            }
        }
        sum
    });
    Report { operations: pass * passes * threads, checksum: sums.iter().sum(), took }
}

/// An operation is one block replaced: a `free` and a `malloc`.
pub fn thread(threads: usize, operations: usize) -> Report {
    let each = operations.div_ceil(threads);
    let (sums, took) = race(threads, |index| {
        let mut random = Random::new(index);
        let mut slots: Vec<Option<Block>> = (0..SLOTS).map(|_| None).collect();
        let mut sum = 0u64;
        for _ in 0..each {
            // The old block goes first, so that its memory can serve again.
            let slot = &mut slots[random.below(SLOTS)];
            *slot = None;
            let block = Block::new(random.logarithmic(4, 32 * 1024));
            sum += block.size() as u64;
            *slot = Some(block);
        }
        sum
    });
    Report { operations: each * threads, checksum: sums.iter().sum(), took }
}
