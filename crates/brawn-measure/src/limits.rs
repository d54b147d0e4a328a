//! Holding programs to some of the machine: to certain cores, to a share of the CPU time, or to an amount of memory.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use self::group::{Group, Setting, Version, parents};
use crate::Error;

mod group;
pub mod memory;

/// The calling thread, for calls that take the number of one.
const THIS_THREAD: Pid = Pid::from_raw(0);

/// Period over which a quota is spread, in microseconds; the kernel's own default.
const PERIOD: u64 = 100_000;

/// The fewest microseconds in a period that the kernel accepts.
const LEAST: u64 = 1_000;

/// A control group that holds its programs to a share of the CPU time. It is removed when this is dropped.
#[derive(Debug)]
pub struct Quota {
    group: Group,
}

impl Quota {
    /// A new group that may use so much CPU time, in cores: 1.5 for three halves of one.
    ///
    /// # Errors
    /// [`Error::Quota`] when this machine has no control group for CPU time that we may use.
    pub fn create(cores: f64) -> Result<Self, Error> {
        let wrong = |kind, what: String| io::Error::new(kind, what);
        let mut reason = None;
        for parent in parents("cpu") {
            let Some(limits) = limits(parent.version, cores) else {
                let what = format!("{cores} cores are no amount of CPU time that the kernel can give");
                reason = reason.or(Some(wrong(io::ErrorKind::InvalidInput, what)));
                continue;
            };
            let settings = limits.into_iter().map(|(file, value)| Setting::needed(file, value));
            match Group::create(&parent, "cpu", &settings.collect::<Vec<_>>()) {
                Ok(group) => return Ok(Self { group }),
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        let none =
            || wrong(io::ErrorKind::Unsupported, "no control group for CPU time is mounted".to_owned());
        Err(Error::Quota { cores, source: reason.unwrap_or_else(none) })
    }

    /// Kills everything that is held, where a group can do that.
    pub(crate) fn kill(&self) {
        self.group.kill();
    }

    /// The group's folder, which goes when this is dropped.
    pub fn folder(&self) -> &Path {
        &self.group.folder
    }
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

/// Makes a command run on these cores and within this quota.
///
/// # Errors
/// [`Error::Core`] when a core does not exist, or may not be used by this process.
pub(crate) fn apply(command: &mut Command, cores: &[usize], quota: Option<&Quota>) -> Result<(), Error> {
    if let Some(quota) = quota {
        quota.group.hold(command)?;
    }
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
