//! Holding a program to so much memory, and knowing afterwards that it wanted more.
//!
//! A control group does it as a container does: the kernel counts everything that the program and its children hold, and
//! kills when that grows beyond the limit. Where no group can be made, a watchdog reads the main process's resident
//! size every few milliseconds. A limit on the address space would be the wrong measure: allocators reserve gigabytes
//! that they never touch.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use brawn_trace::Group;
use nix::unistd::Pid;
use rustix::process::pidfd_send_signal;

use super::place::{self, Setting, Version};

/// How often the watchdog looks.
const INTERVAL: Duration = Duration::from_millis(4);

/// The limit of one run.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    pub bytes: u64,
    pub(super) group: Option<Group>,
    watchdog: Option<Watchdog>,
}

impl MemoryLimit {
    /// A limit for a program that is about to be started by `command`.
    pub(crate) fn hold(command: &mut Command, bytes: u64, with_quota: bool) -> io::Result<Self> {
        let group = group(bytes, with_quota);
        if let Some(group) = &group {
            group.hold(command)?;
        }
        Ok(Self { bytes, group, watchdog: None })
    }

    /// The program runs: without a group, the watchdog begins.
    pub(crate) fn begin(&mut self, pid: Pid, handle: &OwnedFd) -> io::Result<()> {
        if self.group.is_none() {
            self.watchdog = Some(Watchdog::start(pid, handle.try_clone()?, self.bytes));
        }
        Ok(())
    }

    /// Whether the program wanted more: it was killed for it, or had more as it ended, between two looks of the watchdog. In a
    /// group the kernel has counted, and pages of files that others share are not the program's.
    pub(crate) fn was_broken(&self, peak: Option<u64>) -> bool {
        let Some(group) = &self.group else {
            let bitten = self.watchdog.as_ref().is_some_and(|dog| dog.bitten.load(Ordering::Acquire));
            return bitten || peak.is_some_and(|peak| peak > self.bytes);
        };
        has_killed(group)
    }
}

/// The group of one run. None where this machine has no group that we may make. In version two a process is in one group
/// alone, so that a quota of CPU time takes the place.
fn group(bytes: u64, with_quota: bool) -> Option<Group> {
    place::create(
        "memory",
        |version| !(with_quota && version == Version::Two),
        |version| {
            let (limit, with_swap, swap) = match version {
                Version::One => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", bytes),
                Version::Two => ("memory.max", "memory.swap.max", 0),
            };
            vec![
                Setting::needed(limit, bytes),
                // Not there where swap is not counted; then there mostly is none.
                Setting::welcome(with_swap, swap),
                // All or nothing, as a container ends.
                Setting::welcome("memory.oom.group", 1),
            ]
        },
    )
    .ok()
}

/// By the table of either version.
fn has_killed(group: &Group) -> bool {
    ["memory.oom_control", "memory.events"].iter().any(|file| kills(&group.read(file)) > 0)
}

/// How many processes the kernel has killed for want of memory in the group that this process is in, and below it: in a
/// container, in that container.
pub fn killed_here() -> u64 {
    let parents = place::parents("memory");
    let own = |wanted| parents.iter().find(|(version, _)| *version == wanted);
    let read = |file: PathBuf| fs_err::read_to_string(file).map_or(0, |events| kills(&events));
    let tables = [(Version::One, "memory.oom_control"), (Version::Two, "memory.events")];
    tables.iter().filter_map(|(version, table)| Some(read(own(*version)?.1.join(table)))).sum()
}

/// Bytes that this process' group holds and cannot give back: all but the cache of files. In a container, what counts against
/// its limit. None where there is no such group.
pub fn held_here() -> Option<u64> {
    let parents = place::parents("memory");
    let tables = [
        (Version::One, "memory.usage_in_bytes", ["total_inactive_file ", "total_active_file "]),
        (Version::Two, "memory.current", ["inactive_file ", "active_file "]),
    ];
    tables.iter().find_map(|(version, all, cached)| {
        let (_, group) = parents.iter().find(|(wanted, _)| wanted == version)?;
        let all: u64 = fs_err::read_to_string(group.join(all)).ok()?.trim().parse().ok()?;
        let table = fs_err::read_to_string(group.join("memory.stat")).ok()?;
        let count =
            |name: &&str| table.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        Some(all.saturating_sub(cached.iter().filter_map(count).sum()))
    })
}

/// The number behind `oom_kill` in a group's table of events.
fn kills(events: &str) -> u64 {
    let count = |line: &str| line.strip_prefix("oom_kill ")?.trim().parse().ok();
    events.lines().find_map(count).unwrap_or(0)
}

/// A thread that kills a program that grows too large.
#[derive(Debug)]
struct Watchdog {
    bitten: Arc<AtomicBool>,
    enough: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    fn start(pid: Pid, handle: OwnedFd, bytes: u64) -> Self {
        let (bitten, enough) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (bite, stop) = (Arc::clone(&bitten), Arc::clone(&enough));
        let thread = std::thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                if resident(pid).is_some_and(|size| size > bytes) {
                    bite.store(true, Ordering::Release);
                    let _ = pidfd_send_signal(&handle, rustix::process::Signal::KILL);
                    return;
                }
                std::thread::sleep(INTERVAL);
            }
        });
        Self { bitten, enough, thread: Some(thread) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.enough.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The resident size in bytes, by the cheapest of the kernel's tables.
fn resident(pid: Pid) -> Option<u64> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    // SAFETY: the call reads nothing of ours.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kills_are_counted_in_both_versions() {
        assert_eq!(kills("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2);
        assert_eq!(kills("low 0\nhigh 0\nmax 31\noom 1\noom_kill 1\noom_group_kill 0\n"), 1);
        assert_eq!(kills("oom_kill_disable 0\nunder_oom 1\n"), 0);
    }

    #[test]
    fn a_fresh_group_has_killed_nothing() {
        let Some(group) = group(1 << 30, false) else { return };
        assert!(group.has("cgroup.procs") && !has_killed(&group));
    }

    #[test]
    fn a_group_holds_what_its_processes_hold() {
        if held_here().is_none() {
            return eprintln!("skipped: no control group of this process counts its memory");
        }
        // Other tests of the group come and go meanwhile.
        let grows = |_| {
            let before = held_here().unwrap();
            let block = vec![1_u8; 256 << 20];
            let after = held_here().unwrap();
            std::hint::black_box(block);
            after > before + (128 << 20)
        };
        assert!((0..20).any(grows));
    }

    #[test]
    fn a_watchdog_bites_what_is_too_large() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        let handle = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).unwrap();
        let mut limit = MemoryLimit { bytes: 1, group: None, watchdog: None };
        limit.begin(Pid::from_raw(child.id().cast_signed()), &handle).unwrap();
        assert!(!child.wait().unwrap().success());
        assert!(limit.was_broken(None));
        let unwatched = MemoryLimit { bytes: 1, group: None, watchdog: None };
        assert!(
            unwatched.was_broken(Some(2)) && !unwatched.was_broken(Some(1)) && !unwatched.was_broken(None)
        );
    }

    #[test]
    fn this_process_is_resident() {
        assert!(resident(Pid::this()).unwrap() > 100_000);
        assert_eq!(resident(Pid::from_raw(i32::MAX)), None);
    }
}
