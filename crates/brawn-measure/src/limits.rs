//! Holding programs to some of the machine: to certain cores, to a share of the CPU time, or to an amount of memory.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use self::group::{Group, Setting, Version, parents};
use crate::Error;

mod group;
pub mod memory;

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
        command.pre_exec(move || hold(&set));
    }
    Ok(())
}

/// Holds the calling thread to these cores.
///
/// # Errors
/// What the kernel says when there is no such core, or this process may not use it.
pub(crate) fn hold_thread(cores: &[usize]) -> io::Result<()> {
    hold(&set_of(cores))
}

/// The kernel's form of some cores.
fn set_of(cores: &[usize]) -> libc::cpu_set_t {
    // SAFETY: the set is a plain array of bits, for which all zeroes are a value; only cores below its size are put in.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let inside = cores.iter().filter(|&&core| core < libc::CPU_SETSIZE as usize);
        inside.for_each(|&core| libc::CPU_SET(core, &mut set));
        set
    }
}

fn hold(set: &libc::cpu_set_t) -> io::Result<()> {
    // SAFETY: the call reads a live set of the size that is given, and 0 is the calling thread.
    match unsafe { libc::sched_setaffinity(0, size_of_val(set), set) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
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
