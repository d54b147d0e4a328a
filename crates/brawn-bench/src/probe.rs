//! Runs one process and measures it from the outside.
//!
//! The process is traced by `ptrace`, but only to be stopped once when it starts (`execve`) and once when it ends:
//! at `PTRACE_EVENT_EXIT` its address space still exists, so `/proc/PID/status` and `smaps_rollup` tell its peak and its last
//! resident size exactly, however it ends. No system call, no thread and no child is traced, so nothing in between is
//! slowed, apart from signals, each of which passes through the tracer. The time that the process spends stopped
//! is not counted.
//!
//! `ru_maxrss` is of no use here: the kernel takes the larger of the process's own peak and that of the process that
//! forked it, so every small program seems as large as its parent.
//!
//! What the figures cover: wall time, the main process from `fork` to the moment that it is gone; CPU time and page
//! faults, that process and the children it waited for; memory, that process alone, not its children. A program whose main thread calls `pthread_exit` while others
//! go on is measured at that moment.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::{Error, Variant};

/// What one run of a variant took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sample {
    /// Wall-clock time, in seconds, by the monotonic clock.
    pub wall_seconds: f64,
    /// CPU time in user mode, in seconds, waited-for children included.
    pub user_seconds: f64,
    /// CPU time in the kernel, in seconds, waited-for children included.
    pub system_seconds: f64,
    /// Peak resident size of the main process, in bytes (`VmHWM`); none when `ptrace` was refused.
    pub peak_bytes: Option<u64>,
    /// Resident size of the main process as it ended, in bytes, less pages that it had offered back
    /// (`Rss` less `LazyFree` of `smaps_rollup`); none when that could not be read.
    pub final_bytes: Option<u64>,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that waited for I/O.
    pub major_faults: u64,
    /// Times that a thread gave up its core to wait.
    pub voluntary_switches: u64,
    /// Figures that the program gave of itself on stderr, in lines `metric NAME VALUE`.
    pub metrics: std::collections::BTreeMap<String, f64>,
}

impl Sample {
    /// CPU time in user mode and in the kernel, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        self.user_seconds + self.system_seconds
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this status.
    Status(i32),
    /// This signal ended it.
    Signal(Signal),
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "status {status}"),
            Self::Signal(signal) => write!(formatter, "signal {signal}"),
        }
    }
}

/// A finished run: its figures, its end and what it printed.
#[derive(Debug)]
pub struct Run {
    /// The figures.
    pub sample: Sample,
    /// How it ended.
    pub exit: Exit,
    /// Everything that it wrote to standard output, as an unlinked file at its start.
    pub stdout: File,
    /// The same for standard error.
    pub stderr: File,
}

/// Runs a variant once and waits for its end, at most `limit`.
///
/// The two output streams go to unlinked temporary files: a pipe would make the program wait for its reader, and
/// `/dev/null` is a special case to some programs.
///
/// # Errors
/// [`Error::Start`] when the program cannot be executed, [`Error::Timeout`], [`Error::System`], [`Error::File`].
/// An exit status other than the expected one is no error here.
pub fn run(variant: &Variant, limit: Duration) -> Result<Run, Error> {
    let stdout = tempfile::tempfile()?;
    let stderr = tempfile::tempfile()?;
    let mut command = variant.command();
    command.stdin(match &variant.stdin {
        Some(file) => Stdio::from(fs_err::File::open(file)?.into_parts().0),
        None => Stdio::null(),
    });
    command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are allowed; it makes one
    // system call and neither allocates nor locks. A refusal is noticed later, by the missing stop at exec.
    unsafe {
        command.pre_exec(|| {
            let _ = ptrace::traceme();
            Ok(())
        });
    }

    let start = Instant::now();
    let child =
        command.spawn().map_err(|source| Error::Start { program: variant.program.clone(), source })?;
    let watchdog = Watchdog::start(&child, limit)?;
    let ended = follow(Pid::from_raw(child.id().cast_signed()), start)?;
    if watchdog.stop() {
        return Err(Error::Timeout { variant: variant.name.clone(), limit });
    }

    let (mut stdout, mut stderr) = (stdout, stderr);
    stdout.seek(SeekFrom::Start(0))?;
    stderr.seek(SeekFrom::Start(0))?;
    let mut text = Vec::new();
    stderr.read_to_end(&mut text)?;
    stderr.seek(SeekFrom::Start(0))?;
    let mut sample = ended.sample;
    sample.metrics = metrics(&String::from_utf8_lossy(&text));
    Ok(Run { sample, exit: ended.exit, stdout, stderr })
}

struct Ended {
    sample: Sample,
    exit: Exit,
}

/// Waits for the process through its two stops and reaps it.
fn follow(pid: Pid, start: Instant) -> Result<Ended, Error> {
    let system = |doing| move |errno: nix::errno::Errno| Error::System { doing, source: errno.into() };
    let mut sample = Sample::default();
    let mut held = Duration::ZERO;
    let mut options_set = false;
    loop {
        let (status, usage) =
            wait(pid).map_err(|source| Error::System { doing: "wait for the program", source })?;
        let stopped = Instant::now();
        let forward = match status {
            WaitStatus::Exited(_, code) => {
                return Ok(finish(sample, usage, stopped - start, held, Exit::Status(code)));
            }
            WaitStatus::Signaled(_, signal, _) => {
                return Ok(finish(sample, usage, stopped - start, held, Exit::Signal(signal)));
            }
            // The stop at exec, the first thing that a traced process does.
            WaitStatus::Stopped(_, Signal::SIGTRAP) if !options_set => {
                let options = ptrace::Options::PTRACE_O_TRACEEXIT
                    | ptrace::Options::PTRACE_O_TRACEEXEC
                    | ptrace::Options::PTRACE_O_EXITKILL;
                ptrace::setoptions(pid, options).map_err(system("set the trace options"))?;
                options_set = true;
                None
            }
            WaitStatus::PtraceEvent(_, _, event) => {
                if event == libc::PTRACE_EVENT_EXIT {
                    (sample.peak_bytes, sample.final_bytes) = memory(pid);
                }
                None
            }
            WaitStatus::Stopped(_, signal) => Some(signal),
            _ => None,
        };
        held += stopped.elapsed();
        match ptrace::cont(pid, forward) {
            // Killed while it was stopped: the next wait tells how it ended.
            Ok(()) | Err(nix::errno::Errno::ESRCH) => {}
            Err(errno) => return Err(system("let the program go on")(errno)),
        }
    }
}

fn finish(mut sample: Sample, usage: libc::rusage, wall: Duration, held: Duration, exit: Exit) -> Ended {
    sample.wall_seconds = wall.saturating_sub(held).as_secs_f64();
    sample.user_seconds = seconds(usage.ru_utime);
    sample.system_seconds = seconds(usage.ru_stime);
    sample.minor_faults = usage.ru_minflt.cast_unsigned();
    sample.major_faults = usage.ru_majflt.cast_unsigned();
    sample.voluntary_switches = usage.ru_nvcsw.cast_unsigned();
    Ended { sample, exit }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

/// `wait4` on one process: the only call that tells the resources of exactly that process.
fn wait(pid: Pid) -> io::Result<(WaitStatus, libc::rusage)> {
    let mut status = 0;
    // SAFETY: `rusage` is a plain structure of integers, for which all zeroes are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable values of the types that the call fills in.
        let reaped = unsafe { libc::wait4(pid.as_raw(), &raw mut status, libc::__WALL, &raw mut usage) };
        if reaped == pid.as_raw() {
            return Ok((WaitStatus::from_raw(pid, status)?, usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Peak and last resident size of a process that is stopped, in bytes; none for what the kernel does not tell.
fn memory(pid: Pid) -> (Option<u64>, Option<u64>) {
    let read = |file: &str| fs_err::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let peak = kibibytes(&read("status"), "VmHWM");
    let rollup = read("smaps_rollup");
    let last = kibibytes(&rollup, "Rss")
        .map(|resident| resident.saturating_sub(kibibytes(&rollup, "LazyFree").unwrap_or(0)));
    (peak, last)
}

/// The value of a line `KEY:   123 kB`, in bytes.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The lines `metric NAME VALUE` of a program's stderr.
fn metrics(stderr: &str) -> std::collections::BTreeMap<String, f64> {
    let line = |line: &str| {
        let (name, value) = line.strip_prefix("metric ")?.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    stderr.lines().filter_map(line).collect()
}

/// Kills a process that runs too long.
struct Watchdog {
    done: Sender<()>,
    thread: std::thread::JoinHandle<bool>,
}

impl Watchdog {
    fn start(child: &Child, limit: Duration) -> Result<Self, Error> {
        // A handle instead of a number: the number may belong to another process by the time it is used.
        let handle = rustix::process::pidfd_open(
            rustix::process::Pid::from_child(child),
            rustix::process::PidfdFlags::empty(),
        )
        .map_err(|errno| Error::System { doing: "open a handle to the program", source: errno.into() })?;
        let (done, wait): (Sender<()>, Receiver<()>) = channel();
        let thread = std::thread::spawn(move || {
            let late = wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if late {
                let _ = rustix::process::pidfd_send_signal(handle, rustix::process::Signal::KILL);
            }
            late
        });
        Ok(Self { done, thread })
    }

    /// Whether it had to kill.
    fn stop(self) -> bool {
        drop(self.done);
        self.thread.join().expect("the watchdog does not panic")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_tables_are_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t  12 kB\n";
        assert_eq!(kibibytes(status, "VmHWM"), Some(1234 * 1024));
        assert_eq!(kibibytes(status, "VmPeak"), None);
        assert_eq!(kibibytes("VmHWM: many kB\n", "VmHWM"), None);
        assert_eq!(kibibytes(&format!("Rss: {} kB\n", u64::MAX), "Rss"), None);
    }

    #[test]
    fn metrics_are_told_from_other_talk() {
        let found =
            metrics("hello\nmetric operations_per_second 12.5e6\nmetric broken\nmetric also broken\n");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [("operations_per_second".to_owned(), 12.5e6)]);
    }
}
