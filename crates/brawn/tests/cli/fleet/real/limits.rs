//! Control groups of a container, of either version: root makes them below its own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal};

/// Where the kernel shows them.
const ALL: &str = "/sys/fs/cgroup";
/// The period of a quota of processor time, in microseconds.
const PERIOD: u64 = 100_000;

/// Groups that are gone with it.
pub struct Limits {
    pub memory: PathBuf,
    pub cores: PathBuf,
    /// Where a container sees its memory's group.
    pub seen: &'static str,
}

impl Limits {
    /// So many bytes, and so many thousandths of a core, before all else that runs on this machine.
    pub fn new(bytes: u64, cores: u64) -> Limits {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("brawn-pod-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let quota = cores * PERIOD / 1000;
        let first = Path::new(ALL).join("memory").is_dir();
        let at = |controller: &str| Path::new(ALL).join(if first { controller } else { "" }).join(&name);
        let limits = Limits {
            memory: at("memory"),
            cores: at("cpu"),
            seen: if first { "sys/fs/cgroup/memory" } else { "sys/fs/cgroup" },
        };
        let write = |folder: &Path, file: &str, text: String| fs_err::write(folder.join(file), text).unwrap();
        fs_err::create_dir_all(&limits.memory).unwrap();
        fs_err::create_dir_all(&limits.cores).unwrap();
        if first {
            write(&limits.memory, "memory.limit_in_bytes", bytes.to_string());
            write(&limits.cores, "cpu.cfs_period_us", PERIOD.to_string());
            write(&limits.cores, "cpu.cfs_quota_us", quota.to_string());
            write(&limits.cores, "cpu.shares", "262144".into());
        } else {
            write(Path::new(ALL), "cgroup.subtree_control", "+memory +cpu".into());
            write(&limits.memory, "memory.max", bytes.to_string());
            write(&limits.cores, "cpu.max", format!("{quota} {PERIOD}"));
            write(&limits.cores, "cpu.weight", "10000".into());
        }
        limits
    }

    /// Asks the first process in it to end.
    pub fn end(&self) {
        self.members()
            .min_by_key(|pid| pid.as_raw_nonzero())
            .into_iter()
            .for_each(|pid| send(pid, Signal::TERM));
    }

    /// Kills everything in it.
    pub fn kill(&self) {
        self.members().for_each(|pid| send(pid, Signal::KILL));
    }

    fn members(&self) -> impl Iterator<Item = Pid> {
        let members = fs_err::read_to_string(self.memory.join("cgroup.procs")).unwrap_or_default();
        let members: Vec<Pid> = members.lines().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect();
        members.into_iter()
    }

    /// Whether the kernel has killed in it for want of memory.
    pub fn passed(&self) -> bool {
        let read = |file: &str| fs_err::read_to_string(self.memory.join(file)).unwrap_or_default();
        let tables = ["memory.oom_control", "memory.events"].map(read);
        tables
            .iter()
            .flat_map(|table| table.lines())
            .any(|line| line.starts_with("oom_kill ") && line != "oom_kill 0")
    }
}

/// It may have ended already.
fn send(pid: Pid, signal: Signal) {
    let _ = rustix::process::kill_process(pid, signal);
}

impl Drop for Limits {
    fn drop(&mut self) {
        self.kill();
        for folder in [&self.memory, &self.cores] {
            // The last process may still be taken apart.
            let gone = (0..100).any(|_| {
                let gone = !folder.exists() || fs_err::remove_dir(folder).is_ok();
                if !gone {
                    sleep(Duration::from_millis(10));
                }
                gone
            });
            if !gone {
                eprintln!("{} is left", folder.display());
            }
        }
    }
}
