//! Control groups of our own: where one can be made, making it, and joining it.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The two kinds of trees that kernels have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// A tree for each controller.
    One,
    /// One tree for all.
    Two,
}

/// A group in which one of our own may be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) version: Version,
    pub(super) folder: PathBuf,
}

/// A file of a group, and what is written into it.
pub(super) struct Setting {
    file: &'static str,
    value: String,
    needed: bool,
}

impl Setting {
    /// A file without which the group is worth nothing.
    pub(super) fn needed(file: &'static str, value: impl ToString) -> Self {
        Self { file, value: value.to_string(), needed: true }
    }

    /// A file that not every kernel has, or lets us write.
    pub(super) fn welcome(file: &'static str, value: impl ToString) -> Self {
        Self { needed: false, ..Self::needed(file, value) }
    }
}

/// A control group. It is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) folder: PathBuf,
    pub(super) version: Version,
    members: fs_err::File,
}

impl Group {
    /// A new group with these settings, of which the first is one that is only there where the controller is.
    pub(super) fn create(parent: &Parent, controller: &str, settings: &[Setting]) -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.folder.join(format!("brawn-{controller}-{}-{number}", std::process::id()));
        fs_err::create_dir(&folder)?;
        Self::prepare(parent, &folder, controller, settings).inspect_err(|_| {
            let _ = fs_err::remove_dir(&folder);
        })
    }

    /// Makes of a new folder what the settings say.
    fn prepare(parent: &Parent, folder: &Path, controller: &str, settings: &[Setting]) -> io::Result<Self> {
        let there = settings.first().is_none_or(|first| folder.join(first.file).exists());
        if parent.version == Version::Two && !there {
            // The parent has not handed the controller down yet.
            fs_err::write(parent.folder.join("cgroup.subtree_control"), format!("+{controller}"))?;
        }
        for setting in settings {
            // The kernel has made the files; one that is not there is no setting of this group.
            let written = fs_err::OpenOptions::new()
                .write(true)
                .open(folder.join(setting.file))
                .and_then(|mut file| io::Write::write_all(&mut file, setting.value.as_bytes()));
            if setting.needed {
                written?;
            }
        }
        let members = fs_err::OpenOptions::new().write(true).open(folder.join("cgroup.procs"))?;
        Ok(Self { folder: folder.to_owned(), version: parent.version, members })
    }

    /// Makes a command run in this group, from its first instruction.
    pub(super) fn hold(&self, command: &mut Command) -> io::Result<()> {
        let members = self.members.file().try_clone()?;
        // SAFETY: the closure runs between fork and exec and makes one system call, on a file that it keeps open.
        unsafe {
            command.pre_exec(move || {
                // Zero stands for the process that writes it.
                match libc::write(members.as_raw_fd(), c"0".as_ptr().cast(), 1) {
                    1 => Ok(()),
                    _ => Err(io::Error::last_os_error()),
                }
            });
        }
        Ok(())
    }

    /// Kills all members at once, even those that fork without end, as the second version can (Linux 5.14).
    pub(super) fn kill(&self) {
        let _ = fs_err::OpenOptions::new()
            .write(true)
            .open(self.folder.join("cgroup.kill"))
            .and_then(|mut file| io::Write::write_all(&mut file, b"1"));
    }

    /// What a file of the group says; nothing where it is not there.
    pub(super) fn read(&self, file: &str) -> String {
        fs_err::read_to_string(self.folder.join(file)).unwrap_or_default()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        // The kernel refuses while a killed member is still being taken apart.
        for _ in 0..50 {
            match fs_err::remove_dir(&self.folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                _ => return,
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// [`parents_in`] of this process.
pub(super) fn parents(controller: &str) -> Vec<Parent> {
    let read = |path: &str| fs_err::read_to_string(path).unwrap_or_default();
    parents_in(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"), controller)
}

/// Where a group could be made, the likeliest first: the groups that this process is in and those above.
///
/// `mountinfo` and `cgroup` are the kernel's tables of this process. In version two, groups that hold processes cannot
/// divide what a controller gives among groups of their own, the root aside, so that those above come into question, too.
fn parents_in(mountinfo: &str, cgroup: &str, controller: &str) -> Vec<Parent> {
    let is_it = |name: &str| name == controller;
    let mut parents = Vec::new();
    for line in mountinfo.lines() {
        let Some((mount, file_system)) = line.split_once(" - ") else { continue };
        let mut mount = mount.split(' ').skip(3);
        let (Some(root), Some(point)) = (mount.next(), mount.next()) else { continue };
        let mut file_system = file_system.split(' ');
        let version = match file_system.next() {
            Some("cgroup") if file_system.nth(1).is_some_and(|options| options.split(',').any(is_it)) => {
                Version::One
            }
            Some("cgroup2") => Version::Two,
            _ => continue,
        };
        let own = cgroup.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            match version {
                Version::One => controllers.split(',').any(is_it),
                Version::Two => number == "0" && controllers.is_empty(),
            }
            .then_some(path)
        });
        // Inside a container the mount shows only a part of the tree, which begins at `root`.
        let own = own.map_or("", |own| own.strip_prefix(root).unwrap_or(own)).trim_start_matches('/');
        let point = Path::new(point);
        for folder in point.join(own).ancestors().take_while(|folder| folder.starts_with(point)) {
            // `join("")` leaves a slash behind.
            let folder: PathBuf = folder.components().collect();
            parents.push(Parent { version, folder });
        }
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(mountinfo: &str, cgroup: &str) -> Vec<(Version, String)> {
        parents_in(mountinfo, cgroup, "cpu")
            .into_iter()
            .map(|parent| (parent.version, parent.folder.display().to_string()))
            .collect()
    }

    #[test]
    fn groups_are_found_in_both_versions() {
        let two = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(
            folders(two, "0::/user.slice/a.scope\n"),
            [
                (Version::Two, "/sys/fs/cgroup/user.slice/a.scope".into()),
                (Version::Two, "/sys/fs/cgroup/user.slice".into()),
                (Version::Two, "/sys/fs/cgroup".into())
            ]
        );
        let one = "33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct\n\
                   34 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";
        assert_eq!(
            folders(one, "4:cpuset:/\n3:cpu,cpuacct:/\n0::/init\n"),
            [(Version::One, "/sys/fs/cgroup/cpu,cpuacct".into())]
        );
    }

    #[test]
    fn inside_a_container_the_mount_shows_a_part() {
        let mount = "9 1 0:26 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
        assert_eq!(folders(mount, "3:cpu:/docker/abc\n"), [(Version::One, "/sys/fs/cgroup/cpu".into())]);
        assert!(folders("9 1 0:26 / /proc rw - proc proc rw\n", "").is_empty());
    }

    /// A folder as the kernel makes it for a group of the second version: these files, all empty.
    fn made(parent: &Parent, files: &[&str]) -> PathBuf {
        let folder = parent.folder.join("new");
        fs_err::create_dir(&folder).unwrap();
        for file in files {
            fs_err::write(folder.join(file), "").unwrap();
        }
        folder
    }

    fn tree(version: Version) -> (tempfile::TempDir, Parent) {
        let tree = tempfile::tempdir().unwrap();
        let parent = Parent { version, folder: tree.path().to_owned() };
        fs_err::write(tree.path().join("cgroup.subtree_control"), "").unwrap();
        (tree, parent)
    }

    #[test]
    fn settings_are_written_where_the_kernel_has_files_for_them() {
        let (tree, parent) = tree(Version::Two);
        let folder = made(&parent, &["memory.max", "memory.swap.max", "cgroup.procs"]);
        let settings = [
            Setting::needed("memory.max", 4096),
            Setting::welcome("memory.swap.max", 0),
            Setting::welcome("memory.oom.group", 1),
        ];
        let group = Group::prepare(&parent, &folder, "memory", &settings).unwrap();
        assert_eq!((group.read("memory.max"), group.read("memory.swap.max")), ("4096".into(), "0".into()));
        assert!(!folder.join("memory.oom.group").exists(), "a kernel that does not know it stays as it is");
        assert_eq!(fs_err::read_to_string(tree.path().join("cgroup.subtree_control")).unwrap(), "");
        // What the command starts goes into the group.
        let mut command = Command::new("true");
        group.hold(&mut command).unwrap();
        assert!(command.status().unwrap().success());
        assert_eq!(group.read("cgroup.procs"), "0");
        fs_err::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_controller_that_was_not_handed_down_is_asked_for() {
        let (tree, parent) = tree(Version::Two);
        let folder = made(&parent, &["cgroup.procs"]);
        let settings = [Setting::needed("cpu.max", "150000 100000")];
        // This tree has no kernel that would make the file then.
        let error = Group::prepare(&parent, &folder, "cpu", &settings).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(fs_err::read_to_string(tree.path().join("cgroup.subtree_control")).unwrap(), "+cpu");
    }

    #[test]
    fn the_first_version_has_nothing_to_hand_down_and_a_refused_group_leaves_nothing() {
        let (tree, parent) = tree(Version::One);
        let settings = [Setting::needed("cpu.cfs_quota_us", 150_000)];
        assert!(Group::create(&parent, "cpu", &settings).is_err());
        assert_eq!(fs_err::read_to_string(tree.path().join("cgroup.subtree_control")).unwrap(), "");
        assert_eq!(fs_err::read_dir(tree.path()).unwrap().count(), 1, "the folder is gone again");
    }
}
