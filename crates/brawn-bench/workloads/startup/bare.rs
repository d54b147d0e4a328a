//! The least that a program can be: the C library's start, a `main` that returns, the end. What an empty C program is.

#![no_main]

/// As in C: `int main(void) { return 0; }`.
#[unsafe(no_mangle)]
pub extern "C" fn main(_count: i32, _arguments: *const *const u8) -> i32 {
    0
}
