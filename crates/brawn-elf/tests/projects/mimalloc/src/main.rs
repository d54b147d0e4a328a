//! Brings mimalloc for its Rust code, as many programs for musl do.

#[global_allocator]
static HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let words: Vec<String> = std::env::args().map(|word| word.repeat(2)).collect();
    println!("{}", words.len());
}
