//! Waves of blocks of mixed sizes, small ones in the majority, freed newest first and oldest first in turn while a part
//! survives into the next wave; after MicroQuill's sh6bench. In the way of sh8bench the survivors also change hands, so
//! that another thread frees them.

use std::sync::Mutex;

use crate::Report;
use crate::common::{Block, race};

/// Blocks of each size in a wave are as many as fit into this many bytes.
const BYTES_PER_SIZE: usize = 4096;
/// Sizes of a wave, in bytes.
const SIZES: &[usize] = &[8, 16, 24, 40, 64, 100, 160, 256, 400, 640, 1000];
/// Every so manyth block survives a wave.
const SURVIVES: usize = 4;

/// An operation is one block, allocated and freed.
pub fn six(threads: usize, operations: usize) -> Report {
    run(threads, operations, false)
}

/// The same, with survivors that the next thread frees.
pub fn eight(threads: usize, operations: usize) -> Report {
    run(threads, operations, true)
}

fn run(threads: usize, operations: usize, trade: bool) -> Report {
    let wave: usize = SIZES.iter().map(|size| BYTES_PER_SIZE / size).sum();
    let waves = operations.div_ceil(wave * threads);
    let desks: Vec<Mutex<Vec<Block>>> = (0..threads).map(|_| Mutex::default()).collect();
    let (sums, took) = race(threads, |index| {
        let mut survivors = Vec::new();
        let mut sum = 0u64;
        for wave in 0..waves {
            let mut blocks: Vec<Block> = SIZES
                .iter()
                .flat_map(|&size| (0..BYTES_PER_SIZE / size).map(move |_| Block::new(size)))
                .collect();
            sum += blocks.iter().map(|block| block.size() as u64).sum::<u64>();
            // What came through the last wave goes now, or lies on the desk of the next thread.
            let mut old = std::mem::take(&mut survivors);
            if trade {
                std::mem::swap(
                    &mut old,
                    &mut *desks[(index + 1) % threads].lock().expect("no thread panics"),
                );
                old.append(&mut desks[index].lock().expect("no thread panics"));
            }
            drop(old);
            let mut index = 0;
            survivors = blocks
                .extract_if(.., |_| {
                    index += 1;
                    index % SURVIVES == 0
                })
                .collect();
            if wave % 2 == 0 {
                while let Some(newest) = blocks.pop() {
                    drop(newest);
                }
            }
            drop(blocks);
        }
        sum
    });
    Report { operations: waves * wave * threads, checksum: sums.iter().sum(), took }
}
