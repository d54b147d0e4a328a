//! Finds the most frequent word of a text, for C.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};

unsafe extern "C" {
    fn strndup(text: *const c_char, length: usize) -> *mut c_char;
}

/// The most frequent word of `text`, the first in the alphabet among equals, or null for a text without words. It is
/// the caller's to `free`.
///
/// # Safety
/// `text` is a string that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn most_frequent(text: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let found = std::panic::catch_unwind(|| find(&text));
    // A panic must not reach C, which knows nothing of it.
    let Ok(word) = found else { return std::ptr::null_mut() };
    // SAFETY: the word's bytes are read, and copied with a zero byte behind them.
    unsafe { strndup(word.as_ptr().cast(), word.len()) }
}

/// Panics without words.
fn find(text: &str) -> &str {
    let mut counts = BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    let (word, _) = counts.into_iter().rev().max_by_key(|(_, times)| *times).expect("there is a word");
    word
}
