//! A Rust program that prints one line, which takes a buffer from the heap.

fn main() {
    println!("Hello, world!");
}
