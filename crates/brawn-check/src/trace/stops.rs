//! The stops of a traced process. Signals are numbers here: a program may use real-time signals.

use std::io;

use nix::unistd::Pid;

/// What has become of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is gone, with this status as `wait` tells it.
    Ended(i32),
    /// A signal is about to reach it.
    Stopped(i32),
    /// It is about to make a system call, or comes back from one.
    SystemCall,
    /// Something that was asked for by an option, or it goes on.
    Other,
}

/// The next change of any process that this thread traces.
pub(super) fn wait() -> io::Result<(Pid, Change)> {
    let mut status = 0;
    loop {
        // SAFETY: the pointer is to a live, writable value.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL | libc::__WNOTHREAD) };
        if pid > 0 {
            return Ok((Pid::from_raw(pid), change(status)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn change(status: i32) -> Change {
    if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
        Change::Ended(status)
    } else if libc::WIFSTOPPED(status) && status >> 16 == 0 {
        match libc::WSTOPSIG(status) {
            signal if signal == libc::SIGTRAP | 0x80 => Change::SystemCall,
            signal => Change::Stopped(signal),
        }
    } else {
        Change::Other
    }
}

/// Lets a stopped process go on to its next system call, with a signal unless that is 0. One that was killed meanwhile is
/// no error: the next wait tells.
pub(super) fn go_on(pid: Pid, signal: i32) -> io::Result<()> {
    // SAFETY: this request reads no memory; the address is not used and the data is a number.
    let result = unsafe {
        libc::ptrace(
            libc::PTRACE_SYSCALL,
            pid.as_raw(),
            std::ptr::null_mut::<libc::c_void>(),
            std::ptr::without_provenance_mut::<libc::c_void>(signal as usize),
        )
    };
    match nix::errno::Errno::result(result) {
        Ok(_) | Err(nix::errno::Errno::ESRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_told_apart() {
        assert_eq!(change(3 << 8), Change::Ended(3 << 8));
        assert_eq!(change(9), Change::Ended(9));
        assert_eq!(change(34 << 8 | 0x7f), Change::Stopped(34));
        assert_eq!(change((libc::SIGTRAP | 0x80) << 8 | 0x7f), Change::SystemCall);
        assert_eq!(change(3 << 16 | libc::SIGTRAP << 8 | 0x7f), Change::Other);
    }
}
