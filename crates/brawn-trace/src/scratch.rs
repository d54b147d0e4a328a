//! A folder that a program may do anything to, and that is removed all the same.
//!
//! What a program leaves in its folder is not to be trusted: a symbolic link where a folder was, folders without
//! permissions, trees deeper than the longest path. So everything is done by descriptors that were opened without
//! following links, no mode but a folder's is changed, and a folder in a folder is moved up before it is emptied, which
//! takes neither a deep stack nor many descriptors.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fstat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// How many names are read before their files are removed.
const NAMES: usize = 4096;

/// A new folder for one run, with a lock that is held as long as this process lives. It is removed when dropped;
/// [`Scratch::remove`] tells what went wrong.
#[derive(Debug)]
pub struct Scratch {
    parent: OwnedFd,
    folder: OwnedFd,
    path: PathBuf,
    removed: bool,
}

impl Scratch {
    /// A new folder of mode 0700 in `parent`, with a name that begins with `prefix`. Folders of that prefix that a
    /// killed run of this user left there are removed first.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = rustix::fs::open(parent, flags, Mode::empty());
        let open = open.map_err(|error| named(parent, error))?;
        // A folder that cannot be removed belongs to the run that left it; this one goes on.
        let is_left = |name: &CStr| name.to_bytes().starts_with(prefix.as_bytes());
        let _ = brawn_base::temporary::each_left(&open, is_left, |name, left, is_folder| {
            let _ = is_folder.then(|| remove(&open, &left, OsStr::from_bytes(name.to_bytes())));
        });
        let (fresh, folder) = brawn_base::temporary::locked_in(parent, prefix)?;
        let (path, folder) = (fresh.keep(), folder.into());
        Ok(Self { path, parent: open, folder, removed: false })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it with all that is in it.
    ///
    /// # Errors
    /// What the kernel says. Then a part of it may be left.
    pub fn remove(mut self) -> io::Result<()> {
        self.removed = true;
        self.clear()
    }

    fn clear(&self) -> io::Result<()> {
        remove(&self.parent, &self.folder, name_of(&self.path)).map_err(|error| named(&self.path, error))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.removed {
            let _ = self.clear();
        }
    }
}

fn named(path: &Path, error: Errno) -> io::Error {
    let error = io::Error::from(error);
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn name_of(path: &Path) -> &OsStr {
    path.file_name().expect("a temporary folder has a name")
}

/// Opens a folder; one without a name is `parent` itself.
pub(crate) fn open_folder(parent: impl AsFd, name: impl AsRef<Path>) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, Path::new(".").join(name), flags, Mode::empty())
}

/// Removes the folder that is open as `folder`, and is called `name` in `parent` unless somebody moved it.
fn remove(parent: &OwnedFd, folder: &OwnedFd, name: &OsStr) -> rustix::io::Result<()> {
    rustix::fs::fchmod(folder, Mode::RWXU)?;
    let mut moved = 0;
    loop {
        let names = names(folder)?;
        if names.is_empty() {
            break;
        }
        for name in names {
            if remove_file(folder, &name)? {
                continue;
            }
            let inner = open_any(folder, &name)?;
            flatten(folder, &inner, &mut moved)?;
            drop(inner);
            unlinkat(folder, name.as_c_str(), AtFlags::REMOVEDIR)?;
        }
    }
    let (open, there) = (fstat(folder)?, statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?);
    if (open.st_dev, open.st_ino) != (there.st_dev, there.st_ino) {
        return Err(Errno::NOENT);
    }
    unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Empties `inner`, a folder in `top`: files go, folders are moved up into `top`.
fn flatten(top: &OwnedFd, inner: &OwnedFd, moved: &mut u64) -> rustix::io::Result<()> {
    loop {
        let names = names(inner)?;
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            if remove_file(inner, &name)? {
                continue;
            }
            // Only a folder that may be written to can be moved to another.
            drop(open_any(inner, &name)?);
            loop {
                *moved += 1;
                match renameat(inner, name.as_c_str(), top, format!(".moved-{moved}")) {
                    // The program has something of that name.
                    Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                    result => break result?,
                }
            }
        }
    }
}

/// Removes what is no folder; false if it is one.
fn remove_file(folder: &OwnedFd, name: &CStr) -> rustix::io::Result<bool> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        // What Linux says, and what POSIX does.
        Err(Errno::ISDIR | Errno::PERM) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a folder whatever its mode is, and makes it one that its owner may read and write.
fn open_any(parent: &OwnedFd, name: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(parent, name, flags, Mode::empty())?;
    // The kernel changes the mode of what such a descriptor stands for by this path alone (`fchmodat2` is of Linux 6.6).
    rustix::fs::chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU)?;
    open_folder(place, "")
}

/// Some of the names in a folder; none when it is empty.
fn names(folder: &OwnedFd) -> rustix::io::Result<Vec<std::ffi::CString>> {
    let mut names = Vec::new();
    // Opened anew, because where reading stands belongs to the descriptor.
    for entry in Dir::new(open_folder(folder, "")?)? {
        let entry = entry?;
        if ![c".", c".."].contains(&entry.file_name()) {
            names.push(entry.file_name().to_owned());
        }
        if names.len() == NAMES {
            break;
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().permissions().mode() & 0o7777
    }

    fn set(path: &Path, mode: u32) {
        fs_err::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    /// Everything that a program can leave; as another user than root, modes count as well (see the tests of `check`).
    #[test]
    fn everything_goes_and_nothing_outside_is_touched() {
        let outside = tempfile::tempdir().unwrap();
        let (secret, folder) = (outside.path().join("secret"), outside.path().join("folder"));
        fs_err::write(&secret, "secret").unwrap();
        fs_err::create_dir(&folder).unwrap();
        fs_err::write(folder.join("file"), "").unwrap();
        set(&secret, 0o600);
        set(&folder, 0o500);
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(parent.path(), "test-").unwrap();
        let path = |name: &str| scratch.path().join(name);
        symlink(&secret, path("link")).unwrap();
        symlink(&folder, path("folder-link")).unwrap();
        fs_err::hard_link(&secret, path("hard")).unwrap();
        fs_err::write(path("a\nname"), "").unwrap();
        fs_err::create_dir_all(path("closed/in/side")).unwrap();
        symlink(outside.path(), path("closed/in/link")).unwrap();
        // What moved folders would be called.
        fs_err::create_dir_all(path(".moved-1/full")).unwrap();
        fs_err::write(path(".moved-2"), "").unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, path("fifo"), rustix::fs::FileType::Fifo, Mode::RWXU, 0)
            .unwrap();
        for closed in ["closed/in/side", "closed/in", "closed", ""] {
            set(&path(closed), 0);
        }
        let gone = scratch.path().to_owned();
        scratch.remove().unwrap();
        assert!(!gone.exists() && fs_err::read_dir(parent.path()).unwrap().next().is_none());
        assert_eq!((mode(&secret), mode(&folder)), (0o600, 0o500));
        assert_eq!(fs_err::read(&secret).unwrap(), b"secret");
        assert!(folder.join("file").exists());
        set(&folder, 0o700);
    }

    /// Deeper than the longest path, than a stack of calls for each level, and than the number of files that may be open.
    #[test]
    fn a_deep_tree_goes() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(parent.path(), "test-").unwrap();
        let mut at = scratch.folder.try_clone().unwrap();
        for _ in 0..3_000 {
            rustix::fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
            at = open_folder(&at, "d").unwrap();
        }
        drop(at);
        scratch.remove().unwrap();
        assert!(fs_err::read_dir(parent.path()).unwrap().next().is_none());
    }

    #[test]
    fn what_a_killed_run_left_goes_and_what_is_in_use_stays() {
        let parent = tempfile::tempdir().unwrap();
        let used = Scratch::create(parent.path(), "test-").unwrap();
        let left = parent.path().join("test-left");
        fs_err::create_dir_all(left.join("inside")).unwrap();
        let other = parent.path().join("other");
        fs_err::create_dir(&other).unwrap();
        symlink(&other, parent.path().join("test-link")).unwrap();
        let next = Scratch::create(parent.path(), "test-").unwrap();
        assert!(used.path().exists() && next.path().exists() && other.exists() && !left.exists());
        assert!(parent.path().join("test-link").is_symlink());
        drop((used, next));
        assert_eq!(fs_err::read_dir(parent.path()).unwrap().count(), 2);
    }
}
