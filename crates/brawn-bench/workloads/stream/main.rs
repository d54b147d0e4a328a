//! Memory bandwidth in the manner of McCalpin's STREAM: four loops over three arrays too large for any cache.
//!
//!     stream THREADS [REPETITIONS] [MEBIBYTES]
//!
//! Each array has MEBIBYTES; unless told otherwise four times the largest cache, but the three together at most a quarter
//! of the memory that this process may take. Standard output says what was done and that the answer is right; standard
//! error has the best of the repetitions, the first left out, in lines `metric copy VALUE`, in MB/s: ten to the sixth
//! bytes, read and written bytes counted once each.
//!
//!     stream large MEBIBYTES [THREADS]
//!
//! One copy, and one fill, of so many MiB that the threads, of which there are as many as cores, share: of operands at the
//! beginnings of pages; `copy-shifted` of a source that begins 3 bytes behind one, `copy-apart` of one that begins a page
//! behind the target, as seen from the caches.

#![allow(clippy::disallowed_methods, reason = "workloads have no dependencies")]

#[path = "../common.rs"]
mod common;

use std::ffi::c_void;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

const USAGE: &str = "stream THREADS [REPETITIONS] [MEBIBYTES]";
const USAGE_LARGE: &str = "stream large MEBIBYTES [THREADS]";
const REPETITIONS: usize = 4;
const MEBIBYTE: usize = 1 << 20;
/// The factor of Scale and Triad; with it the values stay small.
const FACTOR: f64 = 0.375;
const PAGE: usize = 4096;
const LARGE: [(&str, usize); 4] = [("copy", 2), ("copy-shifted", 2), ("copy-apart", 2), ("fill", 1)];
const KERNELS: [(&str, usize); 4] = [("copy", 2), ("scale", 2), ("add", 3), ("triad", 3)];

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "large") {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let defaults = [None, Some(cores)];
        let [mebibytes, threads] = common::numbers(USAGE_LARGE, &arguments.split_off(1), defaults);
        return large(mebibytes, threads);
    }
    // The size is looked for even when it is given: its failure would otherwise show on few machines only.
    let [threads, repetitions, mebibytes] =
        common::numbers(USAGE, &arguments, [None, Some(REPETITIONS), Some(array_mebibytes())]);
    // Whole shares for each thread, and the first repetition does not count.
    let share = mebibytes * MEBIBYTE / size_of::<f64>() / threads;
    let repetitions = repetitions + 1;

    let barrier = Barrier::new(threads);
    let (answers, _) = common::race(threads, |_| work(share, repetitions, &barrier));

    for (index, (name, arrays)) in KERNELS.iter().enumerate() {
        // A kernel has run when the slowest thread is through with it.
        let slowest = |repetition: usize| {
            answers.iter().map(|answer| answer.seconds[repetition][index]).fold(0.0, f64::max)
        };
        let best = (1..repetitions).map(slowest).fold(f64::INFINITY, f64::min);
        common::metric(name, (arrays * share * threads * size_of::<f64>()) as f64 / 1e6 / best);
    }
    println!(
        "{threads} threads, {repetitions} repetitions, arrays of {mebibytes} MiB: {:?}",
        answers[0].values
    );
}

/// Copies and fills that the threads share, the best of some each.
fn large(mebibytes: usize, threads: usize) {
    let share = mebibytes * MEBIBYTE / threads;
    let barrier = Barrier::new(threads);
    let (seconds, _) = common::race(threads, |_| {
        let (target, source) = (array(share, 2u8), array(share + 2 * PAGE, 1u8));
        [0, 3, PAGE, usize::MAX].map(|from| {
            let pass = |_| {
                barrier.wait();
                let start = Instant::now();
                match from {
                    usize::MAX => target.fill(black_box(2)),
                    from => target.copy_from_slice(&source[from..from + share]),
                }
                barrier.wait();
                let seconds = start.elapsed().as_secs_f64();
                let left = if from == usize::MAX { 2 } else { 1 };
                if target.iter().any(|byte| *byte != left) {
                    common::fail("the target does not hold what should have been left in it");
                }
                seconds
            };
            (0..(256 / mebibytes).clamp(3, 20)).map(pass).fold(f64::INFINITY, f64::min)
        })
    });
    for (kind, (name, arrays)) in LARGE.iter().enumerate() {
        let slowest = seconds.iter().map(|of_thread| of_thread[kind]).fold(0.0, f64::max);
        common::metric(name, (arrays * share * threads) as f64 / 1e6 / slowest);
    }
    println!("copies and fills of {mebibytes} MiB by {threads} threads");
}

struct Answer {
    /// Seconds of each kernel, by repetition.
    seconds: Vec<[f64; 4]>,
    /// What every element of the three arrays is in the end.
    values: [f64; 3],
}

/// One thread's share of the arrays, which it also touches first, so that it lies in the memory nearest to it.
fn work(length: usize, repetitions: usize, barrier: &Barrier) -> Answer {
    let (a, b, c) = (array(length, 1.0), array(length, 2.0), array(length, 0.0));
    let mut expected = [1.0, 2.0, 0.0];
    let mut seconds = Vec::with_capacity(repetitions);
    for _ in 0..repetitions {
        let timed = |kernel: &mut dyn FnMut()| {
            barrier.wait();
            let start = Instant::now();
            kernel();
            barrier.wait();
            start.elapsed().as_secs_f64()
        };
        seconds.push([
            timed(&mut || copy(c, a)),
            timed(&mut || scale(b, c)),
            timed(&mut || add(c, a, b)),
            timed(&mut || triad(a, b, c)),
        ]);
        expected[2] = expected[0];
        expected[1] = FACTOR * expected[2];
        expected[2] = expected[0] + expected[1];
        expected[0] = expected[1] + FACTOR * expected[2];
    }
    for (array, value) in [&a, &b, &c].into_iter().zip(expected) {
        if array.iter().any(|element| *element != value) {
            common::fail("an array does not hold what the loops should have left in it");
        }
    }
    Answer { seconds, values: expected }
}

/// The compiler makes a call of `memcpy` of this loop, as it does of STREAM's own: this is where a libc counts.
#[inline(never)]
fn copy(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

#[inline(never)]
fn scale(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = FACTOR * *from;
    }
}

#[inline(never)]
fn add(to: &mut [f64], left: &[f64], right: &[f64]) {
    for ((to, left), right) in to.iter_mut().zip(left).zip(right) {
        *to = *left + *right;
    }
}

#[inline(never)]
fn triad(to: &mut [f64], left: &[f64], right: &[f64]) {
    for ((to, left), right) in to.iter_mut().zip(left).zip(right) {
        *to = *left + FACTOR * *right;
    }
}

unsafe extern "C" {
    fn mmap(
        start: *mut c_void,
        length: usize,
        access: i32,
        flags: i32,
        file: i32,
        offset: i64,
    ) -> *mut c_void;
}

/// An array straight from the kernel: no heap's choice of pages may help or hurt one variant. It is never given back.
fn array<T: Copy>(length: usize, value: T) -> &'static mut [T] {
    const READ_WRITE: i32 = 1 | 2;
    const PRIVATE_ANONYMOUS: i32 = 2 | 0x20;
    let bytes = length.max(1) * size_of::<T>();
    // SAFETY: a new mapping touches no other memory.
    let start = unsafe { mmap(std::ptr::null_mut(), bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) };
    if start.addr() == usize::MAX {
        common::fail("there is no memory for the arrays; ask for smaller ones");
    }
    // SAFETY: the mapping holds so many elements, is zero, which is a value of every number, and belongs to this slice alone.
    let array = unsafe { std::slice::from_raw_parts_mut(start.cast::<T>(), length) };
    array.fill(black_box(value));
    array
}

/// What an array should have, in MiB.
fn array_mebibytes() -> usize {
    let cache = (0..8)
        .filter_map(|index| size(&read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size"))))
        .max()
        .unwrap_or(32 * MEBIBYTE);
    // Not what is free at the moment, which differs from run to run, and results name the size.
    let all = read("/proc/meminfo")
        .lines()
        .find_map(|line| size(&line.strip_prefix("MemTotal:")?.replace(" kB", "K")))
        .unwrap_or(usize::MAX);
    // A container's limit, of either version of control groups; "max" is none.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let allowed = limits.iter().filter_map(|path| size(&read(path))).fold(all, usize::min);
    (4 * cache).min(allowed / 4 / 3).div_ceil(MEBIBYTE)
}

/// The text of a file of the kernel's, or none.
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A number of bytes as the kernel writes it: `4096`, `512K`, `8M`.
fn size(text: &str) -> Option<usize> {
    let text = text.trim();
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let power = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        _ => 30,
    };
    digits.parse::<usize>().ok()?.checked_mul(1 << power)
}
