//! How quick the machine is at a moment: the time that a small, fixed piece of work takes.
//!
//! A virtual machine shares its cores with others that it cannot see. When one of them uses the other half of a core,
//! everything takes up to half as long again, for some tenths of a second, and neither the kernel's count of stolen time nor a program's CPU
//! time shows it. Work that is the same every time does. It says nothing about a program, and is the same beside every
//! variant, so what it explains of their times may be taken out of them: it is a covariate (R. A. Fisher, 1932).

use std::hint::black_box;
use std::io;
use std::time::Instant;

use crate::limits;
use crate::statistics::{geometric_mean, median};

/// Parts that each kind of work is cut into: one that the scheduler interrupts is none of those in the middle.
const PARTS: usize = 7;
/// Steps of a part: about a tenth of a millisecond.
const STEPS: u64 = 80_000;
/// Words of the table, 64 KiB: more than the first cache holds, and far less than the second.
const WORDS: usize = 16 << 10;
/// Most cores that are asked, spread over all: each takes a thread.
const MOST_CORES: usize = 16;

/// Seconds that a piece of work takes now on these cores, all at once; on all that may be used, where none are given. None
/// where the kernel does not let a thread run there.
pub fn seconds(cores: &[usize]) -> Option<f64> {
    let all;
    let cores = match cores {
        [] => {
            all = limits::allowed_cores().ok()?;
            &all[..]
        }
        some => some,
    };
    let step = cores.len().div_ceil(MOST_CORES).max(1);
    let each: Option<Vec<f64>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            cores.iter().step_by(step).map(|&core| scope.spawn(move || on(core).ok())).collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    });
    geometric_mean(&each?)
}

/// The same on one core, to which this thread is held from then on.
fn on(core: usize) -> io::Result<f64> {
    limits::hold_thread(&[core])?;
    let mut table: Vec<u64> = (0..WORDS as u64).collect();
    // Once to bring table and code into the caches: what ran before must not count.
    black_box((arithmetic(STEPS / 8), walk(&mut table, STEPS / 2)));
    let mut parts = [Vec::with_capacity(PARTS), Vec::with_capacity(PARTS)];
    for _ in 0..PARTS {
        parts[0].push(timed(|| arithmetic(STEPS)));
        parts[1].push(timed(|| walk(&mut table, STEPS / 2)));
    }
    let medians: Vec<f64> = parts.iter().filter_map(|parts| median(parts)).collect();
    geometric_mean(&medians).ok_or_else(|| io::Error::other("the clock stands still"))
}

fn timed(work: impl FnOnce() -> u64) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// Four chains of arithmetic beside one another: as many instructions at once as a core can do.
fn arithmetic(steps: u64) -> u64 {
    let (mut one, mut two, mut three, mut four) = (black_box(1_u64), 2_u64, 3_u64, 4_u64);
    for _ in 0..steps {
        one = one.wrapping_mul(3).wrapping_add(1);
        two = two.wrapping_mul(5).wrapping_add(1);
        three ^= three >> 3;
        four = four.wrapping_add(one ^ two);
        three = three.wrapping_add(four);
    }
    one ^ two ^ three ^ four
}

/// Reads and writes all over a table, with branches that no one can foresee.
fn walk(table: &mut [u64], steps: u64) -> u64 {
    let (mut random, mut sum) = (black_box(1_u64), 0_u64);
    for _ in 0..steps {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let place = &mut table[(random >> 40) as usize % WORDS];
        if *place & 1 == 1 {
            sum = sum.wrapping_add(random >> 7);
        } else {
            sum ^= *place;
        }
        *place = place.wrapping_mul(5).wrapping_add(1 + (sum & 3));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_has_a_pace_and_one_that_does_not_exist_has_none() {
        for core in limits::allowed_cores().unwrap() {
            assert!(seconds(&[core]).is_some_and(|seconds| seconds > 0.0 && seconds < 1.0));
        }
        assert!(seconds(&[]).is_some());
        assert_eq!(seconds(&[libc::CPU_SETSIZE as usize - 1]), None);
    }

    #[test]
    fn asking_holds_nobody_to_a_core() {
        let before = limits::allowed_cores().unwrap();
        seconds(&before[..1]).unwrap();
        assert_eq!(limits::allowed_cores().unwrap(), before);
    }

    #[test]
    fn more_work_is_more_steps() {
        // What the optimiser would do away with measures nothing.
        let mut table: Vec<u64> = (0..WORDS as u64).collect();
        assert_ne!(arithmetic(10), arithmetic(11));
        let once = walk(&mut table.clone(), 1000);
        assert_ne!(once, walk(&mut table, 2000));
    }
}
