//! What the workloads share: blocks from the C library's heap, threads that start together, random numbers, arguments
//! and figures.
//!
//! Nothing here allocates while a workload is measured, apart from what the workload itself asks for.

#![allow(dead_code, reason = "each workload uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "workloads have no dependencies")]

use std::collections::VecDeque;
use std::ffi::c_void;
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::process::exit;
use std::ptr::NonNull;
use std::sync::{Barrier, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// Ends the program with a message, as a failed check must.
pub fn fail(message: &str) -> ! {
    eprintln!("error: {message}");
    exit(1)
}

/// One block from `malloc`. Its first and last byte hold a tag that is checked when the block goes, so a heap that hands
/// out the same memory twice does not go unnoticed.
///
/// Pointers and sizes pass through `black_box`: otherwise the compiler may drop a `malloc` with its `free`.
pub struct Block {
    start: NonNull<u8>,
    size: u32,
    tag: u8,
}

// SAFETY: the block belongs to the value alone, and `malloc`'s blocks may be freed by any thread.
unsafe impl Send for Block {}

impl Block {
    /// `malloc(size)`; `size` is at least 1.
    pub fn new(size: usize) -> Self {
        // SAFETY: any size may be asked for.
        let start = black_box(unsafe { malloc(black_box(size)) });
        let Some(start) = NonNull::new(start.cast::<u8>()) else { fail("malloc found no memory") };
        let tag = size as u8 ^ 0x5a;
        let block = Self { start, size: size as u32, tag };
        block.mark();
        block
    }

    /// `realloc` to `size`, at least 1.
    pub fn resize(&mut self, size: usize) {
        // SAFETY: the block came from `malloc` and is replaced by what `realloc` gives.
        let start = black_box(unsafe { realloc(self.start.as_ptr().cast(), black_box(size)) });
        let Some(start) = NonNull::new(start.cast::<u8>()) else { fail("realloc found no memory") };
        // SAFETY: the first byte exists.
        if unsafe { start.read() } != self.tag {
            fail("realloc lost what the block held");
        }
        (self.start, self.size) = (start, size as u32);
        self.mark();
    }

    /// Its size as asked for, in bytes.
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// Writes to every cache line.
    pub fn touch(&mut self) {
        for line in (0..self.size()).step_by(64) {
            // SAFETY: `line` is below the size.
            unsafe { self.start.add(line).write_volatile(self.tag) };
        }
        self.mark();
    }

    /// Adds to its first eight bytes, or as many as it has, `times` over.
    pub fn increment(&mut self, times: usize) {
        for _ in 0..times {
            for index in 0..self.size().min(8) {
                // SAFETY: `index` is below the size.
                unsafe {
                    let byte = self.start.add(index);
                    byte.write_volatile(byte.read_volatile().wrapping_add(1));
                }
            }
        }
        self.mark();
    }

    fn mark(&self) {
        // SAFETY: the size is at least 1, so both bytes exist.
        unsafe {
            self.start.write(self.tag);
            self.start.add(self.size() - 1).write(self.tag);
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: as in `mark`; the block is not used again.
        unsafe {
            if self.start.read() != self.tag || self.start.add(self.size() - 1).read() != self.tag {
                fail("a block did not hold what was written to it");
            }
            free(black_box(self.start.as_ptr()).cast());
        }
    }
}

/// Random numbers from a seed, the same with every libc (xorshift with a multiplication, Marsaglia and Vigna).
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub fn new(seed: usize) -> Self {
        Self((seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// A number in `low..high` of which every power of two is equally likely; both are powers of two.
    pub fn logarithmic(&mut self, low: usize, high: usize) -> usize {
        let power = low << self.below((high / low).ilog2() as usize);
        power + self.below(power)
    }
}

/// Runs `work` on so many threads, which start together; gives their answers, and the time from the first one's start to
/// the last one's end.
pub fn race<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> (Vec<T>, Duration) {
    let (answers, took, ()) = race_then(threads, work, || ());
    (answers, took)
}

/// The same, and calls `after` when all have done their work but none has ended: what the answers hold is still alive.
pub fn race_then<T: Send, R>(
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
    after: impl FnOnce() -> R,
) -> (Vec<T>, Duration, R) {
    let (start_line, finish, release) =
        (Barrier::new(threads), Barrier::new(threads + 1), Barrier::new(threads + 1));
    let run = |index| {
        start_line.wait();
        let start = Instant::now();
        let answer = work(index);
        let end = Instant::now();
        finish.wait();
        release.wait();
        (answer, start, end)
    };
    let run = &run;
    let (results, found) = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|index| scope.spawn(move || run(index))).collect();
        finish.wait();
        let found = after();
        release.wait();
        let results = workers.into_iter().map(|worker| worker.join().expect("a worker panicked"));
        (results.collect::<Vec<_>>(), found)
    });
    let start = results.iter().map(|result| result.1).min().expect("at least one thread");
    let end = results.iter().map(|result| result.2).max().expect("at least one thread");
    (results.into_iter().map(|result| result.0).collect(), end - start, found)
}

/// What one thread hands to another: as many items as it was made for.
pub struct Queue<T> {
    items: Mutex<VecDeque<T>>,
    changed: Condvar,
    capacity: usize,
}

impl<T> Queue<T> {
    /// An empty queue for at most `capacity` items.
    pub fn new(capacity: usize) -> Self {
        Self { items: Mutex::new(VecDeque::with_capacity(capacity)), changed: Condvar::new(), capacity }
    }

    /// Waits for room.
    pub fn put(&self, item: T) {
        let full = |items: &mut VecDeque<T>| items.len() == self.capacity;
        let items = self.items.lock().expect("no thread panics");
        self.changed.wait_while(items, full).expect("no thread panics").push_back(item);
        self.changed.notify_all();
    }

    /// Waits for an item.
    pub fn take(&self) -> T {
        let items = self.items.lock().expect("no thread panics");
        let item =
            self.changed.wait_while(items, |items| items.is_empty()).expect("no thread panics").pop_front();
        self.changed.notify_all();
        item.expect("it is not empty")
    }
}

/// The arguments as numbers of at least 1; those with a default may be left out. Anything else ends the program with
/// status 2 and the usage.
pub fn numbers<const N: usize>(
    usage: &str,
    arguments: &[String],
    defaults: [Option<usize>; N],
) -> [usize; N] {
    if arguments.len() > N {
        refuse(usage);
    }
    std::array::from_fn(|index| match (arguments.get(index), defaults[index]) {
        (Some(text), _) => match text.parse() {
            Ok(number @ 1..) => number,
            _ => refuse(usage),
        },
        (None, Some(default)) => default,
        (None, None) => refuse(usage),
    })
}

/// Ends the program with status 2 and the usage.
pub fn refuse(usage: &str) -> ! {
    eprintln!("usage: {usage}");
    exit(2)
}

/// A figure for anyone who runs the workload.
pub fn metric(name: &str, value: f64) {
    eprintln!("metric {name} {value}");
}

/// What an idle process holds: waits one second and reads its own resident memory. Pages that were offered back to the
/// kernel and not yet taken count as gone. Prints `idle_bytes`, and as `idle_anonymous_bytes` the part that is no file:
/// without it a dynamic executable pays for its pages of libc.so, which other processes share.
pub fn report_idle_memory() {
    thread::sleep(Duration::from_secs(1));
    let mut buffer = [0u8; 4096];
    let read = || -> std::io::Result<usize> {
        let mut file = File::open("/proc/self/smaps_rollup")?;
        let mut length = 0;
        loop {
            match file.read(&mut buffer[length..])? {
                0 => return Ok(length),
                more => length += more,
            }
        }
    };
    let length = { read }().unwrap_or(0);
    let text = str::from_utf8(&buffer[..length]).unwrap_or("");
    let bytes = |key: &str| -> Option<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * 1024.0)
    };
    // A kernel that does not tell gives no figure rather than a wrong one.
    if let (Some(resident), Some(anonymous), Some(lazy)) =
        (bytes("Rss"), bytes("Anonymous"), bytes("LazyFree"))
    {
        metric("idle_bytes", resident - lazy);
        metric("idle_anonymous_bytes", anonymous - lazy);
    }
}
