//! Plain mutations for the short run, where no coverage guides.

use fastrand::Rng;

use crate::LONGEST_INPUT;

/// Values that sizes, counts and offsets go wrong with.
const EXTREMES: [u64; 8] = [0, 1, 0x7f, 0xff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX, 0xffff_fff8];

/// Changes a seed in up to eight places; `others` are what parts may come from.
pub fn mutate(rng: &mut Rng, seed: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..rng.usize(1..=8) {
        change(rng, &mut data, others);
    }
    data.truncate(LONGEST_INPUT);
    data
}

fn change(rng: &mut Rng, data: &mut Vec<u8>, others: &[Vec<u8>]) {
    let at = rng.usize(0..=data.len());
    match rng.u8(0..8) {
        0 => put(data, at, &[rng.u8(..)]),
        1 => {
            if let Some(byte) = data.get_mut(at) {
                *byte ^= 1 << rng.u8(0..8);
            }
        }
        2 => {
            let word = EXTREMES[rng.usize(0..EXTREMES.len())].to_le_bytes();
            put(data, at, &word[..1 << rng.u8(0..4)]);
        }
        3 => put(data, at, rng.u64(..100_000).to_string().as_bytes()),
        4 => {
            let end = (at + rng.usize(0..64)).min(data.len());
            data.drain(at..end);
        }
        5 => {
            let end = (at + rng.usize(0..64)).min(data.len());
            let again = data[at..end].to_vec();
            data.splice(at..at, again);
        }
        6 => {
            let other = &others[rng.usize(0..others.len())];
            let from = rng.usize(0..=other.len());
            let end = (from + rng.usize(0..256)).min(other.len());
            data.splice(at..at, other[from..end].iter().copied());
        }
        _ => data.truncate(at),
    }
}

fn put(data: &mut [u8], at: usize, bytes: &[u8]) {
    let end = (at + bytes.len()).min(data.len());
    data[at..end].copy_from_slice(&bytes[..end - at]);
}
