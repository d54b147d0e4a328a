//! What one pool does: everything that a block needs to know, and nothing about engines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use brawn_measure::{Conditions, Output, Reader, Service, Variant, limits, units};
use brawn_tune::candidate::Candidate;
use brawn_tune::job::{Job, PORT, ready};
use brawn_tune::load::{read_metrics, stop_signal};
use brawn_tune::race::Role;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::spec::{OutputRule, Server};

/// The folder below the root in which programs run, with the files that they need.
pub const WORK: &str = "work";

/// The work of every block of a pool, as JSON. Paths are relative to the root that the engine unpacks to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Task {
    /// The fleet.
    pub fleet: String,
    /// The pool.
    pub pool: String,
    /// Where the order in a block comes from, together with the block's index.
    pub seed: u64,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Variables of its environment.
    pub env: BTreeMap<String, String>,
    /// Its standard input, in [`WORK`].
    pub stdin: Option<String>,
    /// Whether it runs in [`WORK`] itself, and not in a copy.
    pub in_place: bool,
    /// The exit status that means success.
    pub status: i32,
    /// How outputs must agree.
    pub output: OutputRule,
    /// Lines with this text are not compared.
    pub ignore_lines: Option<String>,
    /// Longest time of a run, in seconds.
    pub run_limit: Option<f64>,
    /// Memory that a candidate may hold, in bytes.
    pub memory: Option<u64>,
    /// Cores that the block itself holds a candidate to; none where the engine does.
    pub cores: Option<f64>,
    /// How a server is driven.
    pub server: Option<Server>,
    /// Name of the candidate that is used now.
    pub reference: String,
    /// What is compared.
    pub candidates: Vec<Program>,
}

/// An executable among the files of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The candidate's name.
    pub name: String,
    /// Where it is, below the root.
    pub path: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub digest: String,
    /// Variables that it alone has.
    pub knobs: BTreeMap<String, String>,
}

/// Where a block runs.
#[derive(Clone, Debug)]
pub struct Place {
    /// What the task's paths are relative to.
    pub root: PathBuf,
    /// For outputs, and copies of the folder to run in.
    pub scratch: PathBuf,
    /// This executable, which has a load for servers built in.
    pub brawn: PathBuf,
    /// Ends everything.
    pub interrupt: Arc<AtomicBool>,
}

impl Task {
    /// The task as the runner of `tune` knows it.
    ///
    /// # Errors
    /// [`Error::Tune`], [`Error::Measure`]: a place to be ready at, or cores, that are not there.
    pub fn job(&self, place: &Place) -> Result<Job, Error> {
        let folder = place.root.join(WORK);
        let (cores, quota) = self.cpus()?;
        let called = Variant {
            args: self.args.iter().map(Into::into).collect(),
            env: self.env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            stdin: self.stdin.as_ref().map(|stdin| folder.join(stdin)),
            expected_status: self.status,
            service: self.server.as_ref().map(|server| service(server, place)).transpose()?,
            reader: self.server.as_ref().map(|_| read_metrics as Reader),
            ..Variant::default()
        };
        Ok(Job {
            workloads: vec![called],
            ready: self.server.as_ref().map(|server| server.ready.clone()),
            folder,
            fresh_copy: !self.in_place,
            setup: None,
            check: None,
            output: match self.output {
                OutputRule::Exact => Output::Exact,
                OutputRule::Sorted => Output::SortedLines,
                OutputRule::Ignore => Output::Unchecked,
            },
            ignored_lines: self.ignore_lines.clone(),
            run_limit: self.run_limit.map(Duration::from_secs_f64),
            conditions: Conditions {
                memory: self.memory,
                cores,
                quota,
                scratch: place.scratch.clone(),
                interrupt: Some(Arc::clone(&place.interrupt)),
                ..Conditions::default()
            },
        })
    }

    /// The candidates, the one that is used now first, where their files are.
    pub fn programs(&self, root: &Path) -> Vec<Candidate> {
        let mut programs: Vec<Candidate> = Vec::new();
        for program in &self.candidates {
            let is_now = program.name == self.reference;
            let role = if is_now { Role::Now } else { Role::Candidate };
            let mut candidate = Candidate::executable(&program.name, role, root.join(&program.path));
            candidate.env = program.knobs.clone().into_iter().collect();
            programs.insert(if is_now { 0 } else { programs.len() }, candidate);
        }
        programs
    }

    /// Whole cores are cores; a fraction is a share of time.
    fn cpus(&self) -> Result<(Vec<usize>, Option<f64>), Error> {
        let Some(wanted) = self.cores else { return Ok((Vec::new(), None)) };
        if wanted.fract() != 0.0 {
            return Ok((Vec::new(), Some(wanted)));
        }
        let allowed = limits::allowed_cores()?;
        if wanted > allowed.len() as f64 {
            return Err(Error::Cores { pool: self.pool.clone(), wanted, there: allowed.len() as f64 });
        }
        Ok((allowed.into_iter().take(wanted as usize).collect(), None))
    }
}

fn service(server: &Server, place: &Place) -> Result<Service, Error> {
    let seconds = |text: &Option<String>, otherwise: f64| {
        text.as_deref().map_or(Ok(Duration::from_secs_f64(otherwise)), units::time).map_err(Error::units)
    };
    let url = server.url.as_ref().unwrap_or(&server.ready);
    let client = match server.client.split_first() {
        Some((program, args)) => Variant::new("client", place.root.join(WORK).join(program)).args(args),
        None => Variant::new("client", &place.brawn).args([
            "tune-load",
            url,
            &server.connections.unwrap_or(16).to_string(),
            &seconds(&server.load_time, 2.0)?.as_secs_f64().to_string(),
        ]),
    };
    let ready = ready(&server.ready.replace(PORT, "1"))?;
    Ok(Service {
        ready_limit: seconds(&server.ready_limit, 30.0)?,
        idle: Some(seconds(&server.idle, 1.0)?),
        stop: stop_signal(server.stop.as_deref().unwrap_or("TERM")).map_err(Error::units)?,
        with_children: server.with_children,
        ..Service::new(ready, client)
    })
}
