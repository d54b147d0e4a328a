//! Counting system calls, in a run of its own: every call stops the program twice, so its time means nothing.

use std::collections::BTreeMap;
use std::time::Instant;

use brawn_trace::call::{Call, call};
use brawn_trace::stops::{Change, Until, every_call, follow};
use nix::unistd::Pid;

use super::Conditions;
use super::run::{Streams, watch};
use super::tracer::Tracee;
use crate::{Error, Variant};

/// How often a program and its children made each system call, by the call's number, which differs between architectures.
pub type SystemCalls = BTreeMap<libc::c_long, u64>;

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
    let mut calls = SystemCalls::new();
    let followed = follow(main, every_call(), Until::SystemCall, |pid, change| {
        if change == Change::SystemCall
            && let Some(Call::Enter(number, _)) = call(pid)
        {
            *calls.entry(number).or_default() += 1;
        }
    });
    match followed.map_err(Error::system("follow the program"))?.traced {
        true => Ok(calls),
        false => Err(Error::TraceRefused),
    }
}
