//! What it takes to unwind a stack, in ns: the group `unwinding` of the suite `libc`, for which C has no words.
//!
//!     brawn-unwind [list] unwinding [MICROSECONDS [ROW]...]
//!
//! Arguments, output and measuring are those of the group's siblings in C.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::panic::{catch_unwind, panic_any, resume_unwind};
use std::process::exit;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

const BATCHES: usize = 8;

type Callback = extern "C" fn(*mut c_void, usize, *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        callback: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    fn dl_iterate_phdr(callback: Callback, data: *mut c_void) -> c_int;
}

/// A row: its name, its threads, and what one of them calls. Answers are the same with
/// every libc.
struct Row {
    name: &'static str,
    threads: usize,
    call: fn() -> usize,
}

const fn row(name: &'static str, threads: usize, call: fn() -> usize) -> Row {
    Row { name, threads, call }
}

const ROWS: &[Row] = &[
    row("panic-5", 1, || thrown(5)),
    row("panic-10", 1, || thrown(10)),
    row("panic-50", 1, || thrown(50)),
    row("panic-with-hook-10", 1, || caught(10, || panic_any(10_usize))),
    row("panic-10-threads-2", 2, || thrown(10)),
    row("panic-10-threads-8", 8, || thrown(10)),
    row("Unwind_Backtrace-10", 1, || nested(10, &frames)),
    row("Unwind_Backtrace-50", 1, || nested(50, &frames)),
    row("Backtrace-10", 1, || nested(10, &|| captured())),
    row("dl_iterate_phdr", 1, objects),
];

/// Calls `inner` from so many frames, each of which has something to clean up.
#[inline(never)]
fn nested(depth: usize, inner: &dyn Fn() -> usize) -> usize {
    struct Guard<'a>(&'a Cell<usize>);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let cleaned = Cell::new(0);
    let answer = {
        let _guard = Guard(black_box(&cleaned));
        if depth > 1 { nested(black_box(depth - 1), inner) } else { inner() }
    };
    answer + black_box(cleaned.get() - 1)
}

/// What is thrown so many frames down.
fn caught(depth: usize, throw: fn() -> usize) -> usize {
    match catch_unwind(|| nested(depth, &throw)) {
        Ok(_) => 0,
        Err(thrown) => *thrown.downcast::<usize>().unwrap_or_default(),
    }
}

/// Without the hook, which would count and print.
fn thrown(depth: usize) -> usize {
    match catch_unwind(|| nested(depth, &|| resume_unwind(Box::new(black_box(7_usize))))) {
        Ok(_) => 0,
        Err(thrown) => *thrown.downcast::<usize>().unwrap_or_default(),
    }
}

/// Whether the unwinder sees at least ten frames. How many there are below `main` is the libc's business.
fn frames() -> usize {
    extern "C" fn count(_: *mut c_void, data: *mut c_void) -> c_int {
        // SAFETY: it is the counter below.
        unsafe { *data.cast::<usize>() += 1 };
        0
    }
    let mut seen = 0_usize;
    // SAFETY: the callback gets the counter that it expects.
    unsafe { _Unwind_Backtrace(count, (&raw mut seen).cast()) };
    usize::from(seen > 10)
}

/// A backtrace whose symbols are not looked up.
fn captured() -> usize {
    let _ = black_box(Backtrace::force_capture());
    1
}

/// Whether there is an object at all: a dynamic program has several.
fn objects() -> usize {
    extern "C" fn count(_: *mut c_void, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: it is the counter below.
        unsafe { *data.cast::<usize>() += 1 };
        0
    }
    let mut seen = 0_usize;
    // SAFETY: the callback gets the counter that it expects.
    unsafe { dl_iterate_phdr(count, (&raw mut seen).cast()) };
    usize::from(seen > 0)
}

/// Time of so many calls on each of the row's threads, over all calls.
fn batch(row: &Row, times: usize) -> Duration {
    let work = || {
        let start = Instant::now();
        for _ in 0..times {
            black_box((row.call)());
        }
        (start, Instant::now())
    };
    if row.threads == 1 {
        let (start, end) = work();
        return end - start;
    }
    let barrier = Barrier::new(row.threads);
    let (barrier, work) = (&barrier, &work);
    let all: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let start = || {
            barrier.wait();
            work()
        };
        let workers: Vec<_> = (0..row.threads).map(|_| scope.spawn(start)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker panicked")).collect()
    });
    let start = all.iter().map(|one| one.0).min().expect("there are threads");
    let end = all.iter().map(|one| one.1).max().expect("there are threads");
    (end - start) / u32::try_from(row.threads).expect("there are few")
}

fn nanoseconds(row: &Row, time: Duration) -> f64 {
    let patience = if row.threads > 1 { 8 } else { 1 };
    let time = patience * time / (2 * BATCHES as u32);
    let mut times = 1;
    while times < 1 << 30 && batch(row, times) < time {
        times *= 2;
    }
    let mut took: Vec<f64> =
        (0..BATCHES).map(|_| batch(row, times).as_secs_f64() * 1e9 / times as f64).collect();
    took.sort_by(f64::total_cmp);
    if row.threads > 1 { (took[BATCHES / 2 - 1] + took[BATCHES / 2]) / 2.0 } else { took[0] }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (list, rest) = match &words[..] {
        ["list", "unwinding"] => (true, &[][..]),
        ["unwinding", rest @ ..] => (false, rest),
        _ => (false, &["0"][..]),
    };
    let (microseconds, names) = match rest {
        [] => (5000, rest),
        [number, names @ ..] => (number.parse().unwrap_or(0), names),
    };
    if microseconds == 0 || !names.iter().all(|name| ROWS.iter().any(|row| row.name == *name)) {
        eprintln!("usage: brawn-unwind [list] unwinding [MICROSECONDS [ROW]...]");
        exit(2);
    }
    for row in ROWS.iter().filter(|row| names.is_empty() || names.contains(&row.name)) {
        if list {
            println!("unwinding/{}", row.name);
        } else {
            println!("unwinding/{}: {}", row.name, (row.call)());
            let nanoseconds = nanoseconds(row, Duration::from_micros(microseconds));
            eprintln!("metric unwinding/{} {nanoseconds}", row.name);
        }
    }
}
