//! How executables lie in the page cache.

use std::path::Path;

use rustix::fs::{Advice, fadvise, fdatasync};

/// Takes an executable out of the page cache, to be read from its disk when it is run next. How it lies there decides how much
/// of it a page fault maps: one that a linker has just written may be in large folios, and take megabytes more than its own
/// copy.
///
/// What is mapped elsewhere stays, as on every system. An executable that cannot be opened is told of when it is run.
pub fn read_afresh(program: &Path) {
    let Ok(file) = brawn_base::file::open(program) else { return };
    // Pages that were not written yet would stay.
    if fdatasync(&file).is_ok() {
        let _ = fadvise(&file, 0, None, Advice::DontNeed);
    }
}
