//! What the heap keeps for a program, beside what that has in use.

use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use brawn_heap::BrawnHeap;

#[global_allocator]
static HEAP: BrawnHeap = BrawnHeap;

/// Who measures has the process for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// Bytes that are resident.
fn resident() -> usize {
    let pages = fs_err::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4_096
}

/// Blocks of this size that were written to.
fn written(count: usize, size: usize) -> Vec<Vec<u8>> {
    (0..count).map(|_| vec![1; size]).collect()
}

/// A mapping is kept for who asks for it again. A program that grows to twenty times its size and does not has no use for it.
#[test]
fn what_lies_unused_goes_while_a_program_grows() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    drop(written(1, 1_040_000));
    // The heap's clock has ticks of up to 10 ms.
    sleep(Duration::from_millis(30));
    let (before, count) = (resident(), 5_120);
    let held = written(count, 4_096);
    let grown = resident() - before;
    assert!(grown < 4_096 * count, "{grown} bytes for {} blocks", held.len());
}

/// Large blocks that come and go a hundred times a second are given back: to fault them in again is nothing to such a program.
#[test]
fn what_comes_back_slowly_raises_no_peak() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let held = written(16_384, 4_000);
    let before = resident();
    let mut blocks: [Vec<u8>; 12] = Default::default();
    let (mut random, mut live, mut peak, mut most) = (88_172_645_463_325_252_u64, 0, 0, 0);
    let mut below = |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % limit as u64).unwrap()
    };
    for _ in 0..200 {
        let place = &mut blocks[below(12)];
        live -= place.len();
        drop(std::mem::take(place));
        *place = vec![3; 300_000 + below(2_700_000)];
        live += place.len();
        peak = live.max(peak);
        most = resident().saturating_sub(before).max(most);
        sleep(Duration::from_millis(10));
    }
    drop(held);
    // One that comes and goes without a pause has 9 MB more.
    assert!(most < peak + 6_300_000, "{most} bytes resident, {peak} in use");
}
