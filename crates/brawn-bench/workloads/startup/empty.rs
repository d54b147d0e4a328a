//! An empty Rust program: with what Rust's own start adds (a guard page, an alternate signal stack).

fn main() {}
