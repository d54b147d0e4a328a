//! What the tests of a run make once, although each may have a process of its own.

use std::path::{Path, PathBuf};

/// `place`, after `make` has worked there once in this run of the tests; anyone who asks meanwhile waits. What an earlier run left
/// is still there, for `make` to keep or remove.
pub fn once(place: PathBuf, make: impl FnOnce(&Path)) -> PathBuf {
    fs_err::create_dir_all(&place).unwrap();
    let lock = fs_err::File::create(place.with_extension("lock")).unwrap();
    lock.file().lock().unwrap();
    // cargo-nextest names its runs; under cargo's own runner a run is a process.
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| std::process::id().to_string());
    let stamp = place.with_extension("run");
    if fs_err::read_to_string(&stamp).ok().as_ref() != Some(&run) {
        make(&place);
        fs_err::write(&stamp, run).unwrap();
    }
    place
}
