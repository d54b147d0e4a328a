//! Programs that do nothing but allocate, each with the behaviour of one that the field quotes.
//!
//!     malloc TEST THREADS [OPERATIONS]
//!
//! OPERATIONS is the work of all threads together; each test has a default. Standard output says what was done, the same
//! for every libc; standard error says how fast, in a line `metric operations_per_second VALUE`.
//!
//! All of it is written from published descriptions of what those programs do, none from their sources.

#[path = "../common.rs"]
mod common;

mod alloc_test;
mod barnes;
mod cache;
mod glibc;
mod larson;
mod microquill;
mod mstress;
mod xmalloc;

use std::time::Duration;

/// What a test did. The first two are the same with every libc.
pub struct Report {
    /// Operations; each test says what one is.
    pub operations: usize,
    /// A digest of what was computed or allocated.
    pub checksum: u64,
    /// The time that all of them took.
    pub took: Duration,
}

/// Name, function, and the operations that it does unless told otherwise.
type Test = (&'static str, fn(usize, usize) -> Report, usize);

const TESTS: &[Test] = &[
    ("alloc-test", alloc_test::run, 8_000_000),
    ("barnes", barnes::run, 30_000),
    ("cache-scratch", cache::scratch, 1_500_000),
    ("cache-thrash", cache::thrash, 1_500_000),
    ("glibc-simple", glibc::simple, 1_500_000),
    ("glibc-thread", glibc::thread, 1_500_000),
    ("larson", larson::run, 3_000_000),
    ("mstress", mstress::run, 3_000_000),
    ("sh6", microquill::six, 3_000_000),
    ("sh8", microquill::eight, 3_000_000),
    ("xmalloc", xmalloc::run, 2_000_000),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = TESTS.iter().map(|test| test.0).collect();
    let usage = format!("malloc {} THREADS [OPERATIONS]", names.join("|"));
    let Some(&(name, run, operations)) =
        TESTS.iter().find(|test| arguments.first().is_some_and(|name| name == test.0))
    else {
        common::refuse(&usage)
    };
    let [threads, operations] = common::numbers(&usage, &arguments[1..], [None, Some(operations)]);

    let report = run(threads, operations);
    println!(
        "{name}: {threads} threads, {} operations, checksum {:016x}",
        report.operations, report.checksum
    );
    common::metric("operations_per_second", report.operations as f64 / report.took.as_secs_f64());
}
