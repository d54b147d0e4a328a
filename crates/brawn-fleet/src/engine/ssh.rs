//! A list of machines, through the user's `ssh`: one block at a time on each.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use brawn_collect::block::END;
use brawn_image::layer::{Entries, Entry};

use crate::Error;
use crate::fleet::{Fleet, Planned};
use crate::record::Record;
use crate::spec::{Spec, Ssh};
use crate::tool::{self, quoted};

/// How often a block is tried on machines that fail.
const TRIES: u32 = 3;

/// What is told while blocks run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// A block of this pool ended on this host with an answer.
    Done(&'a str, &'a str),
    /// It failed there; why.
    Failed(&'a str, &'a str, String),
}

/// Sends everything to all machines.
///
/// # Errors
/// [`Error::NoTool`], [`Error::Engine`] when a machine cannot be reached or takes no files: then none has any.
pub fn send(fleet: &Fleet, settings: &Ssh) -> Result<(), Error> {
    let mut tasks = Entries::from([("scratch".to_owned(), Entry::directory(0o700, 0))]);
    for planned in &fleet.pools {
        let task = serde_json::to_vec(&fleet.task(planned)?).expect("a task is plain data");
        tasks.insert(format!("task-{}.json", planned.pool.name), Entry::file(task));
    }
    let archive = fleet.pack.archive(tasks)?;
    let folder = quoted(&folder(settings, &fleet.id));
    let unpack = format!("mkdir -p {folder} && tar -xf - -C {folder}");
    let hosts = hosts(&fleet.spec);
    each(&hosts, |host| call(settings, host, &unpack, &archive).map(drop)).inspect_err(|_| {
        // Those that are not reached have nothing.
        let _ = delete(settings, &fleet.id, &hosts);
    })
}

/// Runs all blocks of all pools, and waits for them. Their logs go to the record's folder; the machines are left as they were.
///
/// # Errors
/// [`Error::NoTool`], [`Error::Io`]; [`Error::Engine`] when a machine cannot be cleared.
pub fn run(
    fleet: &Fleet,
    settings: &Ssh,
    record: &Record,
    interrupt: &AtomicBool,
    on: &(dyn Fn(Step<'_>) + Sync),
) -> Result<(), Error> {
    let folder = quoted(&folder(settings, &fleet.id));
    let folder = folder.as_str();
    let ran = std::thread::scope(|scope| {
        let pools: Vec<_> = fleet
            .pools
            .iter()
            .map(|planned| scope.spawn(move || pool(planned, settings, folder, record, interrupt, on)))
            .collect();
        pools.into_iter().try_for_each(|pool| pool.join().expect("a pool does not panic"))
    });
    ran.and(delete(settings, &fleet.id, &hosts(&fleet.spec)))
}

/// All machines of a fleet.
pub fn hosts(spec: &Spec) -> Vec<&String> {
    spec.pools.iter().flat_map(|pool| &pool.hosts).collect()
}

/// Removes the fleet's folder from these machines.
///
/// # Errors
/// [`Error::NoTool`], [`Error::Engine`].
pub fn delete(settings: &Ssh, id: &str, hosts: &[&String]) -> Result<(), Error> {
    let remove = format!("rm -rf {}", quoted(&folder(settings, id)));
    each(hosts, |host| call(settings, host, &remove, b"").map(drop))
}

/// Where a fleet is on a machine; without a folder, in the home that `ssh` begins in.
fn folder(settings: &Ssh, id: &str) -> String {
    let own = format!("brawn-fleet-{id}");
    settings.folder.as_ref().map_or(own.clone(), |folder| format!("{folder}/{own}"))
}

/// All blocks of one pool.
fn pool(
    planned: &Planned,
    settings: &Ssh,
    folder: &str,
    record: &Record,
    interrupt: &AtomicBool,
    on: &(dyn Fn(Step<'_>) + Sync),
) -> Result<(), Error> {
    let name = &planned.pool.name;
    let waiting: Mutex<VecDeque<(u32, u32)>> =
        Mutex::new((0..planned.blocks).map(|index| (index, 0)).collect());
    let waiting = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
    each(&planned.pool.hosts.iter().collect::<Vec<_>>(), |host| {
        while !interrupt.load(Ordering::Relaxed) {
            // Not in the loop's head, where the lock would be held to the block's end.
            let next = waiting().pop_front();
            let Some((index, attempt)) = next else { break };
            let words = format!(
                "cd {folder} && exec ./brawn fleet block --scratch scratch --task task-{name}.json --index {index} \
                 --attempt {attempt} --node {}",
                quoted(host)
            );
            let output = tool::run("ssh", arguments(settings, host, &words), b"")?;
            let log = record.logs().join(format!("{name}-{index}-{attempt}.log"));
            let printed = String::from_utf8_lossy(&output.stdout);
            brawn_measure::write_whole(&log, &printed)?;
            if output.status.success() && printed.contains(END) {
                on(Step::Done(name, host));
                continue;
            }
            on(Step::Failed(name, host, tool::said(&output)));
            if attempt + 1 < TRIES {
                waiting().push_back((index, attempt + 1));
            }
            if output.status.code() == Some(UNREACHABLE) {
                break;
            }
        }
        Ok(())
    })
}

/// The status of `ssh` itself, where that of the command is not to be had.
const UNREACHABLE: i32 = 255;

/// Does the same for each host, side by side. The first failure, after all have ended.
fn each(hosts: &[&String], what: impl Fn(&String) -> Result<(), Error> + Sync) -> Result<(), Error> {
    let mut hosts = hosts.to_vec();
    hosts.sort();
    hosts.dedup();
    std::thread::scope(|scope| {
        let what = &what;
        let threads: Vec<_> = hosts.into_iter().map(|host| scope.spawn(move || what(host))).collect();
        let ends: Vec<_> =
            threads.into_iter().map(|thread| thread.join().expect("a host does not panic")).collect();
        ends.into_iter().collect()
    })
}

fn call(settings: &Ssh, host: &str, command: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
    let output = tool::run("ssh", arguments(settings, host, command), input)?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(Error::Engine { tool: format!("ssh {host}"), said: tool::said(&output) }),
    }
}

fn arguments(settings: &Ssh, host: &str, command: &str) -> Vec<String> {
    // No one answers questions for many machines.
    let own = ["-o", "BatchMode=yes"].map(str::to_owned);
    let rest = ["--", host, command].map(str::to_owned);
    own.into_iter().chain(settings.options.clone()).chain(rest).collect()
}
