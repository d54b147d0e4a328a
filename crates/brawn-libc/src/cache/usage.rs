//! What is in a cache, how large it is, and when it was last used.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use brawn_base::temporary;

use super::{BENCH, COMPILERS, CXX, Cache, DIGESTS, DRIVERS, HEADERS, LINKS, OVERLAYS, PRELOADS, SEAMS};

/// The files that make a record; all others in its folder are copies of what was linked.
pub const RECORD: [&str; 5] = ["record.json", "id", "output", "overlay", "note.o"];

/// One kind of thing in the cache.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name for `brawn cache clear`.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The folders that hold it.
    pub folders: &'static [&'static str],
    /// Whether it goes by itself when the cache grows over its limit, and counts for that limit.
    pub limited: bool,
    /// Whether `brawn cache clear` without a name takes it: exported variables and build folders name the others.
    pub cleared: bool,
}

/// Every kind.
pub const KINDS: &[Kind] = &[
    kind("overlays", "a libc.a with another heap, for each choice", &[OVERLAYS], true),
    kind("records", "links that can be done again, with copies of their objects", &[LINKS], true),
    kind("preloads", "heaps as shared libraries, for `brawn run`", &[PRELOADS], true),
    kind("facts", "digests of files, and what compilers said about themselves", &[DIGESTS, COMPILERS], true),
    kind("c++", "the names by which linkers find C++'s runtime", &[CXX], false),
    kind("headers", "links to the kernel's headers", &[HEADERS], false),
    kind("bench", "sources and programs of `brawn bench`", &[BENCH], false),
    Kind {
        cleared: false,
        ..kind("drivers", "brawn in the place of linkers and compilers", &[SEAMS, DRIVERS], false)
    },
];

const fn kind(
    name: &'static str,
    summary: &'static str,
    folders: &'static [&'static str],
    limited: bool,
) -> Kind {
    Kind { name, summary, folders, limited, cleared: true }
}

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
    /// The things of one kind, whole ones only.
    pub fn items(&self, kind: &Kind, meter: &mut Meter) -> Vec<Item> {
        let mut items = Vec::new();
        for folder in kind.folders {
            let Ok(entries) = fs_err::read_dir(self.part(folder)) else { continue };
            for entry in entries.flatten() {
                if temporary::is_unfinished(&entry.file_name()) {
                    continue;
                }
                let Ok(data) = entry.metadata() else { continue };
                let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                let path = entry.path();
                let parts = if needed_record(&path) { copies(&path) } else { vec![path.clone()] };
                let size = parts.iter().map(|part| meter.size(part)).sum();
                if !parts.is_empty() {
                    items.push(Item { path, parts, size, used });
                }
            }
        }
        items
    }
}
