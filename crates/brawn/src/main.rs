//! The `brawn` executable.

fn main() {}
