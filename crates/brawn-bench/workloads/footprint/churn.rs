//! A cache that lives long while what it holds changes its size: threads replace random entries of a table whose bytes are
//! bounded, and every so often the usual size of a new entry moves. A heap that cannot use the holes of yesterday's sizes
//! for today's grows and grows: what is resident over what is alive is its fragmentation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::common::{Block, Random, fail, metric, race_then, report_idle_memory};

/// Parts of the table, each with a lock of its own.
const SHARDS: usize = 64;
/// Bytes that a part may hold.
const SHARD_BYTES: usize = 256 * 1024;
/// Usual smallest sizes, in bytes, one phase after the other; entries have up to four times as much.
const PHASES: &[usize] = &[32, 512, 64, 2048, 128, 8192, 32, 1024, 256, 4096];
/// Replacements between two looks at the clock.
const BETWEEN_LOOKS: usize = 256;

#[derive(Default)]
struct Shard {
    entries: Vec<Block>,
    bytes: usize,
}

/// `[seconds, threads]`
pub fn run([seconds, threads]: [usize; 2]) {
    let limit = Duration::from_secs(seconds as u64);
    let shards: Vec<Mutex<Shard>> = (0..SHARDS).map(|_| Mutex::default()).collect();
    let phases = AtomicUsize::new(0);
    let (rounds, took, live) = race_then(
        threads,
        |index| replace(&shards, &mut Random::new(index), limit, &phases),
        || {
            let live =
                shards.iter().map(|shard| shard.lock().expect("no thread panics").bytes).sum::<usize>();
            report_idle_memory();
            live
        },
    );
    // How much was done depends on the clock, so it is no part of the output that is compared.
    let full = SHARDS * SHARD_BYTES;
    if live > full || live < full / 2 || phases.into_inner() != PHASES.len() {
        fail("the cache is not as full as it should be, or it did not live through every phase");
    }
    drop(shards);
    println!("{threads} threads, {seconds} seconds, {} phases: every entry intact", PHASES.len());
    metric("replacements_per_second", rounds.iter().sum::<usize>() as f64 / took.as_secs_f64());
    metric("live_bytes", live as f64);
}

/// Replaces entries until the time is over; says how many.
fn replace(shards: &[Mutex<Shard>], random: &mut Random, limit: Duration, phases: &AtomicUsize) -> usize {
    let start = Instant::now();
    let mut rounds = 0;
    loop {
        let passed = start.elapsed();
        if passed >= limit {
            return rounds;
        }
        let phase = (passed.as_nanos() * PHASES.len() as u128 / limit.as_nanos()) as usize;
        phases.fetch_max(phase + 1, Ordering::Relaxed);
        for _ in 0..BETWEEN_LOOKS {
            let block = Block::new(random.logarithmic(PHASES[phase], PHASES[phase] * 4));
            let mut shard = shards[random.below(SHARDS)].lock().expect("no thread panics");
            // Entries leave at random until the new one fits, so that lifetimes are mixed.
            while shard.bytes + block.size() > SHARD_BYTES {
                let leaving = random.below(shard.entries.len());
                let leaving = shard.entries.swap_remove(leaving);
                shard.bytes -= leaving.size();
            }
            shard.bytes += block.size();
            shard.entries.push(block);
            rounds += 1;
        }
    }
}
