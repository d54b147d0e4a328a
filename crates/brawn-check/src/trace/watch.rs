//! Follows a program and its children from `exec` to the end.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use brawn_trace::call::{Call, call};
use brawn_trace::stops::{Change, Until, every_call, go_on, set_options, wait};
use nix::unistd::Pid;

use super::calls::{Access, Operation, Wanted, wanted};
use crate::Error;

/// No more different things than this are kept.
const MOST_ACCESSES: usize = 20_000;

/// A program that has been watched to its end.
#[derive(Debug)]
pub(crate) struct Watched {
    /// As `wait` tells it.
    pub status: i32,
    pub accesses: Vec<Access>,
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
        let (pid, change, _) = wait().map_err(failed("wait for the program"))?;
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
                match call(pid) {
                    Some(Call::Enter(number, arguments)) => {
                        if let Some(wanted) = wanted(pid, number, &arguments, root) {
                            pending.insert(pid, wanted);
                        }
                    }
                    Some(Call::Leave(result)) => {
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
                set_options(pid, every_call()).map_err(failed("set the trace options"))?;
                known.insert(pid, ());
                0
            }
            // The first stop of a thread or child.
            Change::Stopped(libc::SIGSTOP) if known.insert(pid, ()).is_none() => 0,
            Change::Stopped(signal) => signal,
            Change::Event(_) | Change::Other => 0,
        };
        go_on(pid, Until::SystemCall, forward).map_err(failed("let the program go on"))?;
    }
}
