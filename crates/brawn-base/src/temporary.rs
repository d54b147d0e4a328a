//! Files and folders that are being written. Their names are recognised, and each is locked while its writer lives, so that
//! what a killed process left behind can be told from what a running one still needs.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{FileType, FlockOperation, Mode, OFlags};
use tempfile::{NamedTempFile, TempDir};

/// What the name of everything unfinished begins with.
const PREFIX: &str = ".brawn-tmp-";

/// A folder that is being filled, locked until this value goes.
pub struct Folder {
    dir: TempDir,
    _lock: File,
}

impl Folder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes the folder with all that is in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn close(self) -> io::Result<()> {
        self.dir.close()
    }

    /// Leaves the folder where it is, or where it was moved to.
    pub fn keep(self) {
        let _ = self.dir.keep();
    }
}

/// A new file in `folder` with these permission bits, whatever the umask is.
///
/// # Errors
/// What the system says.
pub fn file_in(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    loop {
        let file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
        if claim(file.as_file()) {
            file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
            return Ok(file);
        }
    }
}

/// Writes a whole file in one step, with these permission bits, through a neighbour that takes its place: the old one
/// may be open, or in use.
///
/// # Errors
/// What the system says.
pub fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = folder_of(path);
    sweep(folder);
    let mut file = file_in(folder, mode)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|refused| refused.error)
}

/// The folder that a path is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new folder in `folder` that only its owner may look into.
///
/// # Errors
/// What the system says.
pub fn folder_in(folder: &Path) -> io::Result<Folder> {
    locked_in(folder, PREFIX).map(|(dir, _lock)| Folder { dir, _lock })
}

/// Such a folder with a name that begins with `prefix`, and its lock, for those who look for what is left themselves.
///
/// # Errors
/// What the system says.
pub fn locked_in(folder: &Path, prefix: &str) -> io::Result<(TempDir, File)> {
    let owners = std::fs::Permissions::from_mode(0o700);
    loop {
        let dir = tempfile::Builder::new().prefix(prefix).permissions(owners.clone()).tempdir_in(folder)?;
        let Ok(lock) = fs_err::File::open(dir.path()) else { continue };
        if claim(lock.file()) {
            return Ok((dir, lock.into_file()));
        }
    }
}

/// Locks what was just made. False if [`sweep`] took it for a leftover in the moment between; then it is gone. A file system
/// without locks has no sweep either.
fn claim(made: &File) -> bool {
    let _ = made.lock();
    made.metadata().is_ok_and(|data| data.nlink() > 0)
}

/// Whether a name is one of something unfinished.
pub fn is_unfinished(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}

/// Removes what killed processes of this user left unfinished in `folder`. What cannot be removed stays: it is in no one's way.
pub fn sweep(folder: &Path) {
    let Ok(parent) = fs_err::File::open(folder) else { return };
    let is_left = |name: &CStr| is_unfinished(OsStr::from_bytes(name.to_bytes()));
    // The lock is held while it goes, so that a writer that has just made it notices.
    let _ = each_left(parent, is_left, |name, _locked, is_folder| {
        let path = folder.join(OsStr::from_bytes(name.to_bytes()));
        let _ = if is_folder { fs_err::remove_dir_all(&path) } else { fs_err::remove_file(&path) };
    });
}

/// Calls `then` with the name of each thing in a folder that is called so and was left behind, itself, locked, and whether it is
/// a folder. It is this user's, and its lock is free because the process that held it is gone.
///
/// # Errors
/// What the system says of the folder.
pub fn each_left(
    parent: impl AsFd,
    is_called: impl Fn(&CStr) -> bool,
    mut then: impl FnMut(&CStr, OwnedFd, bool),
) -> io::Result<()> {
    let names = rustix::fs::Dir::read_from(&parent)?.map(|entry| Ok(entry?.file_name().to_owned()));
    let names = names.collect::<io::Result<Vec<_>>>()?;
    for name in names.iter().filter(|name| is_called(name)) {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(&parent, name, flags, Mode::empty()) else { continue };
        let Ok(stat) = rustix::fs::fstat(&file) else { continue };
        let ours = stat.st_uid == rustix::process::geteuid().as_raw();
        if ours && rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            then(name, file, FileType::from_raw_mode(stat.st_mode).is_dir());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_one_writes_any_more_is_swept() {
        let place = tempfile::tempdir().unwrap();
        let file = file_in(place.path(), 0o640).unwrap();
        let folder = folder_in(place.path()).unwrap();
        fs_err::write(folder.path().join("part"), "").unwrap();
        fs_err::write(place.path().join("someone's"), "").unwrap();
        assert_eq!(file.as_file().metadata().unwrap().permissions().mode() & 0o7777, 0o640);
        let left = || fs_err::read_dir(place.path()).unwrap().count();
        sweep(place.path());
        assert_eq!(left(), 3);
        // A killed writer removes nothing, and its locks go.
        let (_, kept) = file.keep().unwrap();
        folder.keep();
        assert!(kept.exists());
        sweep(place.path());
        assert_eq!(left(), 1);
    }
}
