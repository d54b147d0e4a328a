//! Starts a program again and again, and tells how long one start takes, to its end.
//!
//!     launch PROGRAM STARTS
//!
//! A single start of a small program is over before a clock outside can be read well, and most of what such a clock
//! sees is its own process. This one does nothing else than to start and to wait. Standard error gets
//! `metric seconds_per_start VALUE`, the median of all starts.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (program, starts) = match arguments.as_slice() {
        [program, starts] => match starts.parse::<usize>() {
            Ok(starts @ 1..) => (program, starts),
            _ => return usage(),
        },
        _ => return usage(),
    };
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut times = Vec::with_capacity(starts);
    for _ in 0..starts {
        let start = Instant::now();
        let status = command.spawn().and_then(|mut child| child.wait());
        times.push(start.elapsed().as_secs_f64());
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => {
                eprintln!("{program} ended with {status}");
                return ExitCode::FAILURE;
            }
            Err(error) => {
                eprintln!("cannot run {program}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    times.sort_by(f64::total_cmp);
    println!("{starts} starts, all of which ended with status 0");
    eprintln!("metric seconds_per_start {}", times[starts / 2]);
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: launch PROGRAM STARTS");
    ExitCode::from(2)
}
