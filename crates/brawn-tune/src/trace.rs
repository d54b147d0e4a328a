//! What a program allocates, in a run of its own on a heap that counts (`crates/brawn-kit/libc/malloc/trace.c`).

use std::fmt::Write as _;

use brawn_measure::format;
use serde::{Deserialize, Serialize};

/// The name of the heap that counts, in the kit.
pub use brawn_kit::TRACE as HEAP;
/// The variable that names the file it counts in.
pub const VARIABLE: &str = "BRAWN_TRACE";

/// Powers of two that sizes and ages are sorted by.
const POWERS: usize = 48;
/// Counters before those.
const COUNTERS: usize = 8;
/// The size of the file, in bytes.
pub const FILE_BYTES: usize = (COUNTERS + 2 * POWERS) * 8;

/// What a program has allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Blocks that were handed out, those of reallocations included.
    pub allocations: u64,
    /// Calls of `realloc` for a block that there was.
    pub reallocations: u64,
    /// Blocks that were given back.
    pub frees: u64,
    /// Bytes that were asked for.
    pub bytes: u64,
    /// Bytes in blocks at the end, as the heap rounds them; 0 also where that is not known.
    pub live: u64,
    /// The most bytes in blocks at one time; 0 also where that is not known.
    pub peak: u64,
    /// Blocks whose age was watched: one in eight, as far as there was room.
    pub watched: u64,
    /// Blocks for which there was no room.
    pub lost: u64,
    /// How many blocks there were of sizes below 2, 4, 8, … bytes; the first counts blocks of none.
    pub sizes: Vec<u64>,
    /// How many of the watched blocks were given back after fewer than 1, 2, 4, … other allocations.
    pub ages: Vec<u64>,
}

impl Trace {
    /// Reads what the heap has written; none when it is something else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (chunks, _) = bytes.as_chunks();
        let numbers: Vec<u64> = chunks.iter().map(|chunk| u64::from_ne_bytes(*chunk)).collect();
        let (counters, rest) = numbers.split_first_chunk()?;
        let (sizes, ages) = rest.split_at_checked(POWERS).filter(|(_, ages)| ages.len() == POWERS)?;
        let [allocations, reallocations, frees, bytes, mut live, mut peak, watched, lost]: [u64; COUNTERS] =
            *counters;
        // A child of fork counts in the same file, and may give back blocks that were only counted once for both. If it comes
        // below nothing by that, neither figure says how much there was.
        if live.max(peak) > i64::MAX as u64 {
            (live, peak) = (0, 0);
        }
        let (sizes, ages) = (sizes.to_vec(), ages.to_vec());
        Some(Self { allocations, reallocations, frees, bytes, live, peak, watched, lost, sizes, ages })
    }

    /// The share of blocks of at most so many bytes, which is a power of two less one: 63 for less than 64.
    pub fn at_most(&self, bytes: u64) -> f64 {
        share(&self.sizes, bytes, self.allocations)
    }

    /// The share of watched blocks that lived for less than so many other allocations, a power of two.
    pub fn younger_than(&self, allocations: u64) -> f64 {
        share(&self.ages, allocations.saturating_sub(1), self.watched)
    }

    /// One sentence. `seconds` is how long the program takes when nothing counts, `peak` what it then holds at most.
    pub fn words(&self, seconds: f64, peak: Option<f64>) -> String {
        if self.allocations == 0 {
            return "It allocates nothing by malloc.".into();
        }
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let mut text = format!(
            "It allocates {} blocks ({}), {} of them below 64 bytes and {} below 1 KiB; {} are given back within 1,024 \
             further allocations",
            count(self.allocations),
            format::rate(self.allocations as f64 / seconds.max(1e-9)),
            percent(self.at_most(63)),
            percent(self.at_most(1023)),
            percent(self.younger_than(1024)),
        );
        if let Some(peak) = peak.filter(|peak| *peak > 0.0 && self.peak > 0) {
            let live = self.peak as f64;
            let _ = write!(
                text,
                "; of the {} that it peaks at, blocks in use are {} at most, and the rest is code, stacks and what the \
                 allocator keeps",
                format::bytes(peak),
                format::bytes(live.min(peak)),
            );
        }
        text.push('.');
        text
    }
}

fn share(counts: &[u64], most: u64, all: u64) -> f64 {
    // Index 0 holds the number 0, index i the numbers of i bits.
    let bits = (64 - most.leading_zeros()) as usize;
    let below: u64 = counts.iter().take(bits + 1).sum();
    if all == 0 { 0.0 } else { below as f64 / all as f64 }
}

fn count(number: u64) -> String {
    match number as f64 {
        number if number >= 1e6 => format!("{} million", format::digits(number / 1e6)),
        number if number >= 1e4 => format!("{} thousand", format::digits(number / 1e3)),
        number => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        Trace::read(&file(2048, 4096)).unwrap()
    }

    /// What the heap writes of a program with so many bytes in blocks at its end, and at most.
    fn file(live: u64, peak: u64) -> Vec<u8> {
        let mut numbers = vec![0u64; COUNTERS + 2 * POWERS];
        // Ten blocks, one of 0 bytes, five of 16 to 31, four of 1,024 to 2,047.
        numbers[..COUNTERS].copy_from_slice(&[10, 1, 8, 5000, live, peak, 4, 0]);
        (numbers[COUNTERS], numbers[COUNTERS + 5], numbers[COUNTERS + 11]) = (1, 5, 4);
        // Of four watched blocks one went at once and two after 512 to 1,023 others.
        (numbers[COUNTERS + POWERS], numbers[COUNTERS + POWERS + 10]) = (1, 2);
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        assert_eq!(bytes.len(), FILE_BYTES);
        bytes
    }

    #[test]
    fn shares_are_of_all_blocks_and_of_those_that_were_watched() {
        let trace = trace();
        assert_eq!((trace.at_most(0), trace.at_most(63), trace.at_most(1023)), (0.1, 0.6, 0.6));
        assert_eq!(trace.at_most(2047), 1.0);
        assert_eq!(
            (trace.younger_than(1), trace.younger_than(512), trace.younger_than(1024)),
            (0.25, 0.25, 0.75)
        );
        assert_eq!(Trace::read(&[0; 8]), None);
    }

    #[test]
    fn a_sentence_says_what_matters() {
        let words = trace().words(2.0, Some(8192.0));
        assert!(words.starts_with("It allocates 10 blocks (5.00/s), 60 % of them below 64 bytes"), "{words}");
        assert!(words.contains("75 % are given back within 1,024"), "{words}");
        assert!(
            words.contains("of the 8.00 KiB that it peaks at, blocks in use are 4.00 KiB at most"),
            "{words}"
        );
        // A child of fork gave back what its parent had given back as well.
        let unknown = Trace::read(&file(0u64.wrapping_sub(1_429_506), 0u64.wrapping_sub(16))).unwrap();
        assert!(!unknown.words(2.0, Some(8192.0)).contains("blocks in use"), "no one knows how many");
        assert_eq!(Trace::default().words(1.0, None), "It allocates nothing by malloc.");
    }
}
