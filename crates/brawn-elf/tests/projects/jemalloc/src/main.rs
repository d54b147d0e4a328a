//! Brings jemalloc for its Rust code, as many programs for musl do.

#[global_allocator]
static HEAP: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    let words: Vec<String> = std::env::args().map(|word| word.repeat(2)).collect();
    println!("{}", words.len());
}
