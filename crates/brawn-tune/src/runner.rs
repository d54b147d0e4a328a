//! One run of one candidate, with everything around it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use brawn_base::text;
use brawn_measure::probe::{self, Run, SystemCalls};
use brawn_measure::service::free_port;
use brawn_measure::{Conditions, Exit, Output, Reference, Sample, Variant, limits};
use brawn_trace::Scratch;

use crate::candidate::Candidate;
use crate::failure::Failure;
use crate::job::{Job, PORT, copy_folder, ready, replace};
use crate::links::Links;
use crate::trace::{self, Trace};
use crate::{Error, Stage};

/// What takes so many times as long as what is used now is given up.
const PATIENCE: f64 = 8.0;
/// But nothing is given up before this.
const LEAST_PATIENCE: Duration = Duration::from_secs(10);
/// What is used now may take this long, unless the user says otherwise.
const FIRST_LIMIT: Duration = Duration::from_secs(600);

/// What copies of the folder to run in are called. What a killed run left under this name is removed by the next.
const COPY: &str = "brawn-tune-copy-";

/// Runs candidates.
pub struct Runner<'a> {
    job: &'a Job,
    /// What links them.
    pub links: &'a mut Links,
    /// What the first good run of each workload printed, and which candidate that was.
    references: Vec<Option<(Candidate, Reference)>>,
    /// The candidate with the first good run, and how long its longest run took.
    first: Option<(String, Duration)>,
    /// The executables that have run.
    read: BTreeSet<PathBuf>,
    /// Seconds in which a candidate ran, and seconds that all took with what is around them.
    ran: Duration,
    started: Instant,
}

/// What stands in a run's folder until its end.
struct Place {
    folder: PathBuf,
    _copy: Option<Scratch>,
}

impl<'a> Runner<'a> {
    /// A runner for the job.
    ///
    /// # Errors
    /// A quota that this machine refuses.
    pub fn new(job: &'a Job, links: &'a mut Links) -> Result<Self, Error> {
        // What is refused shall be known before anything is linked.
        job.conditions.quota.map(limits::quota).transpose()?;
        Ok(Self {
            job,
            links,
            references: job.workloads.iter().map(|_| None).collect(),
            first: None,
            read: BTreeSet::new(),
            ran: Duration::ZERO,
            started: Instant::now(),
        })
    }

    /// The share of the time so far in which neither a candidate ran nor anything was linked: what the runner itself, setup
    /// and checks cost.
    pub fn overhead(&self) -> f64 {
        let all = self.started.elapsed().as_secs_f64();
        if all > 0.0 { 1.0 - ((self.ran.as_secs_f64() + self.links.seconds) / all).min(1.0) } else { 0.0 }
    }

    /// Makes sure that the candidate to which others are compared prints the same a second time.
    fn does_not_vary(&mut self, workload: usize) -> Result<(), Error> {
        let Some((candidate, _)) = &self.references[workload] else { return Ok(()) };
        let candidate = candidate.clone();
        let Ok(run) = self.attempt(&candidate, workload, self.job.conditions.memory)? else { return Ok(()) };
        let Some((_, reference)) = &self.references[workload] else { return Ok(()) };
        match reference.compare("the second run", run.stdout) {
            Ok(()) => Ok(()),
            Err(brawn_measure::Error::OutputDiffers { line, expected, found, .. }) => {
                let shown =
                    |lines: &[String]| lines.first().cloned().unwrap_or_else(|| "(nothing more)".into());
                let difference =
                    format!("line {line} is `{}` once and `{}` then", shown(&expected), shown(&found));
                Err(Error::OutputVaries { name: candidate.name, difference })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Counts a candidate's system calls over all workloads; none where they cannot be counted, where that takes a run longer
    /// than `limit`, and of servers, whose clients decide.
    ///
    /// # Errors
    /// As [`Stage::run`].
    pub fn system_calls(
        &mut self,
        candidate: &Candidate,
        limit: Duration,
    ) -> Result<Option<SystemCalls>, Error> {
        if self.job.ready.is_some() {
            return Ok(None);
        }
        let (mut all, begun) = (SystemCalls::new(), Instant::now());
        for workload in &self.job.workloads {
            let place = self.place(candidate)?;
            let variant = self.variant(candidate, workload, &place)?;
            let limit = limit.saturating_sub(begun.elapsed());
            let conditions = Conditions { limit, ..self.conditions(None) };
            match probe::count_system_calls(&variant, &conditions) {
                Ok(calls) => {
                    for (number, count) in calls {
                        *all.entry(number).or_default() += count;
                    }
                }
                Err(brawn_measure::Error::Interrupted) => return Err(Error::Interrupted),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// What the program allocates in its first workload, on the heap that counts. None where that run failed, or took longer
    /// than `limit`.
    ///
    /// # Errors
    /// As [`Stage::run`].
    pub fn trace(&mut self, counting: &Candidate, limit: Duration) -> Result<Option<Trace>, Error> {
        let (Some(workload), place) = (self.job.workloads.first(), self.place(counting)?) else {
            return Ok(None);
        };
        let file =
            tempfile::Builder::new().prefix("brawn-trace-").tempfile_in(&self.job.conditions.scratch)?;
        file.as_file().set_len(trace::FILE_BYTES as u64)?;
        let variant = self.variant(counting, workload, &place)?.env(trace::VARIABLE, file.path());
        let conditions = Conditions { limit, ..self.conditions(None) };
        match probe::run_under(&variant, &conditions) {
            Ok(_) => {}
            Err(brawn_measure::Error::Interrupted) => return Err(Error::Interrupted),
            Err(_) => return Ok(None),
        }
        Ok(Trace::read(&brawn_base::file::read(file.path(), trace::FILE_BYTES as u64)?))
    }

    fn attempt(
        &mut self,
        candidate: &Candidate,
        workload: usize,
        memory: Option<u64>,
    ) -> Result<Result<Run, Failure>, Error> {
        let place = self.place(candidate)?;
        let variant = self.variant(candidate, &self.job.workloads[workload], &place)?;
        let conditions = self.conditions(memory);
        if self.read.insert(variant.program.clone()) {
            probe::read_afresh(&variant.program);
        }
        let start = Instant::now();
        let run = probe::run_under(&variant, &conditions);
        self.ran += start.elapsed();
        let mut run = match run {
            Ok(run) => run,
            Err(error) => return self.failure(error, &conditions),
        };
        if run.exit != Exit::Status(variant.expected_status) {
            let said = text::wrote(&probe::last_lines(&run.stderr)?);
            let text = format!("ended with {}, expected status {}{said}", run.exit, variant.expected_status);
            return Ok(Err(Failure::Ended(text)));
        }
        match self.checked(&place, candidate, &mut run)? {
            Some(failure) => Ok(Err(failure)),
            None => Ok(Ok(run)),
        }
    }

    /// Whose fault it was: a candidate's, or no one's.
    fn failure(
        &self,
        error: brawn_measure::Error,
        conditions: &Conditions,
    ) -> Result<Result<Run, Failure>, Error> {
        use brawn_measure::Error as Bench;
        if self.job.conditions.is_interrupted() {
            return Err(Error::Interrupted);
        }
        let seconds = conditions.limit.as_secs_f64();
        Ok(Err(match error {
            Bench::Interrupted => return Err(Error::Interrupted),
            Bench::OverLimit { limit, peak, .. } => Failure::OverLimit { limit, peak },
            Bench::Timeout { .. } if self.job.run_limit.is_some() => Failure::TimedOut(seconds),
            Bench::Timeout { .. } => Failure::TooSlow(seconds),
            Bench::Exit { exit, expected, stderr, .. } => Failure::Ended(format!(
                "ended with {exit}, expected status {expected}{}",
                text::wrote(&stderr)
            )),
            error @ (Bench::Client { .. }
            | Bench::NotReady { .. }
            | Bench::NotStopped { .. }
            | Bench::Metrics { .. }) => Failure::Service(error.to_string()),
            error => return Err(error.into()),
        }))
    }

    fn conditions(&self, memory: Option<u64>) -> Conditions {
        let automatic =
            self.first.as_ref().map_or(FIRST_LIMIT, |(_, first)| first.mul_f64(PATIENCE).max(LEAST_PATIENCE));
        Conditions {
            limit: self.job.run_limit.unwrap_or(automatic),
            memory,
            pace: true,
            ..self.job.conditions.clone()
        }
    }

    /// Where a candidate runs next, as the setup command leaves it.
    fn place(&self, candidate: &Candidate) -> Result<Place, Error> {
        let mut place = Place { folder: self.job.folder.clone(), _copy: None };
        if self.job.fresh_copy {
            let copy = Scratch::create(&self.job.conditions.scratch, COPY)?;
            place.folder = copy.path().join(self.job.folder.file_name().unwrap_or(OsStr::new("copy")));
            copy_folder(&self.job.folder, &place.folder)?;
            place._copy = Some(copy);
        }
        if let Some(setup) = &self.job.setup {
            let output = self.shell(setup, &place, candidate).stdin(Stdio::null()).output()?;
            if !output.status.success() {
                return Err(Error::Setup { status: output.status.to_string(), stderr: tail(&output.stderr) });
            }
        }
        Ok(place)
    }

    fn checked(&self, place: &Place, candidate: &Candidate, run: &mut Run) -> Result<Option<Failure>, Error> {
        let Some(check) = &self.job.check else { return Ok(None) };
        run.stdout.seek(SeekFrom::Start(0))?;
        let output = self.shell(check, place, candidate).stdin(run.stdout.try_clone()?).output()?;
        run.stdout.seek(SeekFrom::Start(0))?;
        let said = [tail(&output.stderr), tail(&output.stdout)].into_iter().find(|text| !text.is_empty());
        Ok((!output.status.success()).then(|| {
            Failure::Check(format!(
                "the check ended with {}{}",
                output.status,
                text::wrote(&said.unwrap_or_default())
            ))
        }))
    }

    fn shell(&self, text: &str, place: &Place, candidate: &Candidate) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]).current_dir(&place.folder).env("BRAWN_TUNE_CANDIDATE", &candidate.name);
        if let Some(program) = &candidate.program {
            command.env("BRAWN_TUNE_PROGRAM", program);
        }
        command
    }

    fn variant(&self, candidate: &Candidate, workload: &Variant, place: &Place) -> Result<Variant, Error> {
        let mut variant = Variant {
            name: candidate.name.clone(),
            program: candidate.program.clone().unwrap_or_default(),
            current_dir: Some(place.folder.clone()),
            ..workload.clone()
        };
        variant.env.extend(candidate.env.iter().map(|(name, value)| (name.into(), value.into())));
        let port = match &self.job.ready {
            Some(_) => free_port()?.to_string(),
            None => String::new(),
        };
        replace(&mut variant.args, PORT, &port);
        if let (Some(service), Some(text)) = (&mut variant.service, &self.job.ready) {
            service.ready = ready(&text.replace(PORT, &port))?;
            replace(&mut service.client.args, PORT, &port);
        }
        Ok(variant)
    }
}

impl Stage for Runner<'_> {
    fn run(&mut self, candidate: &Candidate, workload: usize) -> Result<Result<Sample, Failure>, Error> {
        let run = match self.attempt(candidate, workload, self.job.conditions.memory)? {
            Ok(run) => run,
            Err(failure) => return Ok(Err(failure)),
        };
        let wall = Duration::from_secs_f64(run.sample.wall_seconds);
        match &mut self.first {
            Some((name, longest)) if *name == candidate.name => *longest = wall.max(*longest),
            Some(_) => {}
            first => *first = Some((candidate.name.clone(), wall)),
        }
        if self.job.ready.is_some() || self.job.output == Output::Unchecked {
            return Ok(Ok(run.sample));
        }
        let Some((_, reference)) = &self.references[workload] else {
            let ignored = self.job.ignored_lines.as_deref();
            let reference = Reference::new(&candidate.name, self.job.output, ignored, run.stdout)?;
            self.references[workload] = Some((candidate.clone(), reference));
            return Ok(Ok(run.sample));
        };
        match reference.compare(&candidate.name, run.stdout) {
            Ok(()) => Ok(Ok(run.sample)),
            Err(error @ brawn_measure::Error::OutputDiffers { .. }) => {
                self.does_not_vary(workload)?;
                Ok(Err(Failure::Output(error.to_string())))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn peak_without_limit(&mut self, candidate: &Candidate) -> Result<Option<u64>, Error> {
        let mut largest = None;
        for workload in 0..self.job.workloads.len() {
            match self.attempt(candidate, workload, None)? {
                Ok(run) => largest = largest.max(run.sample.peak_bytes),
                Err(_) => return Ok(None),
            }
        }
        Ok(largest)
    }

    fn link(&mut self, candidate: &mut Candidate) -> Result<Result<(), Failure>, Error> {
        self.links.link(candidate)
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The last lines of what a command wrote.
fn tail(bytes: &[u8]) -> String {
    text::tail(&String::from_utf8_lossy(bytes), 5)
}
