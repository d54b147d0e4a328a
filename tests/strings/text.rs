//! What Rust's own library and compiler ask of a libc's string functions: copies, moves, fills, comparisons and searches
//! of every length, in `String`, `Vec`, `HashMap`, `CString` and the standard streams. Everything is printed.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString};
use std::hint::black_box;
use std::io::{BufRead, Write};

fn text(length: usize) -> String {
    (0..length).map(|index| char::from(b'!' + ((index * 7 + length) % 90) as u8)).collect()
}

fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(14695981039346656037, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(1099511628211))
}

fn main() {
    for length in [0, 1, 7, 8, 15, 16, 17, 31, 33, 64, 65, 128, 255, 1000, 4100, 70_000] {
        let original = text(black_box(length));
        let mut copy = original.clone().into_bytes();
        let equal = copy == original.as_bytes();
        copy.extend_from_within(..length / 2);
        copy.rotate_left(length / 3);
        copy.copy_within(length / 4.., 0);
        let zero = vec![0u8; black_box(length)];
        let ones = vec![1u8; black_box(length)];
        let c = CString::new(original.clone()).expect("no zero byte");
        // SAFETY: the string ends in its zero byte and lives until the end of the loop's body.
        let again = unsafe { CStr::from_ptr(black_box(c.as_ptr())) };
        println!(
            "{length}: {equal} {:016x} {} {} {:?} {:?} {:?}",
            digest(&copy),
            zero.iter().all(|byte| *byte == 0),
            digest(&ones) % 1000,
            original.as_bytes().cmp(&copy),
            original.find("xyz"),
            again.to_bytes().len(),
        );
    }
    let mut map = HashMap::new();
    let mut tree = BTreeMap::new();
    for index in 0..5000usize {
        *map.entry(text(index % 300)).or_insert(0usize) += index;
        tree.insert(text(index % 97), index);
    }
    let mut keys: Vec<_> = map.into_iter().collect();
    keys.sort();
    let joined: String = keys.iter().map(|(key, value)| format!("{key}{value}\n")).collect();
    println!("maps {:016x} {}", digest(joined.as_bytes()), tree.len());
    let handles: Vec<_> = (0..8usize).map(|n| std::thread::spawn(move || digest(text(n * n * 99).as_bytes()))).collect();
    for handle in handles {
        println!("thread {:016x}", handle.join().expect("no panic"));
    }
    let mut out = std::io::stdout().lock();
    for line in joined.as_bytes().lines().step_by(40) {
        writeln!(out, "{}", line.expect("text")).expect("standard output");
    }
}
