//! Holding programs to some of the machine: to certain cores, to a share of the CPU time, or to an amount of memory.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use brawn_trace::Group;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use self::memory::MemoryLimit;
use self::place::{Setting, Version};
use crate::Error;
use crate::probe::Conditions;

pub mod memory;
mod place;

/// The calling thread, for calls that take the number of one.
const THIS_THREAD: Pid = Pid::from_raw(0);

/// Period over which a quota is spread, in microseconds; the kernel's own default.
const PERIOD: u64 = 100_000;

/// The fewest microseconds in a period that the kernel accepts.
const LEAST: u64 = 1_000;

/// What holds one run. Control groups go when this is dropped, with everything in them.
#[derive(Debug)]
pub(crate) struct Limits {
    quota: Option<Group>,
    pub memory: Option<MemoryLimit>,
}

impl Limits {
    /// Makes a command run under these conditions.
    ///
    /// # Errors
    /// [`Error::Core`] when a core does not exist, or may not be used by this process; [`Error::Quota`].
    pub fn hold(command: &mut Command, conditions: &Conditions) -> Result<Self, Error> {
        let quota = conditions.quota.map(quota).transpose()?;
        if let Some(group) = &quota {
            group.hold(command)?;
        }
        hold_to_cores(command, &conditions.cores)?;
        let hold = |bytes| MemoryLimit::hold(command, bytes, quota.is_some());
        Ok(Self { memory: conditions.memory.map(hold).transpose()?, quota })
    }

    /// Kills everything that is held, where a group can do that.
    pub fn kill(&self) {
        let memory = self.memory.as_ref().and_then(|memory| memory.group.as_ref());
        self.quota.iter().chain(memory).for_each(Group::kill);
    }
}

/// A new control group that may use so much CPU time, in cores: 1.5 for three halves of one.
///
/// # Errors
/// [`Error::Quota`] when this machine has no control group for CPU time that we may use.
pub fn quota(cores: f64) -> Result<Group, Error> {
    let group = match share(cores) {
        Some(share) => place::create("cpu", |_| true, |version| limits(version, share)),
        None => {
            let what = format!("{cores} cores are no amount of CPU time that the kernel can give");
            Err(io::Error::new(io::ErrorKind::InvalidInput, what))
        }
    };
    group.map_err(|source| Error::Quota { cores, source })
}

/// So many microseconds in a period; none when the kernel would not take it.
fn share(cores: f64) -> Option<u64> {
    let share = cores * PERIOD as f64;
    (share.is_finite() && share >= LEAST as f64).then(|| share.round() as u64)
}

/// The files of a group and what to write into them.
fn limits(version: Version, share: u64) -> Vec<Setting> {
    match version {
        Version::One => {
            vec![Setting::needed("cpu.cfs_period_us", PERIOD), Setting::needed("cpu.cfs_quota_us", share)]
        }
        Version::Two => vec![Setting::needed("cpu.max", format!("{share} {PERIOD}"))],
    }
}

fn hold_to_cores(command: &mut Command, cores: &[usize]) -> Result<(), Error> {
    if cores.is_empty() {
        return Ok(());
    }
    let allowed = allowed_cores()?;
    if let Some(&core) = cores.iter().find(|core| !allowed.contains(core)) {
        return Err(Error::Core { core, allowed });
    }
    let set = set_of(cores);
    // SAFETY: the closure runs between fork and exec and makes one system call, which reads a live set.
    unsafe {
        command.pre_exec(move || Ok(sched_setaffinity(THIS_THREAD, &set)?));
    }
    Ok(())
}

/// Holds the calling thread to these cores.
///
/// # Errors
/// What the kernel says when there is no such core, or this process may not use it.
pub(crate) fn hold_thread(cores: &[usize]) -> io::Result<()> {
    Ok(sched_setaffinity(THIS_THREAD, &set_of(cores))?)
}

/// The kernel's form of some cores; those beyond what it can name are left out.
fn set_of(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &core in cores {
        let _ = set.set(core);
    }
    set
}

/// The cores that this process may use, by number.
///
/// # Errors
/// [`Error::System`] when the kernel does not tell.
pub fn allowed_cores() -> Result<Vec<usize>, Error> {
    let doing = "ask for the cores that may be used";
    let set =
        sched_getaffinity(THIS_THREAD).map_err(|error| Error::System { doing, source: error.into() })?;
    Ok((0..CpuSet::count()).filter(|&core| set.is_set(core) == Ok(true)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_written_as_each_version_wants_them() {
        let written = |version, cores| limits(version, share(cores).unwrap());
        assert_eq!(written(Version::Two, 1.5), [Setting::needed("cpu.max", "150000 100000")]);
        assert_eq!(
            written(Version::One, 0.25),
            [Setting::needed("cpu.cfs_period_us", 100_000), Setting::needed("cpu.cfs_quota_us", 25_000)]
        );
        for nonsense in [0.0, -1.0, 0.001, f64::NAN, f64::INFINITY] {
            assert_eq!(share(nonsense), None, "{nonsense}");
        }
    }
}
