//! What a service holds: while it works, and when it has nothing to do.
//!
//!     footprint requests THREADS [REQUESTS]      requests of each thread, 2,000 unless told otherwise
//!     footprint pipeline PAIRS [BLOCKS]          blocks that each pair of threads hands over, 500,000
//!     footprint churn SECONDS [THREADS]          a cache that lives so long, 2 threads
//!
//! Standard output says what was done, the same for every libc. Standard error has lines `metric NAME VALUE`: a rate, and
//! what was resident one second after the work ended, with all threads still alive and waiting as a service's do.

#[path = "../common.rs"]
mod common;

mod churn;
mod pipeline;
mod requests;

const USAGE: &str =
    "footprint requests THREADS [REQUESTS] | pipeline PAIRS [BLOCKS] | churn SECONDS [THREADS]";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((work, rest)) = arguments.split_first() else { common::refuse(USAGE) };
    let numbers = |default| common::numbers(USAGE, rest, [None, Some(default)]);
    match work.as_str() {
        "requests" => requests::run(numbers(2000)),
        "pipeline" => pipeline::run(numbers(500_000)),
        "churn" => churn::run(numbers(2)),
        _ => common::refuse(USAGE),
    }
}
