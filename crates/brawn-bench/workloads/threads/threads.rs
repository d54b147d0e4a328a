//! The loop of the field's blog posts about slow musl: N threads that do nothing but allocate small vectors.
//!
//!     threads THREADS [ROUNDS]
//!
//! Each thread makes ROUNDS (100,000 unless told otherwise) vectors `vec![1u8; counter % 1000 + 1]`, one after another.
//! Standard output says what was done, the same for every libc; standard error says how fast, in a line
//! `metric operations_per_second VALUE`.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Barrier;
use std::time::Instant;

const ROUNDS: usize = 100_000;
const LARGEST: usize = 1000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let (threads, rounds) = match (arguments.next(), arguments.next(), arguments.next()) {
        (Some(Ok(threads @ 1..)), None, None) => (threads, ROUNDS),
        (Some(Ok(threads @ 1..)), Some(Ok(rounds @ 1..)), None) => (threads, rounds),
        _ => {
            eprintln!("usage: threads THREADS [ROUNDS]");
            return ExitCode::from(2);
        }
    };

    // All threads exist before the first allocates. The clock runs from the first one's start to the last one's end;
    // the main thread's own clock would not do, since it may be the last to be woken.
    let barrier = Barrier::new(threads);
    let results: Vec<Result> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(rounds, &barrier))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker panicked")).collect()
    });
    let checksum: usize = results.iter().map(|result| result.checksum).sum();
    let start = results.iter().map(|result| result.start).min().expect("at least one thread");
    let end = results.iter().map(|result| result.end).max().expect("at least one thread");

    let operations = threads * rounds;
    println!("{threads} threads, {operations} vectors, {checksum} bytes");
    eprintln!("metric operations_per_second {}", operations as f64 / (end - start).as_secs_f64());
    ExitCode::SUCCESS
}

struct Result {
    start: Instant,
    end: Instant,
    checksum: usize,
}

fn work(rounds: usize, barrier: &Barrier) -> Result {
    barrier.wait();
    let start = Instant::now();
    let mut checksum = 0;
    for counter in 0..rounds {
        let size = counter % LARGEST + 1;
        let vector = black_box(vec![1u8; black_box(size)]);
        checksum += vector.len() * usize::from(vector[size - 1]);
    }
    Result { start, end: Instant::now(), checksum }
}
