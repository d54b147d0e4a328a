//! Rust and C++ in one executable, each with exceptions of its own.

unsafe extern "C" {
    fn entries(count: i32) -> i32;
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let panicked = std::panic::catch_unwind(|| panic!("caught")).is_err();
    // SAFETY: it takes a number, gives one, and lets no exception out.
    println!("{} {panicked}", unsafe { entries(1000) });
}
