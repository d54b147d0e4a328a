//! The stops of a traced process. Signals are numbers here: a program may use real-time signals, and the C library does.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::ptrace;
use nix::unistd::Pid;

/// What has become of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is gone, with this status as `wait` tells it.
    Ended(i32),
    /// A signal is about to reach it.
    Stopped(i32),
    /// It is about to make a system call, or comes back from one.
    SystemCall,
    /// Something that was asked for by an option: `PTRACE_EVENT_…`.
    Event(i32),
    /// It goes on after having been stopped.
    Other,
}

impl Change {
    fn from_raw(status: i32) -> Self {
        if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            Self::Ended(status)
        } else if libc::WIFSTOPPED(status) {
            match (libc::WSTOPSIG(status), status >> 16) {
                (signal, 0) if signal == libc::SIGTRAP | 0x80 => Self::SystemCall,
                (signal, 0) => Self::Stopped(signal),
                (_, event) => Self::Event(event),
            }
        } else {
            Self::Other
        }
    }
}

/// The options by which a program stops at every system call, and its threads and children with it.
pub fn every_call() -> ptrace::Options {
    ptrace::Options::PTRACE_O_TRACESYSGOOD
        | ptrace::Options::PTRACE_O_TRACECLONE
        | ptrace::Options::PTRACE_O_TRACEFORK
        | ptrace::Options::PTRACE_O_TRACEVFORK
        | ptrace::Options::PTRACE_O_TRACEEXEC
}

/// A process that was followed to its end.
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    /// As `wait` tells it.
    pub status: i32,
    /// What it used.
    pub usage: libc::rusage,
    /// When it was gone.
    pub ended: Instant,
    /// How long it stood still at its stops.
    pub held: Duration,
    /// Whether it stopped at its exec. Where tracing is refused it does not.
    pub traced: bool,
}

/// Follows `main`, which has asked to be traced by this thread, to its end, from stop to stop as `options` and `until` say;
/// what else these options trace goes on beside it. All are killed if this thread ends before them. `on` is told what
/// happens to each thread or process: its first stop, a system call, an event, and the end of any but `main`. Signals
/// reach their processes.
///
/// # Errors
/// What the kernel says.
pub fn follow(
    main: Pid,
    options: ptrace::Options,
    until: Until,
    mut on: impl FnMut(Pid, Change),
) -> io::Result<Followed> {
    let mut known = BTreeSet::new();
    let mut held = Duration::ZERO;
    loop {
        let (pid, change, usage) = wait()?;
        let stopped = Instant::now();
        let mut forward = 0;
        match change {
            Change::Ended(status) if pid == main => {
                return Ok(Followed { status, usage, ended: stopped, held, traced: !known.is_empty() });
            }
            Change::Ended(_) => {
                known.remove(&pid);
                on(pid, change);
                continue;
            }
            // The stop at exec, the first thing that a traced process does.
            Change::Stopped(libc::SIGTRAP) if known.is_empty() => {
                set_options(pid, options)?;
                known.insert(pid);
            }
            // The first stop of a thread or child.
            Change::Stopped(libc::SIGSTOP) if known.insert(pid) => on(pid, change),
            Change::Stopped(signal) => forward = signal,
            Change::SystemCall | Change::Event(_) | Change::Other => on(pid, change),
        }
        if pid == main {
            held += stopped.elapsed();
        }
        go_on(pid, until, forward)?;
    }
}

/// The next change of a process that this thread started or traces, and what that process has used so far: `wait4` is the
/// only call that tells the resources of exactly one process.
fn wait() -> io::Result<(Pid, Change, libc::rusage)> {
    let mut status = 0;
    // SAFETY: `rusage` is a plain structure of integers, for which all zeroes are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable values of the types that the call fills in.
        let reaped =
            unsafe { libc::wait4(-1, &raw mut status, libc::__WALL | libc::__WNOTHREAD, &raw mut usage) };
        if reaped > 0 {
            return Ok((Pid::from_raw(reaped), Change::from_raw(status), usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Sets what a process is stopped for. It is killed if this thread ends before it. One that was killed while it was
/// stopped is no error: the next wait tells.
fn set_options(pid: Pid, options: ptrace::Options) -> io::Result<()> {
    forgive(ptrace::setoptions(pid, options | ptrace::Options::PTRACE_O_EXITKILL))
}

/// Until when a stopped process goes on.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// The next signal or event.
    Signal,
    /// The same, or the start or end of a system call.
    SystemCall,
}

/// Lets a stopped process go on, with a signal unless that is 0. One that was killed while it was stopped is no error: the
/// next wait tells.
fn go_on(pid: Pid, until: Until, signal: i32) -> io::Result<()> {
    let request = match until {
        Until::Signal => libc::PTRACE_CONT,
        Until::SystemCall => libc::PTRACE_SYSCALL,
    };
    // SAFETY: these requests read no memory; the address is not used and the data is a number.
    let result = unsafe {
        libc::ptrace(
            request,
            pid.as_raw(),
            std::ptr::null_mut::<libc::c_void>(),
            std::ptr::without_provenance_mut::<libc::c_void>(signal as usize),
        )
    };
    forgive(Errno::result(result).map(drop))
}

fn forgive(result: nix::Result<()>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::ESRCH) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_told_apart() {
        assert_eq!(Change::from_raw(3 << 8), Change::Ended(3 << 8));
        assert_eq!(Change::from_raw(9), Change::Ended(9));
        assert_eq!(Change::from_raw(34 << 8 | 0x7f), Change::Stopped(34));
        assert_eq!(Change::from_raw((libc::SIGTRAP | 0x80) << 8 | 0x7f), Change::SystemCall);
        assert_eq!(Change::from_raw(6 << 16 | libc::SIGTRAP << 8 | 0x7f), Change::Event(6));
        assert_eq!(Change::from_raw(0xffff), Change::Other);
    }
}
