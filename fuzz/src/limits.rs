//! What an execution may take.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The most processor time that reading one input may take. Time on the clock would blame a parser for a busy machine.
pub const LONGEST: Duration = Duration::from_secs(1);

/// The most memory that may be in use while an input is read, in bytes.
pub const MOST_MEMORY: usize = 256 << 20;

/// Counts what is in use, and ends the process where it is too much.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

fn take(size: usize) {
    let now = IN_USE.fetch_add(size, Relaxed).saturating_add(size);
    PEAK.fetch_max(now, Relaxed);
    if now > MOST_MEMORY {
        // A panic's message takes memory itself.
        let _ = rustix::io::write(rustix::stdio::stderr(), b"a parser took more than 256 MiB\n");
        std::process::abort();
    }
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps alloc's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps alloc_zeroed's contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the block came from the system's allocator with this layout.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the block came from the system's allocator with this layout, and the caller vouches for the size.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// The most memory that was ever in use, in bytes.
pub fn peak() -> usize {
    PEAK.load(Relaxed)
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Runs `read` and panics if it took too long.
pub(crate) fn hold(name: &str, read: impl FnOnce()) {
    let before = processor_time();
    read();
    let took = processor_time() - before;
    assert!(took <= LONGEST, "{name} took {took:?}");
}
