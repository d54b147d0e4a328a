//! Counting system calls, in a run of its own: every call stops the program twice, so its time means nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use nix::sys::ptrace;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::Conditions;
use super::run::{Streams, watch};
use super::stops::{Change, Until, go_on, set_options, wait};
use super::tracer::Tracee;
use crate::{Error, Variant};

/// `ptrace` request that tells what a stop at a system call is about, on every architecture alike (Linux 5.3).
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;

/// Offset of the call's number in what that request fills in.
const NUMBER_AT: usize = 24;

/// How often a program and its children made each system call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemCalls {
    /// By the call's number, which differs between architectures.
    pub by_number: BTreeMap<libc::c_long, u64>,
}

impl SystemCalls {
    /// All calls together.
    pub fn total(&self) -> u64 {
        self.by_number.values().sum()
    }

    /// How often one call was made: `libc::SYS_mmap` and the like.
    pub fn of(&self, number: libc::c_long) -> u64 {
        self.by_number.get(&number).copied().unwrap_or(0)
    }
}

/// Runs a variant once and counts the system calls that it, its threads and its children make, from the return of its
/// `execve` on.
///
/// # Errors
/// [`Error::TraceRefused`] where `ptrace` is not allowed, [`Error::Start`], [`Error::Timeout`],
/// [`Error::Interrupted`], [`Error::System`], [`Error::File`].
pub fn count_system_calls(variant: &Variant, conditions: &Conditions) -> Result<SystemCalls, Error> {
    let streams = Streams::open(&conditions.scratch)?;
    let command = streams.attach(variant.command(), variant.stdin.as_deref())?;
    let tracee = Tracee::start(&variant.program, command, conditions, |main, _| count(main))?;
    let until = Instant::now() + conditions.limit;
    let unwatched = Conditions { timeline: None, ..conditions.clone() };
    watch(&tracee, until, &unwatched, None, &mut Vec::new())?
        .ok_or_else(|| Error::Timeout { variant: variant.name.clone(), limit: conditions.limit })
}

fn count(main: Pid) -> Result<SystemCalls, Error> {
    let mut calls = SystemCalls::default();
    let mut known = BTreeSet::new();
    loop {
        let (pid, change, _) =
            wait().map_err(|source| Error::System { doing: "wait for the program", source })?;
        let forward = match change {
            Change::Ended(_) if pid == main => {
                return if known.contains(&main) { Ok(calls) } else { Err(Error::TraceRefused) };
            }
            Change::Ended(_) => continue,
            Change::SystemCall => {
                if let Some(number) = entered(pid) {
                    *calls.by_number.entry(number).or_default() += 1;
                }
                0
            }
            // The stop at exec, the first thing that a traced process does.
            Change::Stopped(libc::SIGTRAP) if known.is_empty() => {
                set_options(
                    pid,
                    ptrace::Options::PTRACE_O_TRACESYSGOOD
                        | ptrace::Options::PTRACE_O_TRACECLONE
                        | ptrace::Options::PTRACE_O_TRACEFORK
                        | ptrace::Options::PTRACE_O_TRACEVFORK
                        | ptrace::Options::PTRACE_O_TRACEEXEC,
                )?;
                known.insert(pid);
                0
            }
            // The first stop of a thread or child.
            Change::Stopped(libc::SIGSTOP) if known.insert(pid) => 0,
            Change::Stopped(signal) => signal,
            Change::Event(_) | Change::Other => 0,
        };
        go_on(pid, Until::SystemCall, forward)?;
    }
}

/// The number of the system call that a stopped thread is about to make; none when it comes back from one.
fn entered(pid: Pid) -> Option<libc::c_long> {
    let mut information = [0u8; 88];
    // SAFETY: the kernel writes at most as many bytes as it is told there are.
    let length = unsafe {
        libc::ptrace(GET_SYSCALL_INFO as _, pid.as_raw(), information.len(), information.as_mut_ptr())
    };
    let is_entry = information[0] == 1;
    let number = information.get(NUMBER_AT..NUMBER_AT + 8)?.try_into().ok()?;
    (usize::try_from(length).ok()? >= NUMBER_AT + 8 && is_entry).then(|| libc::c_long::from_ne_bytes(number))
}
