//! A library with the heap, as a program sees it: what it does is checked here, and a broken promise ends the process.

use std::alloc::{GlobalAlloc as _, Layout};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Mutex;

use brawn_heap::BrawnHeap;

#[global_allocator]
static HEAP: BrawnHeap = BrawnHeap;

/// Blocks on their way between threads.
static EXCHANGE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Freed, with more work for the heap, when its thread ends.
struct Last(Vec<String>);

impl Drop for Last {
    fn drop(&mut self) {
        let words: HashMap<String, usize> = self.0.drain(..).map(|word| (word.clone(), word.len())).collect();
        assert!(words.iter().all(|(word, length)| word.len() == *length), "words are not what they were");
    }
}

thread_local! {
    static LAST: RefCell<Last> = const { RefCell::new(Last(Vec::new())) };
}

fn next(seed: &mut u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 20) as usize
}

fn size(seed: &mut u64) -> usize {
    match next(seed) % 16 {
        0 => 100_000 + next(seed) % 900_000,
        1 | 2 => next(seed) % 20_000,
        _ => 1 + next(seed) % 1_100,
    }
}

/// One block by hand, over-aligned as a rule, through all that may happen to it.
fn by_hand(seed: &mut u64) {
    let layout = Layout::from_size_align(size(seed), 1 << (next(seed) % 14)).unwrap();
    let larger = size(seed);
    // SAFETY: the layout has a size, and each block is used within it and freed once.
    unsafe {
        let block = HEAP.alloc_zeroed(layout);
        assert!(!block.is_null() && (block as usize).is_multiple_of(layout.align()));
        let bytes = std::slice::from_raw_parts_mut(block, layout.size());
        assert!(bytes.iter().all(|byte| *byte == 0), "not zero");
        bytes.fill(0x5a);
        let moved = HEAP.realloc(block, layout, larger);
        assert!(!moved.is_null() && (moved as usize).is_multiple_of(layout.align()));
        let kept = std::slice::from_raw_parts(moved, larger.min(layout.size()));
        assert!(kept.iter().all(|byte| *byte == 0x5a), "not kept");
        HEAP.dealloc(moved, Layout::from_size_align(larger, layout.align()).unwrap());
    }
}

/// Works with the heap alone, and leaves nothing of Rust's own to the end of the thread.
#[unsafe(no_mangle)]
pub extern "C" fn module_blocks(seed: u64, rounds: u32) {
    let mut seed = seed | 1;
    (0..rounds).for_each(|_| by_hand(&mut seed));
}

/// Works with the heap for so many rounds, alone and by the exchange with other threads.
#[unsafe(no_mangle)]
pub extern "C" fn module_work(seed: u64, rounds: u32) {
    let mut seed = seed | 1;
    let mut held: Vec<Vec<u8>> = Vec::new();
    for _ in 0..rounds {
        let (length, fill) = (size(&mut seed), next(&mut seed) as u8);
        let mut bytes = vec![fill; length / 2];
        bytes.resize(length, fill);
        held.push(bytes);
        by_hand(&mut seed);
        LAST.with_borrow_mut(|last| last.0.push(format!("{length} and {fill}")));
        if held.len() > 32 {
            held.swap_remove(next(&mut seed) % 32);
        }
        if next(&mut seed).is_multiple_of(4) {
            // Not waited for: in a child of a fork it may be somebody's who is not there.
            if let Ok(mut exchange) = EXCHANGE.try_lock() {
                exchange.extend(held.pop());
                if exchange.len() > 64 {
                    let at = next(&mut seed) % 64;
                    held.push(exchange.swap_remove(at));
                }
            }
        }
        for bytes in &held {
            assert!(bytes.iter().step_by(509).all(|byte| *byte == bytes[0]), "a block has changed");
        }
    }
}

/// The same in so many threads of its own, which have ended when it returns.
#[unsafe(no_mangle)]
pub extern "C" fn module_threads(seed: u64, threads: u64, rounds: u32) {
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || module_work(seed.wrapping_mul(thread + 2), rounds));
        }
    });
}

/// Frees a block that is not the heap's: the process must end.
///
/// # Safety
///
/// There is no safe way to call it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn module_free(block: *mut u8) {
    // SAFETY: none: this shows what happens.
    unsafe { HEAP.dealloc(block, Layout::new::<u64>()) }
}

/// Gives back what lies unused.
#[unsafe(no_mangle)]
pub extern "C" fn module_trim() -> bool {
    HEAP.trim()
}
