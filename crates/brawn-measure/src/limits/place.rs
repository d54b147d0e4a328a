//! Where a control group for a controller can be made, and making it.

use std::io;
use std::path::{Path, PathBuf};

use brawn_trace::Group;

/// The two kinds of trees that kernels have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// A tree for each controller.
    One,
    /// One tree for all.
    Two,
}

/// A file of a group, and what is written into it.
#[derive(Debug, PartialEq, Eq)]
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

/// A new group with these settings, of which the first is one that is only there where the controller is: in the likeliest
/// place of the versions that will do. The first refusal where there is none.
pub(super) fn create(
    controller: &str,
    will_do: impl Fn(Version) -> bool,
    settings: impl Fn(Version) -> Vec<Setting>,
) -> io::Result<Group> {
    let mut refusal = None;
    for (version, parent) in parents(controller).into_iter().filter(|(version, _)| will_do(*version)) {
        let group = Group::below(&parent).and_then(|group| {
            prepare(&group, version, &parent, controller, &settings(version)).map(|()| group)
        });
        match group {
            Ok(group) => return Ok(group),
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    let none = || format!("no control group for {controller} is mounted");
    Err(refusal.unwrap_or_else(|| io::Error::new(io::ErrorKind::Unsupported, none())))
}

/// Makes of a new group in `parent` what the settings say.
fn prepare(
    group: &Group,
    version: Version,
    parent: &Path,
    controller: &str,
    settings: &[Setting],
) -> io::Result<()> {
    let there = settings.first().is_none_or(|first| group.has(first.file));
    if version == Version::Two && !there {
        // The parent has not handed the controller down yet.
        fs_err::write(parent.join("cgroup.subtree_control"), format!("+{controller}"))?;
    }
    for setting in settings {
        let written = group.write(setting.file, &setting.value);
        if setting.needed {
            written?;
        }
    }
    Ok(())
}

/// [`parents_in`] of this process.
pub(super) fn parents(controller: &str) -> Vec<(Version, PathBuf)> {
    let mounts = fs_err::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let groups = fs_err::read_to_string("/proc/self/cgroup").unwrap_or_default();
    parents_in(&mounts, &groups, controller)
}

/// Where a group could be made, the likeliest first: the groups that this process is in and those above.
///
/// `mountinfo` and `cgroup` are the kernel's tables of this process. In version two, groups that hold processes cannot
/// divide what a controller gives among groups of their own, the root aside, so that those above come into question, too.
fn parents_in(mountinfo: &str, cgroup: &str, controller: &str) -> Vec<(Version, PathBuf)> {
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
            parents.push((version, folder.components().collect()));
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
            .map(|(version, folder)| (version, folder.display().to_string()))
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

    /// A tree as of the kernel's, and a group in it with these files, all empty.
    fn made(files: &[&str]) -> (tempfile::TempDir, Group, PathBuf) {
        let tree = tempfile::tempdir().unwrap();
        fs_err::write(tree.path().join("cgroup.subtree_control"), "").unwrap();
        let group = Group::below(tree.path()).unwrap();
        let mut folders = fs_err::read_dir(tree.path()).unwrap().map(|entry| entry.unwrap().path());
        let folder = folders.find(|path| path.is_dir()).unwrap();
        for file in files {
            fs_err::write(folder.join(file), "").unwrap();
        }
        (tree, group, folder)
    }

    fn handed_down(tree: &tempfile::TempDir) -> String {
        fs_err::read_to_string(tree.path().join("cgroup.subtree_control")).unwrap()
    }

    #[test]
    fn settings_are_written_where_the_kernel_has_files_for_them() {
        let (tree, group, folder) = made(&["memory.max", "memory.swap.max", "cgroup.procs"]);
        let settings = [
            Setting::needed("memory.max", 4096),
            Setting::welcome("memory.swap.max", 0),
            Setting::welcome("memory.oom.group", 1),
        ];
        prepare(&group, Version::Two, tree.path(), "memory", &settings).unwrap();
        assert_eq!((group.read("memory.max"), group.read("memory.swap.max")), ("4096".into(), "0".into()));
        assert!(!folder.join("memory.oom.group").exists(), "a kernel that does not know it stays as it is");
        assert_eq!(handed_down(&tree), "");
        // What the command starts goes into the group.
        let mut command = std::process::Command::new("true");
        group.hold(&mut command).unwrap();
        assert!(command.status().unwrap().success());
        assert_eq!(group.read("cgroup.procs"), "0");
        fs_err::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_controller_that_was_not_handed_down_is_asked_for() {
        let (tree, group, folder) = made(&[]);
        let settings = [Setting::needed("cpu.max", "150000 100000")];
        // This tree has no kernel that would make the file then.
        let error = prepare(&group, Version::Two, tree.path(), "cpu", &settings).unwrap_err();
        assert_eq!((error.kind(), &*handed_down(&tree)), (io::ErrorKind::NotFound, "+cpu"));
        drop(group);
        assert!(!folder.exists(), "a refused group leaves nothing");
    }

    #[test]
    fn the_first_version_has_nothing_to_hand_down() {
        let (tree, group, _) = made(&[]);
        let settings = [Setting::needed("cpu.cfs_quota_us", 150_000)];
        assert!(prepare(&group, Version::One, tree.path(), "cpu", &settings).is_err());
        assert_eq!(handed_down(&tree), "");
    }
}
