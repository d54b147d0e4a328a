//! Runs a program in a root of its own and watches it.

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use brawn_trace::Family;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::process::pidfd_send_signal;
use serde::{Deserialize, Serialize};

use crate::root::Root;
use crate::sandbox::{How, Plan, Step};
use crate::trace::{Access, Watched, watch};
use crate::{Entries, Error};

/// How often it is looked whether a run is to be given up.
const LOOK: Duration = Duration::from_millis(20);

/// The user that an image's program runs as, where nothing else is asked for.
pub const NONROOT: u32 = 65532;

/// What is run, and in what kind of root.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub executable: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Its environment, besides `PATH` and `HOME`.
    pub environment: Vec<(OsString, OsString)>,
    /// What the root holds besides the executable.
    pub entries: Entries,
    /// User and group that it runs as.
    pub user: (u32, u32),
    /// Whether `/proc`, `/sys`, `/dev`, `/etc/resolv.conf` and `/etc/hosts` are there, as a container runtime would
    /// have it.
    pub runtime: bool,
    /// How long it may run. A server never ends by itself.
    pub limit: Duration,
    /// Becomes true when the run is to be given up. The program is in a process group of its own, so that a key on the
    /// terminal ends it only by way of this.
    pub interrupt: Arc<AtomicBool>,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// How it got its root: `a mount namespace`, `a user namespace` or `chroot`.
    pub root: String,
    /// Whether what a container runtime provides was there.
    pub runtime: bool,
    /// How it ended.
    pub end: End,
    /// What it looked for, by path.
    pub accesses: Vec<Access>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum End {
    /// It exited.
    Exited {
        /// Its status.
        status: i32,
    },
    /// A signal ended it.
    Killed {
        /// The signal's name, such as `SIGILL`.
        signal: String,
    },
    /// It was still running when its time was up.
    StillRunning,
}

impl End {
    fn from_status(status: i32) -> End {
        if libc::WIFEXITED(status) {
            return End::Exited { status: libc::WEXITSTATUS(status) };
        }
        let number = libc::WTERMSIG(status);
        let name =
            Signal::try_from(number).map_or_else(|_| format!("signal {number}"), |signal| signal.to_string());
        End::Killed { signal: name }
    }

    /// Whether the program did not fail.
    pub fn is_ok(&self) -> bool {
        matches!(self, End::Exited { status: 0 } | End::StillRunning)
    }
}

/// What it did, to follow the word *it*.
impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exited { status } => write!(f, "exited with status {status}"),
            End::Killed { signal } => write!(f, "was killed by {signal}"),
            End::StillRunning => f.write_str("was still running when its time was up"),
        }
    }
}

/// Runs the program and watches what it looks for. Its output goes to standard error, where talk belongs; it reads from
/// nothing.
///
/// # Errors
/// [`Error::NoRoot`] when the kernel gives this user no root of its own, [`Error::TraceRefused`], [`Error::System`],
/// [`Error::File`], [`Error::Interrupted`].
pub fn run(program: &Program) -> Result<Run, Error> {
    run_by(program, &How::candidates())
}

/// The same, by the first of these ways that the kernel allows.
///
/// # Errors
/// Those of [`run()`].
pub fn run_by(program: &Program, ways: &[How]) -> Result<Run, Error> {
    let mut refusals = Vec::new();
    for &how in ways {
        let root = Root::build(&program.executable, &program.entries, program.runtime && how != How::Chroot)?;
        root.seal(how.owns_the_root())?;
        let attempt = run_in(program, how, &root);
        root.remove()?;
        match attempt? {
            Ok((watched, in_time)) => {
                let end = if in_time { End::from_status(watched.status) } else { End::StillRunning };
                return Ok(Run {
                    root: how.to_string(),
                    runtime: program.runtime && how != How::Chroot,
                    end,
                    accesses: watched.accesses,
                });
            }
            Err((Step::Trace, _)) => return Err(Error::TraceRefused),
            Err((step, error)) => {
                refusals.push(format!("{how}: cannot {step}: {error}"));
            }
        }
    }
    Err(Error::NoRoot { reason: refusals.join("; ") })
}

/// The outer error ends everything, the inner one only this way of getting a root.
type Attempt = Result<(Watched, bool), (Step, std::io::Error)>;

fn run_in(program: &Program, how: How, root: &Root) -> Result<Attempt, Error> {
    let failed = |doing: &str| {
        let doing = doing.to_owned();
        move |source: std::io::Error| Error::System { doing, source }
    };
    let plan = Plan::new(how, root, program.user, program.runtime).map_err(failed("prepare the root"))?;
    let (mut tell, told) = pipe().map_err(failed("make a pipe"))?;
    let mut command = Command::new(&root.program);
    command.args(&program.arguments).env_clear();
    command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/");
    command.envs(program.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(stderr()?);
    // Whatever the program leaves behind dies with it, as in a container.
    let (_family, launch) =
        Family::begin(&mut command).map_err(failed("take in what a program leaves behind"))?;
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are allowed; it makes system
    // calls and neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            // A session of its own: no terminal, and no way into the process group of this process.
            if libc::setsid() < 0 {
                return Err(std::io::Error::last_os_error());
            }
            plan.enter().map_err(|(step, error)| {
                let number = step as u8;
                libc::write(told.as_raw_fd(), (&raw const number).cast(), 1);
                error
            })
        });
    }
    let path = root.path().to_owned();
    let (started_tell, started) = channel();
    let (ended_tell, ended) = channel();
    // `ptrace` serves only the thread that started the program.
    let tracer = std::thread::spawn(move || match launch.spawn(&mut command) {
        Ok(begun) => {
            let pid = Pid::from_raw(begun.pid);
            let _ = started_tell.send(Ok(begun.handle));
            let _ = ended_tell.send(watch(pid, &path));
            let _ = killpg(pid, Signal::SIGKILL);
        }
        Err(error) => {
            drop(command);
            let _ = started_tell.send(Err(error));
        }
    });
    let begun = started.recv().expect("the tracer always answers");
    let handle = match begun {
        Ok(begun) => begun,
        Err(error) => {
            let _ = tracer.join();
            let mut number = [0];
            let step = tell.read(&mut number).ok().filter(|read| *read == 1);
            return match step.and_then(|_| Step::ALL.get(usize::from(number[0])).copied()) {
                Some(step) => Ok(Err((step, error))),
                None => Err(failed(&format!("start {}", program.executable.display()))(error)),
            };
        }
    };
    let (result, in_time) = match within(program, &ended) {
        Ok(result) => (result, true),
        Err(RecvTimeoutError::Timeout) => {
            let _ = pidfd_send_signal(&handle, rustix::process::Signal::KILL);
            (ended.recv().unwrap_or(Err(Error::TraceRefused)), false)
        }
        Err(RecvTimeoutError::Disconnected) => (Err(Error::TraceRefused), true),
    };
    let _ = tracer.join();
    if program.interrupt.load(Ordering::Relaxed) {
        return Err(Error::Interrupted);
    }
    Ok(Ok((result?, in_time)))
}

/// What was watched, unless the program's time is up before, or the run is given up.
fn within<T>(program: &Program, ended: &Receiver<T>) -> Result<T, RecvTimeoutError> {
    let begun = Instant::now();
    loop {
        let left = program.limit.saturating_sub(begun.elapsed());
        match ended.recv_timeout(left.min(LOOK)) {
            Err(RecvTimeoutError::Timeout)
                if left > Duration::ZERO && !program.interrupt.load(Ordering::Relaxed) => {}
            other => return other,
        }
    }
}

/// A pipe whose ends no program inherits: what is read, and where the child writes.
fn pipe() -> std::io::Result<(fs_err::File, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    Ok((fs_err::File::from_parts(read.into(), Path::new("pipe")), write))
}

fn stderr() -> Result<Stdio, Error> {
    Ok(Stdio::from(std::io::stderr().as_fd().try_clone_to_owned()?))
}

/// Whether the kernel lets a program be traced, found out by doing it: this executable is started, stopped at its first
/// instruction, and killed.
///
/// # Errors
/// What the kernel said.
pub fn can_trace() -> std::io::Result<()> {
    let trial = std::thread::spawn(|| {
        let mut command = trial_command();
        // SAFETY: one system call between fork and exec.
        unsafe { command.pre_exec(|| nix::sys::ptrace::traceme().map_err(Into::into)) };
        let mut child = command.spawn()?;
        let pid = Pid::from_raw(child.id().cast_signed());
        let stopped = nix::sys::wait::waitpid(pid, Some(nix::sys::wait::WaitPidFlag::WUNTRACED));
        let traced = matches!(stopped, Ok(nix::sys::wait::WaitStatus::Stopped(_, Signal::SIGTRAP)));
        let _ = child.kill().and_then(|()| child.wait());
        if traced { Ok(()) } else { Err(std::io::Error::other("a traced program does not stop")) }
    });
    trial.join().unwrap_or_else(|_| Err(std::io::Error::other("the trial failed")))
}

/// The ways in which this user could get a root of its own, and whether the kernel allows each, found out by doing it.
pub fn ways() -> Vec<(How, std::io::Result<()>)> {
    How::candidates().into_iter().map(|how| (how, allows(how))).collect()
}

fn allows(how: How) -> std::io::Result<()> {
    let root =
        Root::build(Path::new("/proc/self/exe"), &Entries::new(), false).map_err(std::io::Error::other)?;
    let plan = Plan::new(how, &root, (NONROOT, NONROOT), false)?;
    let mut command = trial_command();
    // SAFETY: system calls only between fork and exec; the last step ends it before the exec.
    unsafe {
        command.pre_exec(move || {
            plan.enter_only().map_err(|(_, error)| error)?;
            Err(std::io::Error::from_raw_os_error(libc::ECANCELED))
        });
    }
    match command.spawn() {
        Err(error) if error.raw_os_error() == Some(libc::ECANCELED) => Ok(()),
        Err(error) => Err(error),
        Ok(mut child) => child.kill().and_then(|()| child.wait()).map(drop),
    }
}

fn trial_command() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
