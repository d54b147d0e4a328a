//! Rust and C++ in one executable, each with exceptions of its own.

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let panicked = std::panic::catch_unwind(|| panic!("caught")).is_err();
    println!("{} {panicked}", linked::count(1000));
}
