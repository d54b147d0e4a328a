//! The root that a program is run in: nothing but what an image would hold.

use std::ffi::OsStr;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use brawn_base::file;
use brawn_trace::Scratch;

use crate::{Entries, Entry, Error, Kind};

/// Folders of the kernel's that a container runtime mounts.
pub(crate) const KERNEL_FOLDERS: [&str; 2] = ["proc", "sys"];

/// Device files that a container runtime makes.
pub(crate) const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Files that a container runtime puts into `/etc`, in its own version: here, this machine's.
const RUNTIME_FILES: [&str; 3] = ["resolv.conf", "hosts", "hostname"];

/// What the folders of roots are called. What a killed run left under this name is removed by the next.
const PREFIX: &str = "brawn-check-";

/// A root on disk; removed when dropped.
#[derive(Debug)]
pub(crate) struct Root {
    folder: Scratch,
    folders: Vec<(PathBuf, u32)>,
    /// Where the executable stands in it.
    pub program: PathBuf,
}

impl Root {
    /// Builds it. `runtime` adds the places where a container runtime mounts something.
    pub fn build(executable: &Path, entries: &Entries, runtime: bool) -> Result<Root, Error> {
        let folder = Scratch::create(&std::env::temp_dir(), PREFIX)?;
        let name = executable.file_name().unwrap_or(OsStr::new("program"));
        let mut root = Root { folder, folders: Vec::new(), program: Path::new("/").join(name) };
        root.folders.push((root.path().to_owned(), 0o755));
        for (path, entry) in entries {
            // A second name is another copy here.
            let entry = match &entry.kind {
                Kind::HardLink(target) => entries.get(target).unwrap_or(entry),
                _ => entry,
            };
            root.add(path, entry)?;
        }
        if runtime {
            root.add_runtime()?;
        }
        let program = root.path().join(name);
        fs_err::copy(executable, &program)?;
        fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755))?;
        Ok(root)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn folder_above(&mut self, path: &Path) -> Result<(), Error> {
        let Some(above) = path.parent().filter(|above| !above.exists()) else { return Ok(()) };
        let above = above.to_owned();
        self.folder_above(&above)?;
        fs_err::create_dir(&above)?;
        self.folders.push((above, 0o755));
        Ok(())
    }

    fn add(&mut self, name: &str, entry: &Entry) -> Result<(), Error> {
        let plain = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !plain {
            let source =
                std::io::Error::other("it must be a path from the root on, without a slash in front");
            return Err(Error::System { doing: format!("put {name} into the root"), source });
        }
        let path = self.path().join(name);
        self.folder_above(&path)?;
        match &entry.kind {
            Kind::Directory => {
                if !path.exists() {
                    fs_err::create_dir(&path)?;
                }
                self.folders.retain(|known| known.0 != path);
                self.folders.push((path, entry.mode));
            }
            Kind::File(content) => {
                fs_err::write(&path, content)?;
                fs_err::set_permissions(&path, PermissionsExt::from_mode(entry.mode))?;
            }
            Kind::HardLink(target) => {
                let source = std::io::Error::other(format!("it is a link to {target}, which is no file"));
                return Err(Error::System { doing: format!("put {name} into the root"), source });
            }
        }
        Ok(())
    }

    fn add_runtime(&mut self) -> Result<(), Error> {
        let folder = |path: &str, mode| (path.to_owned(), Entry::directory(mode, 0));
        let mut entries = Entries::from([folder("dev", 0o755), folder("dev/shm", 0o1777)]);
        entries.extend(KERNEL_FOLDERS.map(|name| folder(name, 0o555)));
        entries.extend(DEVICES.map(|name| (format!("dev/{name}"), Entry::file(&b""[..]))));
        for name in RUNTIME_FILES {
            if let Ok(content) = file::read(Path::new("/etc").join(name), file::TEXT) {
                entries.insert(format!("etc/{name}"), Entry::file(content));
            }
        }
        // What was asked for stands.
        let is_free = |root: &Root, path: &str| root.path().join(path).symlink_metadata().is_err();
        for (path, entry) in &entries {
            if is_free(self, path) {
                self.add(path, entry)?;
            }
        }
        for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
            let name = format!("dev/{name}");
            if is_free(self, &name) {
                symlink(format!("/proc/self/{target}"), self.path().join(name))?;
            }
        }
        Ok(())
    }

    /// Gives the folders their permissions. Where they belong to the user that the program will run as, no one may
    /// write to those that only their owner could write to, so that the program finds them as in an image, where they
    /// are root's.
    pub fn seal(&self, owned: bool) -> Result<(), Error> {
        for (path, mode) in self.folders.iter().rev() {
            let others_write = mode & 0o002 != 0;
            let mode = if owned && !others_write { mode & !0o222 } else { *mode };
            fs_err::set_permissions(path, PermissionsExt::from_mode(mode))?;
        }
        Ok(())
    }

    /// Removes it with all that the program left in it.
    pub fn remove(self) -> Result<(), Error> {
        let path = self.path().display().to_string();
        self.folder.remove().map_err(|source| Error::System { doing: format!("remove {path}"), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_holds_what_was_asked_for_and_goes_away() {
        let executable = std::env::current_exe().unwrap();
        let file = |path: &str, text: &'static str| (path.to_owned(), Entry::file(text.as_bytes()));
        let tmp = ("tmp".to_owned(), Entry::directory(0o1777, 0));
        let entries = Entries::from([tmp, file("etc/passwd", "x"), file("etc/hosts", "mine")]);
        let root = Root::build(&executable, &entries, true).unwrap();
        root.seal(true).unwrap();
        let mode = |name: &str| root.path().join(name).metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode("tmp"), mode("etc"), mode("")), (0o1777, 0o555, 0o555));
        assert_eq!(fs_err::read(root.path().join("etc/hosts")).unwrap(), b"mine");
        assert!(root.path().join("dev/null").exists() && root.path().join("proc").is_dir());
        let path = root.path().to_owned();
        drop(root);
        assert!(!path.exists());
    }

    #[test]
    fn nothing_is_written_outside() {
        let executable = std::env::current_exe().unwrap();
        for path in ["/etc/passwd", "../x", "a/../../x"] {
            let entries = Entries::from([(path.to_owned(), Entry::file(&b""[..]))]);
            let error = Root::build(&executable, &entries, false).unwrap_err();
            assert!(error.to_string().contains(path), "{error}");
        }
    }
}
