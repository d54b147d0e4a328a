//! Texts that an executable is searched for, written so that the searching executable does not hold them itself.
//!
//! A program that is built with a table of signatures would be told to contain what each of them stands for. So they
//! are obfuscated: each byte with its bits turned, and turned back when the search begins.

/// Turns the bits of every byte; for constants, at compile time.
pub const fn obfuscate<const N: usize>(text: &[u8; N]) -> [u8; N] {
    let mut obfuscated = *text;
    let mut index = 0;
    while index < N {
        obfuscated[index] = !obfuscated[index];
        index += 1;
    }
    obfuscated
}

/// Turns them back, at run time: the compiler must not do it, or the texts would be there again.
pub fn reveal(obfuscated: &[u8]) -> Vec<u8> {
    std::hint::black_box(obfuscated).iter().map(|byte| !byte).collect()
}
