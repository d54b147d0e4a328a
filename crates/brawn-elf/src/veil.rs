//! Texts that an executable is searched for, written so that the searching executable does not hold them itself.
//!
//! A program that is built with a table of signatures would be told to contain what each of them stands for. So they
//! are written in a veil: each byte with its bits turned, and turned back when the search begins.

/// Turns the bits of every byte; for constants, at compile time.
pub const fn veil<const N: usize>(text: &[u8; N]) -> [u8; N] {
    let mut veiled = *text;
    let mut index = 0;
    while index < N {
        veiled[index] = !veiled[index];
        index += 1;
    }
    veiled
}

/// Turns them back, at run time: the compiler must not do it, or the veil were none.
pub fn unveil(veiled: &[u8]) -> Vec<u8> {
    std::hint::black_box(veiled).iter().map(|byte| !byte).collect()
}
