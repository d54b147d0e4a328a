//! Array jobs, through the user's `sbatch`: an array for each pool, a task for each block.

use std::path::{Path, PathBuf};

use brawn_collect::block::END;
use brawn_image::layer::{Entries, Entry};

use super::state::State;
use crate::Error;
use crate::fleet::{Fleet, Planned, pod_memory};
use crate::record::Record;
use crate::spec::Slurm;
use crate::tool::{self, quoted};

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
                if log.exists() && brawn_base::file::text(&log)?.contains(END) {
                    state.done += 1;
                }
            }
            let queued = jobs.get(place).map_or(Ok(Vec::new()), |job| queued(job))?;
            for (task, why) in &queued {
                match task.as_str() {
                    "PENDING" => *state.waiting.entry(why.clone()).or_default() += 1,
                    _ => state.active += 1,
                }
            }
            let there = u32::try_from(queued.len()).unwrap_or(u32::MAX);
            state.failed = pool.blocks.saturating_sub(state.done).saturating_sub(there);
            Ok(state)
        })
        .collect()
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

/// Takes a fleet out of the queue, and removes its folder.
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
    Ok(())
}

fn remove(folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    Ok(())
}
