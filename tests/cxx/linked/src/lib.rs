//! A library in C++.

unsafe extern "C" {
    fn entries(count: i32) -> i32;
}

/// How many numbers a map of them has.
pub fn count(numbers: i32) -> i32 {
    // SAFETY: it takes a number, gives one, and lets no exception out.
    unsafe { entries(numbers) }
}
