//! A control group (version two) for each program, which holds everything that the program starts: the kernel ends a
//! group as one, so that no one gets away by forking faster than it is found. Groups of either version that hold a program to
//! some of the machine are made and ended in the same way.
//!
//! A program is born in its group (`CLONE_INTO_CGROUP`, Linux 5.7): joining a group takes up to milliseconds, and would
//! be measured. No controller is switched on for it, so that the program has neither more nor less than before. A
//! process namespace would end as surely, but changes what a program sees: its own number, and `/proc`.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, mkdirat, openat, statat, unlinkat};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::scratch::open_folder as open;

/// What the names of groups begin with.
const PREFIX: &str = "brawn-run-";

/// How long the kernel may take to end what is in a group. Only what waits for a device needs so much.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether a group is empty.
const PAUSE: Duration = Duration::from_millis(1);

/// How often it is tried to remove a group, 10 ms apart.
const TRIES: usize = 50;

/// `CLONE_INTO_CGROUP`, which is larger than what `libc` has room for.
const INTO_GROUP: u64 = 0x2_0000_0000;

/// A group of our own. It is locked as long as this process lives; when it is dropped, everything in it is killed, and it
/// is removed.
#[derive(Debug)]
pub struct Group {
    parent: OwnedFd,
    folder: OwnedFd,
    name: String,
}

impl Group {
    /// A new group below the one of this process, where this user may make one. Those that killed runs of this user left are
    /// removed before the first.
    pub(crate) fn create() -> io::Result<Self> {
        /// The place is looked for once.
        static PARENT: OnceLock<OwnedFd> = OnceLock::new();
        if let Some(parent) = PARENT.get() {
            return Ok(Self::create_in(parent.try_clone()?)?);
        }
        let group = Self::create_first()?;
        let _ = PARENT.set(group.parent.try_clone()?);
        Ok(group)
    }

    fn create_first() -> io::Result<Self> {
        let of_kernel = |file: &str| fs_err::read_to_string(format!("/proc/self/{file}"));
        let own = of_kernel("cgroup")?;
        let own = own_group(&own).ok_or(io::ErrorKind::Unsupported)?;
        let mut refusal = None;
        for folder in folders(&of_kernel("mountinfo")?, own) {
            match Self::below(&folder) {
                Ok(group) => return Ok(group),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        // Where none is mounted, or only to be read, root can have a mount that no one else sees.
        let group = mount().and_then(|mount| open(mount, &own[1..])).and_then(Self::first_in);
        group.map_err(|error| refusal.unwrap_or(error.into()))
    }

    /// A new group below the one at this path, where killed runs of this user leave none.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn below(parent: &Path) -> io::Result<Self> {
        Ok(open(rustix::fs::CWD, parent).and_then(Self::first_in)?)
    }

    fn first_in(parent: OwnedFd) -> rustix::io::Result<Self> {
        // A group that cannot be removed belongs to the run that left it; this one goes on.
        let _ = remove_left(&parent);
        Self::create_in(parent)
    }

    fn create_in(parent: OwnedFd) -> rustix::io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("{PREFIX}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        mkdirat(&parent, &name, Mode::from(0o755))?;
        let lock =
            |folder| rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).map(|()| folder);
        match open(&parent, &name).and_then(lock) {
            Ok(folder) => Ok(Self { parent, folder, name }),
            Err(error) => {
                let _ = unlinkat(&parent, &name, AtFlags::REMOVEDIR);
                Err(error)
            }
        }
    }

    /// The folder, for [`fork_into`].
    pub(crate) fn folder(&self) -> io::Result<OwnedFd> {
        self.folder.try_clone()
    }

    /// Makes a command run in this group, from its first instruction.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn hold(&self, command: &mut Command) -> io::Result<()> {
        let members = openat(&self.folder, "cgroup.procs", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        // SAFETY: the closure runs between fork and exec and makes one system call, on a file that it keeps open. Zero
        // stands for the process that writes it.
        unsafe {
            command.pre_exec(move || Ok(rustix::io::write(&members, b"0").map(drop)?));
        }
        Ok(())
    }

    /// Kills everything in it, where the kernel can do that at once.
    pub fn kill(&self) {
        let _ = self.write("cgroup.kill", "1");
    }

    /// Writes to a file that the kernel has made in it.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn write(&self, file: &str, text: &str) -> io::Result<()> {
        Ok(write(&self.folder, file, text)?)
    }

    /// Whether the kernel has made this file in it.
    pub fn has(&self, file: &str) -> bool {
        statat(&self.folder, file, AtFlags::empty()).is_ok()
    }

    /// What a file of it says; nothing where it is not there.
    pub fn read(&self, file: &str) -> String {
        read(&self.folder, file).unwrap_or_default()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        end(&self.folder);
        // The kernel refuses while a killed member is still being taken apart.
        for _ in 0..TRIES {
            match remove(&self.parent, &self.name) {
                Ok(()) | Err(rustix::io::Errno::NOENT) => return,
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }
}

/// The group of this process in the tree of version two, by `/proc/self/cgroup`. One outside of this process's namespace
/// has no name here.
fn own_group(cgroup: &str) -> Option<&str> {
    let own = cgroup.lines().find_map(|line| line.strip_prefix("0::"))?;
    (own.starts_with('/') && !own.starts_with("/..")).then_some(own)
}

/// Where this group is seen, by `/proc/self/mountinfo`. A mount may show only a part of the tree.
fn folders(mountinfo: &str, own: &str) -> Vec<std::path::PathBuf> {
    let seen = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (root, point) = (mount.next()?, mount.next()?);
        let below = Path::new(own).strip_prefix(root).ok()?;
        kind.starts_with("cgroup2 ").then(|| Path::new(point).join(below))
    };
    mountinfo.lines().filter_map(seen).collect()
}

/// The tree of version two, mounted nowhere.
fn mount() -> rustix::io::Result<OwnedFd> {
    let tree = fsopen("cgroup2", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&tree)?;
    let private = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    fsmount(&tree, FsMountFlags::FSMOUNT_CLOEXEC, private)
}

/// Writes to a file of a group.
fn write(folder: impl AsFd, file: &str, text: &str) -> rustix::io::Result<()> {
    let file = openat(folder, file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text.as_bytes()).map(drop)
}

/// What a file of a group says.
fn read(folder: impl AsFd, file: &str) -> rustix::io::Result<String> {
    let file = openat(folder, file, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut text = Vec::with_capacity(4096);
    while rustix::io::read(&file, rustix::buffer::spare_capacity(&mut text))? > 0 {
        text.reserve(4096);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Whether the kernel says this of a group, or of one below it.
fn is(folder: &OwnedFd, what: &str) -> bool {
    read(folder, "cgroup.events").is_ok_and(|events| events.lines().any(|line| line == what))
}

/// Kills everything in a group and in those below it, and waits until that is gone.
fn end(folder: &OwnedFd) {
    let begun = Instant::now();
    // Of Linux 5.14: what is just being forked is killed as well.
    let at_once = write(folder, "cgroup.kill", "1").is_ok();
    while is(folder, "populated 1") && begun.elapsed() < PATIENCE {
        if !at_once {
            end_frozen(folder, begun);
        }
        std::thread::sleep(PAUSE);
    }
}

/// The same for older kernels: what is frozen does not fork.
fn end_frozen(folder: &OwnedFd, begun: Instant) {
    let _ = write(folder, "cgroup.freeze", "1");
    while !is(folder, "frozen 1") && begun.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
    }
    kill_listed(folder);
    let _ = write(folder, "cgroup.freeze", "0");
}

fn kill_listed(folder: &OwnedFd) {
    for pid in read(folder, "cgroup.procs").unwrap_or_default().lines() {
        if let Some(pid) = pid.parse().ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    for below in below(folder).unwrap_or_default() {
        let _ = open(folder, &below).map(|folder| kill_listed(&folder));
    }
}

/// The groups right below one.
fn below(folder: &OwnedFd) -> rustix::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type() == rustix::fs::FileType::Directory && ![".", ".."].contains(&name.as_str()) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Removes a group in which nothing lives, with those that the program made below it.
fn remove(parent: impl AsFd, name: &str) -> rustix::io::Result<()> {
    let folder = open(&parent, name)?;
    for below in below(&folder)? {
        remove(&folder, &below)?;
    }
    unlinkat(&parent, name, AtFlags::REMOVEDIR)
}

/// Ends and removes the groups that killed runs of this user left: nobody has their number, and their lock is free.
fn remove_left(parent: &OwnedFd) -> io::Result<()> {
    let is_left = |name: &CStr| {
        let number =
            name.to_str().ok().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        let pid = number.and_then(Pid::from_raw);
        pid.is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
    };
    brawn_base::temporary::each_left(parent, is_left, |name, folder, _| {
        end(&folder);
        let _ = remove(parent, &name.to_string_lossy());
    })
}

/// Forks into a group, as a further child of this process's parent. None where the kernel refuses; zero in the child.
///
/// To be called only in a process that has one thread. The C library does not learn of it, so that the child may only
/// make system calls.
pub(crate) fn fork_into(folder: BorrowedFd<'_>) -> Option<i32> {
    // SAFETY: the structure is plain numbers, of which zero says nothing; the kernel reads it and writes nothing. A child
    // with memory of its own goes on from here with a copy of this stack.
    let pid = unsafe {
        let mut how: libc::clone_args = std::mem::zeroed();
        how.flags = INTO_GROUP | libc::CLONE_PARENT as u64;
        how.cgroup = folder.as_raw_fd() as u64;
        libc::syscall(libc::SYS_clone3, &raw const how, size_of_val(&how))
    };
    i32::try_from(pid).ok().filter(|pid| *pid >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_group_is_found_where_it_is_seen() {
        let own = own_group("3:cpu:/a\n0::/user.slice/b c.scope\n").unwrap();
        assert_eq!(own, "/user.slice/b c.scope");
        assert_eq!((own_group("1:cpu:/\n"), own_group("0::/../x\n")), (None, None));
        let mounts = "30 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n\
                      31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      32 23 0:26 /user.slice /mnt rw - cgroup2 none rw\n\
                      33 23 0:26 /other /mnt rw - cgroup2 none rw\n";
        let seen = folders(mounts, own);
        assert_eq!(seen, ["/sys/fs/cgroup/user.slice/b c.scope", "/mnt/b c.scope"].map(Path::new));
    }

    /// Starts a shell in a group, which starts others without end.
    fn busy(group: &Group) -> std::process::Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "end=$(($(date +%s) + 20)); while [ $(date +%s) -lt $end ]; do (true &) ; done"]);
        group.hold(&mut command).unwrap();
        command.spawn().unwrap()
    }

    #[test]
    fn groups_end_at_once_or_frozen_and_what_a_killed_run_left_goes() {
        let Ok(group) = Group::create() else {
            assert!(crate::can_group().is_err());
            return;
        };
        let mut child = busy(&group);
        assert!(is(&group.folder, "populated 1"));
        end(&group.folder);
        assert!(is(&group.folder, "populated 0") && !child.wait().unwrap().success());
        // As on a kernel without the file for that.
        let mut child = busy(&group);
        mkdirat(&group.folder, "below", Mode::from(0o755)).unwrap();
        while is(&group.folder, "populated 1") {
            end_frozen(&group.folder, Instant::now());
        }
        assert!(!child.wait().unwrap().success());

        let mut gone = Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let left = format!("{PREFIX}{}-0", gone.id());
        mkdirat(&group.parent, &left, Mode::from(0o755)).unwrap();
        mkdirat(&group.parent, format!("{left}/below"), Mode::from(0o755)).unwrap();
        remove_left(&group.parent).unwrap();
        let names = below(&group.parent).unwrap();
        assert!(names.contains(&group.name) && !names.contains(&left));
        let (parent, name) = (group.parent.try_clone().unwrap(), group.name.clone());
        drop(group);
        assert!(!below(&parent).unwrap().contains(&name));
    }
}
