//! Array jobs, through the user's `sbatch`: an array for each pool, a task for each block.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use brawn_collect::Error as CollectError;
use brawn_collect::block::END;
use brawn_collect::source::{Files, Source};
use brawn_image::layer::{Entries, Entry};

use super::state::State;
use crate::Error;
use crate::fleet::{Fleet, Planned, pod_memory};
use crate::last_words;
use crate::record::Record;
use crate::spec::Slurm;
use crate::tool::{self, quoted};

/// How long tasks may take to end after `scancel`: a queue gives them half a minute before it kills.
const ENDING: Duration = Duration::from_secs(120);
/// What `slurmstepd` says in a task's log when it, or the kernel, killed it for its memory.
const KILLED: [&str; 3] = ["exceeded memory limit", "oom_kill event", "oom-kill event"];

/// Queues an array job for each pool: all of them, or none. Their logs go to a folder that all nodes see.
///
/// # Errors
/// [`Error::NoTool`], [`Error::Engine`], [`Error::Io`].
pub fn start(fleet: &Fleet, settings: &Slurm, record: &Record) -> Result<(), Error> {
    let folder = folder(settings, &fleet.id);
    let mut more = Entries::from([("logs".to_owned(), Entry::directory(0o755, 0))]);
    for planned in &fleet.pools {
        let task = serde_json::to_vec(&fleet.task(planned)?).expect("a task is plain data");
        more.insert(format!("task-{}.json", planned.pool.name), Entry::file(task));
    }
    let mut jobs = Vec::new();
    let queued = fleet.pack.unpack(more, &folder).and_then(|()| {
        fleet.pools.iter().try_for_each(|planned| {
            jobs.push(submit(fleet, planned, settings, &folder)?);
            record.keep_jobs(&jobs)
        })
    });
    queued.map_err(|failed| match cancel(&jobs).and_then(|()| remove(&folder)) {
        Ok(()) => failed,
        Err(left) => {
            Error::Left { failed: failed.to_string(), said: left.to_string(), folder: record.folder.clone() }
        }
    })
}

/// Where a fleet is.
pub fn folder(settings: &Slurm, id: &str) -> PathBuf {
    settings.folder.join(format!("brawn-fleet-{id}"))
}

/// What the queue calls the job of a pool.
fn submit(fleet: &Fleet, planned: &Planned, settings: &Slurm, folder: &Path) -> Result<String, Error> {
    let pool = &planned.pool.name;
    let last = planned.blocks - 1;
    let mut args = vec![
        "--parsable".to_owned(),
        format!("--job-name=brawn-fleet-{}-{pool}", fleet.id),
        format!("--array=0-{last}"),
        format!("--output={}/logs/{pool}-%a.log", folder.display()),
        format!("--chdir={}", folder.display()),
        // Blocks would disturb each other, and others them, on one node. What the user gives comes later and wins.
        "--exclusive".to_owned(),
        // What was preempted, or lost its node, is tried again, and its log goes on where it ended.
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
    ];
    args.extend(planned.cores.map(|cores| format!("--cpus-per-task={}", cores.ceil())));
    args.extend(planned.memory.map(|bytes| format!("--mem={}K", pod_memory(bytes).div_ceil(1024))));
    args.extend(settings.sbatch.iter().chain(&planned.pool.sbatch).cloned());
    let brawn = quoted(&folder.join("brawn").display().to_string());
    let script = format!("#!/bin/sh\nexec {brawn} fleet block --task task-{pool}.json\n");
    let output = tool::run("sbatch", &args, script.as_bytes())?;
    if !output.status.success() {
        return Err(Error::Engine { tool: "sbatch".into(), said: tool::said(&output) });
    }
    // `ID` or, on several clusters, `ID;CLUSTER`.
    let printed = String::from_utf8_lossy(&output.stdout);
    Ok(printed.trim().split(';').next().unwrap_or_default().to_owned())
}

/// How far each pool is: by what the queue still has, and by the logs that are there.
///
/// # Errors
/// [`Error::NoTool`], [`Error::Io`], [`Error::NoFleet`].
pub fn status(settings: &Slurm, record: &Record) -> Result<Vec<State>, Error> {
    let logs = folder(settings, &record.plan.id).join("logs");
    if !logs.exists() {
        return Err(Error::NoFleet { id: record.plan.id.clone() });
    }
    let jobs = record.jobs()?;
    record
        .plan
        .pools
        .iter()
        .enumerate()
        .map(|(place, pool)| {
            let mut state = State { pool: pool.name.clone(), blocks: pool.blocks, ..State::default() };
            for index in 0..pool.blocks {
                let log = logs.join(format!("{}-{index}.log", pool.name));
                if log.exists()
                    && heeded(&brawn_base::file::read(&log, brawn_base::file::OBJECT)?).contains(END)
                {
                    state.done += 1;
                }
            }
            let queued = jobs.get(place).map_or(Ok(Vec::new()), |job| queued(job))?;
            // Whether one that is ending has an answer stands in its log.
            for (task, why) in queued.iter().filter(|(task, _)| task != "COMPLETING") {
                match task.as_str() {
                    "PENDING" => *state.waiting.entry(why.clone()).or_default() += 1,
                    _ => state.active += 1,
                }
            }
            let there = state.active + state.waiting.values().sum::<u32>();
            state.failed = pool.blocks.saturating_sub(state.done).saturating_sub(there);
            Ok(state)
        })
        .collect()
}

/// The logs of a fleet's tasks, with the last words of those that were killed for their memory.
#[derive(Debug)]
pub struct Logs(Files);

impl Logs {
    /// Of the fleet with this identifier.
    pub fn new(settings: &Slurm, id: &str) -> Self {
        Self(Files(vec![folder(settings, id).join("logs")]))
    }
}

impl Source<Error> for Logs {
    fn each(
        &mut self,
        take: &mut dyn FnMut(&mut dyn BufRead) -> Result<(), CollectError>,
    ) -> Result<(), Error> {
        self.0.each(&mut |log| {
            let mut bytes = Vec::new();
            log.read_to_end(&mut bytes)?;
            take(&mut heeded(&bytes).as_bytes())
        })
    }
}

/// A task's log, with its last words as a block where it was killed for its memory before it had an answer.
fn heeded(log: &[u8]) -> String {
    let log = String::from_utf8_lossy(log).into_owned();
    let killed = |line: &str| line.contains("slurmstepd") && KILLED.iter().any(|words| line.contains(words));
    if !log.contains(END) && log.lines().any(killed) { last_words::heeded(&log) } else { log }
}

/// State and reason of each task of a job that has not ended. The queue forgets jobs that have.
fn queued(job: &str) -> Result<Vec<(String, String)>, Error> {
    let args = ["--noheader", "--array", "--format=%T %r", &format!("--jobs={job}")];
    let output = tool::run("squeue", args, b"")?;
    if !output.status.success() && !tool::said(&output).contains("Invalid job id") {
        return Err(Error::Engine { tool: "squeue".into(), said: tool::said(&output) });
    }
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(lines
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(task, why)| (task.into(), why.into()))
        .collect())
}

/// Takes a fleet out of the queue, waits until none of its tasks runs, and removes its folder.
///
/// # Errors
/// [`Error::NoTool`], [`Error::Engine`], [`Error::Io`].
pub fn delete(settings: &Slurm, record: &Record) -> Result<(), Error> {
    cancel(&record.jobs()?)?;
    remove(&folder(settings, &record.plan.id))
}

fn cancel(jobs: &[String]) -> Result<(), Error> {
    if jobs.is_empty() {
        return Ok(());
    }
    let output = tool::run("scancel", jobs, b"")?;
    if !output.status.success() && !tool::said(&output).contains("Invalid job id") {
        return Err(Error::Engine { tool: "scancel".into(), said: tool::said(&output) });
    }
    // They write to the fleet's folder until they have ended.
    let begun = Instant::now();
    for job in jobs {
        while !queued(job)?.is_empty() {
            if begun.elapsed() > ENDING {
                let said = format!("job {job} is cancelled, and does not end");
                return Err(Error::Engine { tool: "scancel".into(), said });
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use brawn_collect::block::Block;
    use brawn_collect::log::read_all;

    use super::*;

    #[test]
    fn only_who_was_killed_for_memory_has_last_words() {
        let last = Block { fleet: "f".into(), pool: "p".into(), ..Block::default() };
        let blocks = |said: &str| {
            let log = format!("{}{said}\n", last_words::line(&last));
            read_all(heeded(log.as_bytes()).as_bytes()).blocks
        };
        let limit =
            "slurmstepd: error: StepId=13.batch exceeded memory limit (290639872 > 104857600), being killed";
        let kernel = "slurmstepd: error: Detected 1 oom_kill event in StepId=4.batch. Some of the step tasks have been OOM Killed.";
        assert_eq!([blocks(limit), blocks(kernel)], [[last.clone()], [last.clone()]]);
        let cancelled = "slurmstepd: error: *** JOB 13 ON n1 CANCELLED AT 2026-11-26T01:56:52 ***";
        assert_eq!(blocks(cancelled), []);
    }
}
