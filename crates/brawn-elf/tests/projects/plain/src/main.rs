//! Allocates through libc and brings no heap of its own.

fn main() {
    let words: Vec<String> = std::env::args().map(|word| word.repeat(2)).collect();
    println!("{}", words.len());
}
