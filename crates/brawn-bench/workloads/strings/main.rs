//! What a call of each string function takes, in ns, at given lengths.
//!
//!     strings table|unaligned|curve [MICROSECONDS [FUNCTION]...]
//!
//! `table` is the seventeen functions at 36, 132 and 4,100 characters (bytes; for the wide ones `wchar_t`s of four bytes);
//! `unaligned` the same with operands at odd addresses; `curve` the most used at lengths from 1 byte to 1 MiB. Each
//! figure gets MICROSECONDS (15,000 for the tables, 2,000 for the curve) in which it is measured several times over; the
//! best counts. Standard output says what each function answered and a digest of what it left in memory, the same for
//! every libc; standard error has lines `metric FUNCTION/LENGTH NS`, and `metric call/0 NS`: what the loop and the call
//! take by themselves, for it is not subtracted.

#[path = "../common.rs"]
mod common;

mod functions;
mod operands;

use std::hint::black_box;
use std::time::{Duration, Instant};

use operands::Operands;

/// Lengths of the field's tables.
const TABLE: &[usize] = &[36, 132, 4100];
/// The functions of the curve.
const CURVE: &[&str] = &[
    "memcpy",
    "memmove",
    "memmove_fw",
    "memset",
    "memcmp",
    "strlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strchr",
    "strrchr",
    "wcslen",
];
/// Longest of the curve.
const LONGEST: usize = 1 << 20;
/// Times that a figure is measured in the time that it gets.
const BATCHES: u32 = 8;

const USAGE: &str = "strings table|unaligned|curve [MICROSECONDS [FUNCTION]...]";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = functions::ALL;
    let (lengths, names, offset, microseconds) = match arguments.first().map(String::as_str) {
        Some("table") => (TABLE.to_vec(), all, 0, 15_000),
        Some("unaligned") => (TABLE.to_vec(), all, 1, 15_000),
        Some("curve") => (curve(), CURVE, 0, 2_000),
        _ => common::refuse(USAGE),
    };
    let time = arguments.get(1..2).unwrap_or_default();
    let [microseconds] = common::numbers(USAGE, time, [Some(microseconds)]);
    let chosen: Vec<&str> = arguments.iter().skip(2).map(String::as_str).collect();
    let names = if chosen.is_empty() { names.to_vec() } else { chosen };
    if names.iter().any(|name| !all.contains(name)) {
        common::refuse(&format!("{USAGE}\nfunctions: {}", all.join(" ")));
    }

    let time = Duration::from_micros(microseconds as u64);
    let mut operands = Operands::new(LONGEST, offset);
    common::metric("call/0", functions::nothing(time).nanoseconds);
    for name in names {
        for &length in &lengths {
            let row = functions::row(name, &mut operands, length, time);
            println!("{name} {length}: {}, leaves {:016x}", row.answer, row.digest);
            common::metric(&format!("{name}/{length}"), row.nanoseconds);
        }
    }
}

/// 1, 2, 3, 4, 6, 8, 12 … : two lengths for each power of two.
fn curve() -> Vec<usize> {
    let pairs = (1..LONGEST.ilog2()).map(|power| 1 << power).flat_map(|low| [low, low + low / 2]);
    std::iter::once(1).chain(pairs).chain([LONGEST]).collect()
}

/// What a function did and took.
pub struct Row {
    /// What it returned: a number, or a pointer as an offset.
    pub answer: isize,
    /// What the operands held after one call.
    pub digest: u64,
    /// Time of a call, in ns.
    pub nanoseconds: f64,
}

/// Calls it again and again. `answer` turns what it returns into something that does not depend on the libc, `digest`
/// tells what it left in memory.
///
/// Calls are independent of each other, so this is throughput, not latency.
pub fn measure<T>(
    time: Duration,
    call: impl Fn() -> T,
    answer: impl Fn(T) -> isize,
    digest: impl Fn() -> u64,
) -> Row {
    let (answer, digest) = (answer(call()), digest());
    let batch = |count: u32| {
        let start = Instant::now();
        for _ in 0..count {
            black_box(call());
        }
        start.elapsed()
    };
    let mut count = 1;
    // As many calls as fill one part of the time, found by doubling.
    while count < 1 << 30 && batch(count) < time / (2 * BATCHES) {
        count *= 2;
    }
    let best = (0..BATCHES).map(|_| batch(count)).min().expect("there are batches");
    Row { answer, digest, nanoseconds: best.as_secs_f64() * 1e9 / f64::from(count) }
}
