//! Counting system calls, in a run of its own: every call stops the program twice, so its time means nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use brawn_trace::call::{Call, call};
use brawn_trace::stops::{Change, Until, every_call, go_on, set_options, wait};
use nix::unistd::Pid;

use super::Conditions;
use super::run::{Streams, watch};
use super::tracer::Tracee;
use crate::{Error, Variant};

/// How often a program and its children made each system call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        let (pid, change, _) = wait().map_err(Error::system("wait for the program"))?;
        let forward = match change {
            Change::Ended(_) if pid == main => {
                return if known.contains(&main) { Ok(calls) } else { Err(Error::TraceRefused) };
            }
            Change::Ended(_) => continue,
            Change::SystemCall => {
                if let Some(Call::Enter(number, _)) = call(pid) {
                    *calls.by_number.entry(number).or_default() += 1;
                }
                0
            }
            // The stop at exec, the first thing that a traced process does.
            Change::Stopped(libc::SIGTRAP) if known.is_empty() => {
                set_options(pid, every_call()).map_err(Error::system("set the trace options"))?;
                known.insert(pid);
                0
            }
            // The first stop of a thread or child.
            Change::Stopped(libc::SIGSTOP) if known.insert(pid) => 0,
            Change::Stopped(signal) => signal,
            Change::Event(_) | Change::Other => 0,
        };
        go_on(pid, Until::SystemCall, forward).map_err(Error::system("let the program go on"))?;
    }
}
