//! A workshop for tests.

// Every test file uses some of this, and none all of it.
#![allow(dead_code)]

use std::path::Path;

use brawn_bench::Workshop;

/// A workshop that all tests of a run share, so that each program is built once.
pub fn workshop() -> Workshop {
    workshop_in(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("workshop"))
}

/// A workshop in a folder of the test's own.
pub fn workshop_in(folder: &Path) -> Workshop {
    Workshop::open(folder, Path::new(env!("CARGO_BIN_EXE_brawn-bench-driver"))).unwrap()
}
