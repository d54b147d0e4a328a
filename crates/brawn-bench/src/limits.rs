//! Holding programs to some of the machine: to certain cores, to a share of the CPU time, or to an amount of memory.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Error;

pub mod memory;

/// Period over which a quota is spread, in microseconds; the kernel's own default.
const PERIOD: u64 = 100_000;

/// The fewest microseconds in a period that the kernel accepts.
const LEAST: u64 = 1_000;

/// A control group that holds its programs to a share of the CPU time. It is removed when this is dropped.
#[derive(Debug)]
pub struct Quota {
    folder: PathBuf,
    members: fs_err::File,
}

impl Quota {
    /// A new group that may use so much CPU time, in cores: 1.5 for three halves of one.
    ///
    /// # Errors
    /// [`Error::Quota`] when this machine has no control group for CPU time that we may use.
    pub fn create(cores: f64) -> Result<Self, Error> {
        let read = |path: &str| fs_err::read_to_string(path).unwrap_or_default();
        let mut reason = None;
        for parent in parents(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"), "cpu") {
            match Self::create_in(&parent, cores) {
                Ok(quota) => return Ok(quota),
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        let none = || io::Error::new(io::ErrorKind::Unsupported, "no control group for CPU time is mounted");
        Err(Error::Quota { cores, source: reason.unwrap_or_else(none) })
    }

    /// The group's folder, which goes when this is dropped.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn create_in(parent: &Parent, cores: f64) -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let limits = match limits(parent.version, cores) {
            Some(limits) => limits,
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("{cores} cores are no amount of CPU time that the kernel can give"),
                ));
            }
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.folder.join(format!("brawn-bench-{}-{number}", std::process::id()));
        fs_err::create_dir(&folder)?;
        let prepared = (|| {
            if parent.version == Version::Two && !folder.join("cpu.max").exists() {
                // The parent has not handed the controller down yet.
                fs_err::write(parent.folder.join("cgroup.subtree_control"), "+cpu")?;
            }
            for (file, value) in &limits {
                fs_err::write(folder.join(file), value)?;
            }
            fs_err::OpenOptions::new().write(true).open(folder.join("cgroup.procs"))
        })();
        match prepared {
            Ok(members) => Ok(Self { folder, members }),
            Err(error) => {
                let _ = fs_err::remove_dir(&folder);
                Err(error)
            }
        }
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        remove_group(&self.folder);
    }
}

/// Removes the folder of a group that nobody is left in.
fn remove_group(folder: &Path) {
    // The kernel refuses while a killed member is still being taken apart.
    for _ in 0..50 {
        if fs_err::remove_dir(folder).is_ok() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// A group in which one of our own may be made.
#[derive(Debug, PartialEq, Eq)]
struct Parent {
    version: Version,
    folder: PathBuf,
}

/// The files of a group and what to write into them; none when the kernel would not take it.
fn limits(version: Version, cores: f64) -> Option<Vec<(&'static str, String)>> {
    let share = cores * PERIOD as f64;
    if !share.is_finite() || share < LEAST as f64 {
        return None;
    }
    let share = share.round() as u64;
    Some(match version {
        Version::One => {
            vec![("cpu.cfs_period_us", PERIOD.to_string()), ("cpu.cfs_quota_us", share.to_string())]
        }
        Version::Two => vec![("cpu.max", format!("{share} {PERIOD}"))],
    })
}

/// Where a group could be made, the likeliest first: the groups that this process is in and those above.
///
/// `mountinfo` and `cgroup` are the kernel's tables of this process. In version two, groups that hold processes cannot
/// divide what a controller gives among groups of their own, the root aside, so that those above come into question, too.
fn parents(mountinfo: &str, cgroup: &str, controller: &str) -> Vec<Parent> {
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

/// Makes a command run on these cores and within this quota.
///
/// # Errors
/// [`Error::Core`] when a core does not exist, or may not be used by this process.
pub(crate) fn apply(command: &mut Command, cores: &[usize], quota: Option<&Quota>) -> Result<(), Error> {
    if let Some(quota) = quota {
        let members = quota.members.file().try_clone()?;
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
    }
    if cores.is_empty() {
        return Ok(());
    }
    let allowed = allowed_cores()?;
    if let Some(&core) = cores.iter().find(|core| !allowed.contains(core)) {
        return Err(Error::Core { core, allowed });
    }
    // SAFETY: the set is a plain array of bits, for which all zeroes are a value; the cores are below its size, because
    // the kernel has told them in such a set.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        cores.iter().for_each(|&core| libc::CPU_SET(core, &mut set));
        set
    };
    // SAFETY: the closure runs between fork and exec and makes one system call, which reads a live set.
    unsafe {
        command.pre_exec(move || match libc::sched_setaffinity(0, size_of_val(&set), &raw const set) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        });
    }
    Ok(())
}

/// The cores that this process may use, by number.
///
/// # Errors
/// [`Error::System`] when the kernel does not tell.
pub fn allowed_cores() -> Result<Vec<usize>, Error> {
    // SAFETY: the set is a plain array of bits, which the kernel fills in; the numbers tested are below its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) != 0 {
            let source = io::Error::last_os_error();
            return Err(Error::System { doing: "ask for the cores that may be used", source });
        }
        Ok((0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, &set)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(mountinfo: &str, cgroup: &str) -> Vec<(Version, String)> {
        parents(mountinfo, cgroup, "cpu")
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

    #[test]
    fn quotas_are_written_as_each_version_wants_them() {
        assert_eq!(limits(Version::Two, 1.5).unwrap(), [("cpu.max", "150000 100000".to_owned())]);
        assert_eq!(
            limits(Version::One, 0.25).unwrap(),
            [("cpu.cfs_period_us", "100000".to_owned()), ("cpu.cfs_quota_us", "25000".to_owned())]
        );
        for nonsense in [0.0, -1.0, 0.001, f64::NAN, f64::INFINITY] {
            assert_eq!(limits(Version::Two, nonsense), None, "{nonsense}");
        }
    }
}
