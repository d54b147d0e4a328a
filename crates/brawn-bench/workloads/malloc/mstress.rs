//! Threads that come and go and trade objects, after mstress: in each generation new threads replace random blocks of
//! their own, now and then a much larger one, and swap some with a table that all share; part of what they have
//! outlives them.

use std::sync::Mutex;

use crate::Report;
use crate::common::{Block, Random, race};

/// Times that all threads end and new ones begin.
const GENERATIONS: usize = 10;
/// Blocks that a thread holds at most.
const SLOTS: usize = 1024;
/// Blocks in the shared table.
const TRADED: usize = 256;

/// An operation is one block allocated; each is freed sooner or later.
pub fn run(threads: usize, operations: usize) -> Report {
    let each = operations.div_ceil(threads * GENERATIONS);
    let market: Vec<Mutex<Option<Block>>> = (0..TRADED).map(|_| Mutex::new(None)).collect();
    let mut report =
        Report { operations: each * threads * GENERATIONS, checksum: 0, took: Default::default() };
    let mut inherited: Vec<Mutex<Vec<Option<Block>>>> = (0..threads).map(|_| Mutex::default()).collect();
    for generation in 0..GENERATIONS {
        let (answers, took) = race(threads, |index| {
            let mut slots = std::mem::take(&mut *inherited[index].lock().expect("no thread panics"));
            slots.resize_with(SLOTS, || None);
            let sum = live(&mut Random::new(generation * threads + index), each, &mut slots, &market);
            // Half goes with the thread, half stays for the next one.
            slots.truncate(SLOTS / 2);
            (sum, slots)
        });
        report.took += took;
        inherited.clear();
        for (sum, slots) in answers {
            report.checksum = report.checksum.wrapping_mul(31).wrapping_add(sum);
            inherited.push(Mutex::new(slots));
        }
    }
    report
}

fn live(
    random: &mut Random,
    rounds: usize,
    slots: &mut [Option<Block>],
    market: &[Mutex<Option<Block>>],
) -> u64 {
    let mut sum = 0;
    for round in 0..rounds {
        let limit = if round % 128 == 0 { 64 * 1024 } else { 512 };
        let block = Block::new(random.logarithmic(16, limit));
        sum += block.size() as u64;
        slots[random.below(SLOTS)] = Some(block);
        if round % 4 == 0 {
            let offered = &mut slots[random.below(SLOTS)];
            std::mem::swap(offered, &mut *market[random.below(TRADED)].lock().expect("no thread panics"));
        }
    }
    sum
}
