//! The folder in which overlays and everything else are kept that would take time to make again.
//!
//! | part | holds | how it is trusted |
//! |---|---|---|
//! | [`OVERLAYS`] | `libc.a` with its manifest, by content | by digest against the manifest, the manifest by its owner |
//! | [`LINKS`] | recorded links, with copies of objects | by owner, each record again when it is read; inputs by digest |
//! | the others | digests, answers of compilers, links to headers and to `brawn`, linker scripts, shared libraries | by owner |
//!
//! So the whole folder must be this user's alone ([`crate::trust`]). Everything in use is held by a shared lock on one file,
//! and things are removed under its exclusive form ([`evict`]).

pub mod evict;
mod hold;
mod kinds;
pub mod usage;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use brawn_elf::Arch;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW};

use crate::choice::Choice;
use crate::overlay::{self, Overlay};
use crate::{Error, digest, trust};
use brawn_base::{file, temporary};

pub use hold::Hold;
use kinds::KINDS;
pub use kinds::{BENCH, COMPILERS, CXX, DIGESTS, DRIVERS, HEADERS, LINKS, OVERLAYS, PRELOADS, SEAMS};

const LOCK: &str = "lock";

/// Whether this process put anything into a cache.
static ADDED: AtomicBool = AtomicBool::new(false);

/// The folder, checked.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache in `root`, which is made for this user alone unless it is there.
    ///
    /// # Errors
    /// [`Error::Untrusted`] when others could have put something into it; [`Error::Unwritable`].
    pub fn open(root: &Path) -> Result<Cache, Error> {
        let root = trust::own_folder(root)?;
        for kind in KINDS {
            for folder in kind.folders {
                match trust::check(&root.join(folder)) {
                    Err(Error::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
                    other => other?,
                }
            }
        }
        Ok(Cache { root })
    }

    /// The cache's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of one part, such as [`LINKS`].
    pub fn part(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Keeps everything in the cache where it is. A file system without locks has no eviction either.
    pub fn hold(&self) -> Hold {
        let lock = self.lock_file().filter(|lock| lock.lock_shared().is_ok());
        Hold(lock.map(Arc::new))
    }

    fn lock_file(&self) -> Option<File> {
        let mut options = fs_err::OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(self.root.join(LOCK)).ok().map(fs_err::File::into_file)
    }

    /// The SHA-256 of the archive at `path`, in lower-case hexadecimal, remembered while the file is the same. It may be larger
    /// than a libc.a: a Rust library holds what its program embeds.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn digest(&self, path: &Path) -> std::io::Result<String> {
        Ok(digest::of_archive(&self.part(DIGESTS), path, |path| file::read(path, file::OBJECT))?.0)
    }

    /// Says that something was put into a cache by this process, or by another that it waited for.
    pub fn note_added() {
        ADDED.store(true, Ordering::Relaxed);
    }

    /// Whether anything was.
    pub fn was_added_to() -> bool {
        ADDED.load(Ordering::Relaxed)
    }

    /// The overlay of the libc.a at `base` for `choice`: from the cache, or made now. It stays while the value lives.
    ///
    /// Two processes may ask for the same overlay at once: each makes it in a folder of its own, and the first one
    /// to finish puts it in place in one step. What is found in the cache is checked against its digest.
    ///
    /// # Errors
    /// Those of [`overlay::make`]; [`Error::Unwritable`].
    pub fn overlay(&self, base: &Path, wanted: Option<Arch>, choice: &Choice) -> Result<Overlay, Error> {
        let hold = self.hold();
        let (sha256, _) = digest::of_archive(&self.part(DIGESTS), base, |path| file::archive(path))?;
        let folder = self.part(OVERLAYS);
        let found = |place: &Path| {
            let overlay = overlay::existing(&self.part(DIGESTS), place, &hold)?;
            touch(place);
            Some(overlay)
        };
        // The architecture is part of the id; a caller that asks for none in particular has it read from the archive.
        if let Some(arch) = wanted
            && let Some(found) = found(&folder.join(overlay::id(&sha256, arch, choice)))
        {
            return Ok(found);
        }
        let bytes = file::archive(base)?;
        let made = overlay::make_from(base, &bytes, sha256, wanted, choice)?;
        let place = folder.join(&made.manifest.id);
        if let Some(found) = found(&place) {
            return Ok(found);
        }
        fs_err::create_dir_all(&folder).map_err(|source| Error::unwritable(&folder, source))?;
        let unwritable = |source| Error::unwritable(&folder, source);
        let fresh = temporary::folder_in(&folder).map_err(unwritable)?;
        overlay::write_files(fresh.path(), &made)?;
        Cache::note_added();
        for _ in 0..8 {
            match fs_err::rename(fresh.path(), &place) {
                Ok(()) => {
                    // The folder is in place under another name: there is nothing left to remove.
                    fresh.keep();
                    return Ok(Overlay { dir: place, manifest: made.manifest, cached: false, hold });
                }
                Err(error) if !place.exists() => return Err(Error::unwritable(&place, error)),
                Err(_) => {
                    if let Some(found) = found(&place) {
                        return Ok(found);
                    }
                    // Damaged: out of the way in one step, so that no one sees half of it.
                    let away = temporary::folder_in(&folder).map_err(unwritable)?;
                    let _ = fs_err::rename(&place, away.path().join("overlay"));
                }
            }
        }
        Err(Error::unwritable(&place, std::io::Error::other("another process keeps replacing it")))
    }
}

/// Notes that the thing at `path` was used now. Without the note it only goes earlier.
pub fn touch(path: &Path) {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    let _ = rustix::fs::utimensat(CWD, path, &times, AtFlags::empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rust_library_may_be_larger_than_a_libc() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let path = folder.path().join("libembeds.rlib");
        fs_err::write(&path, "!<arch>\n").unwrap();
        let large = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
        large.set_len(file::ARCHIVE + 1).unwrap();
        let expected = crate::sha256_hex(&fs_err::read(&path).unwrap());
        assert_eq!(cache.digest(&path).unwrap(), expected);
        assert_eq!(cache.digest(&path).unwrap(), expected);
        assert_eq!(fs_err::read_dir(folder.path().join(DIGESTS)).unwrap().count(), 1);
        let error = cache.overlay(&path, None, &Choice::default()).unwrap_err();
        assert!(error.to_string().ends_with("the limit is 128 MiB"), "{error}");
    }
}
