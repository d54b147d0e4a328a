//! Follows a program and its children from `exec` to the end.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use nix::sys::ptrace;
use nix::unistd::Pid;

use super::calls::{Access, Operation, Wanted, wanted};
use super::stops::{Change, go_on, wait};
use crate::Error;

/// `ptrace` request that tells what a stop at a system call is about, on every architecture alike (Linux 5.3).
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;

/// What that request fills in: a kind, then from this offset on numbers of 8 bytes.
const NUMBERS_AT: usize = 24;

/// No more different things than this are kept.
const MOST_ACCESSES: usize = 20_000;

/// A program that has been watched to its end.
#[derive(Debug)]
pub(crate) struct Watched {
    /// As `wait` tells it.
    pub status: i32,
    pub accesses: Vec<Access>,
}

enum Stop {
    Enter(libc::c_long, [u64; 6]),
    Leave(i64),
}

/// Watches the process `main`, which has asked to be traced by this thread, until it ends. `root` is its root as this
/// process sees it.
pub(crate) fn watch(main: Pid, root: &Path) -> Result<Watched, Error> {
    let failed = |doing: &str| {
        let doing = doing.to_owned();
        move |source: io::Error| Error::System { doing, source }
    };
    let mut accesses: BTreeMap<(String, Operation, Option<i32>), u64> = BTreeMap::new();
    let mut pending: HashMap<Pid, Wanted> = HashMap::new();
    let mut known: HashMap<Pid, ()> = HashMap::new();
    loop {
        let (pid, change) = wait().map_err(failed("wait for the program"))?;
        let forward = match change {
            Change::Ended(status) if pid == main => {
                if !known.contains_key(&main) {
                    return Err(Error::TraceRefused);
                }
                let access = |((target, operation, error), count)| Access { target, operation, error, count };
                return Ok(Watched { status, accesses: accesses.into_iter().map(access).collect() });
            }
            Change::Ended(_) => {
                pending.remove(&pid);
                known.remove(&pid);
                continue;
            }
            Change::SystemCall => {
                match stop(pid) {
                    Some(Stop::Enter(number, arguments)) => {
                        if let Some(wanted) = wanted(pid, number, &arguments, root) {
                            pending.insert(pid, wanted);
                        }
                    }
                    Some(Stop::Leave(result)) => {
                        if let Some(wanted) = pending.remove(&pid) {
                            let error = i32::try_from(-result).ok().filter(|error| (1..4096).contains(error));
                            // A connection that takes its time is none that failed.
                            let error = error.filter(|error| *error != libc::EINPROGRESS);
                            let key = (wanted.target, wanted.operation, error);
                            if accesses.len() < MOST_ACCESSES || accesses.contains_key(&key) {
                                *accesses.entry(key).or_default() += 1;
                            }
                        }
                    }
                    None => {}
                }
                0
            }
            // The stop at exec, the first thing that a traced process does.
            Change::Stopped(libc::SIGTRAP) if known.is_empty() => {
                let options = ptrace::Options::PTRACE_O_TRACESYSGOOD
                    | ptrace::Options::PTRACE_O_TRACECLONE
                    | ptrace::Options::PTRACE_O_TRACEFORK
                    | ptrace::Options::PTRACE_O_TRACEVFORK
                    | ptrace::Options::PTRACE_O_TRACEEXEC
                    | ptrace::Options::PTRACE_O_EXITKILL;
                match ptrace::setoptions(pid, options) {
                    Ok(()) | Err(nix::errno::Errno::ESRCH) => {}
                    Err(error) => return Err(failed("set the trace options")(error.into())),
                }
                known.insert(pid, ());
                0
            }
            // The first stop of a thread or child.
            Change::Stopped(libc::SIGSTOP) if known.insert(pid, ()).is_none() => 0,
            Change::Stopped(signal) => signal,
            Change::Other => 0,
        };
        go_on(pid, forward).map_err(failed("let the program go on"))?;
    }
}

/// What a stop at a system call is about.
fn stop(pid: Pid) -> Option<Stop> {
    let mut information = [0u8; 88];
    // SAFETY: the kernel writes at most as many bytes as it is told there are.
    let length = unsafe {
        libc::ptrace(GET_SYSCALL_INFO as _, pid.as_raw(), information.len(), information.as_mut_ptr())
    };
    let length = usize::try_from(length).ok()?;
    let number = |index: usize| -> Option<u64> {
        let at = NUMBERS_AT + 8 * index;
        let bytes = information.get(at..at + 8).filter(|_| length >= at + 8)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    };
    match information[0] {
        1 => {
            let mut arguments = [0; 6];
            for (index, argument) in arguments.iter_mut().enumerate() {
                *argument = number(index + 1)?;
            }
            Some(Stop::Enter(libc::c_long::try_from(number(0)?).ok()?, arguments))
        }
        2 => Some(Stop::Leave(number(0)?.cast_signed())),
        _ => None,
    }
}
