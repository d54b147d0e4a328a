//! What is in a cache, how large it is, and when it was last used.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use brawn_base::temporary;

use super::Cache;
use super::kinds::LINKS;
pub use super::kinds::{KINDS, Kind};

/// The files that make a record; all others in its folder are copies of what was linked.
pub const RECORD: [&str; 5] = ["record.json", "id", "output", "overlay", "note.o"];

/// One thing in the cache: a file, or a folder with all that is in it.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where it is.
    pub path: PathBuf,
    /// What of it may go: all, or the copies of a record whose executable is there.
    pub parts: Vec<PathBuf>,
    /// What it takes on the disk, in bytes.
    pub size: u64,
    /// When it was last used.
    pub used: SystemTime,
    /// Whether only another build of the user's makes it again.
    pub needs_build: bool,
}

/// Counts what takes room, each file once, whatever number of names it has.
#[derive(Default)]
pub struct Meter {
    seen: HashSet<(u64, u64)>,
}

impl Meter {
    /// Bytes on the disk of a file, or of a folder with all that is in it. No link is followed.
    pub fn size(&mut self, path: &Path) -> u64 {
        let Ok(data) = fs_err::symlink_metadata(path) else { return 0 };
        let new = data.is_dir() || data.nlink() < 2 || self.seen.insert((data.dev(), data.ino()));
        let own = if new { data.blocks() * 512 } else { 0 };
        let inside = data.is_dir().then(|| fs_err::read_dir(path).ok()).flatten();
        own + inside.into_iter().flatten().flatten().map(|entry| self.size(&entry.path())).sum::<u64>()
    }
}

/// Whether this is the record of an executable that exists. `brawn build` must know what that carries, because cargo calls it
/// up to date whatever the heap is.
fn needed_record(path: &Path) -> bool {
    let of_links = path.parent().and_then(Path::file_name).is_some_and(|name| name == LINKS);
    let output = || brawn_base::file::text(path.join("output")).ok();
    of_links && output().is_some_and(|output| Path::new(&output).exists())
}

/// The copies of inputs in a record.
fn copies(record: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(record) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.file_name().is_some_and(|name| !RECORD.contains(&&*name.to_string_lossy())))
        .collect()
}

impl Cache {
    /// The things of one kind that were used after a time, whole ones only.
    pub fn items(&self, kind: &Kind, after: SystemTime, meter: &mut Meter) -> Vec<Item> {
        let mut items = Vec::new();
        for folder in kind.folders {
            let Ok(entries) = fs_err::read_dir(self.part(folder)) else { continue };
            for entry in entries.flatten() {
                if temporary::is_unfinished(&entry.file_name()) {
                    continue;
                }
                let Ok(data) = entry.metadata() else { continue };
                let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                if used < after {
                    continue;
                }
                let path = entry.path();
                let needs_build = needed_record(&path);
                let parts = if needs_build { copies(&path) } else { vec![path.clone()] };
                let size = parts.iter().map(|part| meter.size(part)).sum();
                if !parts.is_empty() {
                    items.push(Item { path, parts, size, used, needs_build });
                }
            }
        }
        items
    }
}
