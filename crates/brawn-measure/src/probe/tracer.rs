//! The thread that starts a program and follows it to its end.
//!
//! `ptrace` serves only the thread that a process is traced by, so each run has a thread for that; the caller is free to
//! watch the clock, to read sizes, or to drive a client.

use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use brawn_trace::{Family, Started};
use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::{SigHandler, Signal, killpg, signal};
use nix::unistd::Pid;
use rustix::process::pidfd_send_signal;

use super::Conditions;
use crate::Error;
use crate::limits::Limits;

/// A program that has been started. Dropped, it is killed with everything that it started. `T` is what is known about
/// it when it has ended.
#[derive(Debug)]
pub(super) struct Tracee<T> {
    pub pid: Pid,
    pub start: Instant,
    handle: OwnedFd,
    ended: Receiver<Result<T, Error>>,
    thread: Option<JoinHandle<()>>,
    /// Before the control group: what the program left behind is killed while that is still there.
    _family: Family,
    /// After the thread, so that the program is gone when its control group is taken away.
    limits: Limits,
}

impl<T: Send + 'static> Tracee<T> {
    /// Starts a program in a thread of its own, which then follows it to its end by `follow`.
    pub(super) fn start(
        program: &Path,
        mut command: Command,
        conditions: &Conditions,
        follow: impl FnOnce(Pid, Instant) -> Result<T, Error> + Send + 'static,
    ) -> Result<Self, Error> {
        let (family, launch) =
            Family::begin(&mut command).map_err(Error::system("take in what a program leaves behind"))?;
        command.process_group(0);
        let mut limits = Limits::hold(&mut command, conditions)?;
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are allowed; it makes a few
        // system calls and neither allocates nor locks. A refusal is noticed later, by the missing stop at exec.
        unsafe {
            command.pre_exec(|| {
                // What a shell starts in the background ignores these two, and hands that on: a server would never stop.
                for stop in [Signal::SIGINT, Signal::SIGQUIT] {
                    let _ = signal(stop, SigHandler::SigDfl);
                }
                let _ = ptrace::traceme();
                Ok(())
            });
        }
        let program = program.to_owned();
        let (tell_started, started) = channel();
        let (tell_ended, ended) = channel();
        let thread = std::thread::spawn(move || match launch.spawn(&mut command) {
            Ok(begun) => {
                let (pid, start) = (Pid::from_raw(begun.pid), begun.start);
                // A receiver that is gone has dropped the program, and it is being killed.
                let _ = tell_started.send(Ok(begun));
                let _ = tell_ended.send(follow(pid, start));
            }
            Err(source) => {
                let _ = tell_started.send(Err(Error::Start { program, source }));
            }
        });
        let Started { pid, start, handle } = started.recv().expect("the tracer always answers")?;
        let pid = Pid::from_raw(pid);
        if let Some(memory) = &mut limits.memory {
            memory.begin(pid, &handle)?;
        }
        Ok(Self { pid, start, handle, ended, thread: Some(thread), _family: family, limits })
    }

    /// Whether the program wanted more memory than it may have: it was killed for it, or ended with that peak.
    pub(super) fn over_limit(&self, variant: &str, peak: Option<u64>) -> Option<Error> {
        let memory = self.limits.memory.as_ref().filter(|memory| memory.was_broken(peak))?;
        Some(Error::OverLimit { variant: variant.to_owned(), limit: memory.bytes, peak })
    }

    /// Waits for the end, at most so long; none when it has not come.
    pub(super) fn wait(&self, at_most: Duration) -> Option<Result<T, Error>> {
        match self.ended.recv_timeout(at_most) {
            Ok(ended) => Some(ended),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err(Error::System { doing: "follow the program", source: Errno::ECHILD.into() }))
            }
        }
    }

    /// Sends a signal to the main process, if it is still there.
    pub(super) fn signal(&self, signal: Signal) {
        // A handle instead of a number: the number may belong to another process by the time it is used.
        if let Some(signal) = rustix::process::Signal::from_named_raw(signal as i32) {
            let _ = pidfd_send_signal(&self.handle, signal);
        }
    }
}

impl<T> Drop for Tracee<T> {
    fn drop(&mut self) {
        let _ = pidfd_send_signal(&self.handle, rustix::process::Signal::KILL);
        // Children that the main process did not wait for. The group's number cannot belong to anybody else: the kernel
        // hands numbers out in turn, and not those of a group that still has members. What left the group is the family's.
        let _ = killpg(self.pid, Signal::SIGKILL);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // In version two a program is in one group alone, and these have taken it out of the family's.
        self.limits.kill();
    }
}
