//! Follows a program and its children from `exec` to the end.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use brawn_trace::call::{Call, call};
use brawn_trace::stops::{Change, Until, every_call, follow};
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
    let mut accesses: BTreeMap<(String, Operation, Option<i32>), u64> = BTreeMap::new();
    let mut pending: HashMap<Pid, Wanted> = HashMap::new();
    let followed = follow(main, every_call(), Until::SystemCall, |pid, change| match change {
        Change::Ended(_) => drop(pending.remove(&pid)),
        Change::SystemCall => match call(pid) {
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
        },
        _ => {}
    });
    let followed =
        followed.map_err(|source| Error::System { doing: "follow the program".to_owned(), source })?;
    if !followed.traced {
        return Err(Error::TraceRefused);
    }
    let access = |((target, operation, error), count)| Access { target, operation, error, count };
    Ok(Watched { status: followed.status, accesses: accesses.into_iter().map(access).collect() })
}
