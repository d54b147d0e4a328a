//! A folder of this thread's own, for parsers that are given a path.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = make().expect("a temporary folder");
}

/// In memory where there is a place for that: a disk's file system may wait for the disk whenever a file is written anew.
fn make() -> std::io::Result<TempDir> {
    let mut named = tempfile::Builder::new();
    named.prefix("brawn-fuzz-");
    named.tempdir_in("/dev/shm").or_else(|_| named.tempdir())
}

/// Runs `with` in the folder.
pub fn folder<T>(with: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| with(folder.path()))
}

/// Writes a file into the folder. Its name may have folders.
pub fn file(name: &str, content: &[u8]) -> PathBuf {
    folder(|folder| {
        let path = folder.join(name);
        if fs_err::write(&path, content).is_err() {
            fs_err::create_dir_all(path.parent().expect("it lies in the folder"))
                .expect("the folder is ours");
            fs_err::write(&path, content).expect("the folder is ours");
        }
        path
    })
}
