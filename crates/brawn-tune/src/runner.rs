//! One run of one candidate, with everything around it.

use std::ffi::OsStr;
use std::io::{Seek, SeekFrom};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use brawn_bench::limits::Quota;
use brawn_bench::probe::{self, Conditions, Run, SystemCalls};
use brawn_bench::service::free_port;
use brawn_bench::{Client, Exit, Output, Ready, Reference, Sample, Service, Variant};

use crate::candidate::Candidate;
use crate::failure::Failure;
use crate::job::{Job, Load, PORT, Server, Workload, copy_folder, replaced};
use crate::load::read_metrics;
use crate::trace::{self, Trace};
use crate::{Error, Stage};

/// What takes so many times as long as what is used now is given up.
const PATIENCE: f64 = 8.0;
/// But nothing is given up before this.
const LEAST_PATIENCE: Duration = Duration::from_secs(10);
/// What is used now may take this long, unless the user says otherwise.
const FIRST_LIMIT: Duration = Duration::from_secs(600);

/// Runs candidates.
pub struct Runner<'a> {
    job: &'a Job,
    quota: Option<Arc<Quota>>,
    /// What the first good run of each workload printed, and which candidate that was.
    references: Vec<Option<(Candidate, Reference)>>,
    /// The candidate with the first good run, and how long its longest run took.
    first: Option<(String, Duration)>,
    /// Seconds in which a candidate ran, and seconds that all took with what is around them.
    ran: Duration,
    started: Instant,
}

/// What stands in a run's folder until its end.
struct Place {
    folder: PathBuf,
    _copy: Option<tempfile::TempDir>,
}

impl<'a> Runner<'a> {
    /// A runner for the job.
    ///
    /// # Errors
    /// A quota that this machine refuses.
    pub fn new(job: &'a Job) -> Result<Self, Error> {
        Ok(Self {
            job,
            quota: job.quota.map(|cores| Quota::create(cores).map(Arc::new)).transpose()?,
            references: job.workloads.iter().map(|_| None).collect(),
            first: None,
            ran: Duration::ZERO,
            started: Instant::now(),
        })
    }

    /// The share of the time so far in which no candidate ran: what the runner itself, setup and checks cost.
    pub fn overhead(&self) -> f64 {
        let all = self.started.elapsed().as_secs_f64();
        if all > 0.0 { 1.0 - (self.ran.as_secs_f64() / all).min(1.0) } else { 0.0 }
    }

    /// Runs a candidate once, and compares what it prints with what the first one printed.
    ///
    /// # Errors
    /// What is no candidate's fault, and [`Error::Interrupted`].
    pub fn run(&mut self, candidate: &Candidate, workload: usize) -> Result<Result<Sample, Failure>, Error> {
        let run = match self.attempt(candidate, workload, self.job.memory)? {
            Ok(run) => run,
            Err(failure) => return Ok(Err(failure)),
        };
        let wall = Duration::from_secs_f64(run.sample.wall_seconds);
        match &mut self.first {
            Some((name, longest)) if *name == candidate.name => *longest = wall.max(*longest),
            Some(_) => {}
            first => *first = Some((candidate.name.clone(), wall)),
        }
        if self.job.server.is_some() || self.job.output == Output::Unchecked {
            return Ok(Ok(run.sample));
        }
        let Some((_, reference)) = &self.references[workload] else {
            let reference = self.reference(candidate, run.stdout)?;
            self.references[workload] = Some((candidate.clone(), reference));
            return Ok(Ok(run.sample));
        };
        match reference.compare(&candidate.name, run.stdout) {
            Ok(()) => Ok(Ok(run.sample)),
            Err(error @ brawn_bench::Error::OutputDiffers { .. }) => {
                self.does_not_vary(workload)?;
                Ok(Err(Failure::Output(error.to_string())))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes sure that the candidate to which others are compared prints the same a second time.
    fn does_not_vary(&mut self, workload: usize) -> Result<(), Error> {
        let Some((candidate, _)) = &self.references[workload] else { return Ok(()) };
        let candidate = candidate.clone();
        let Ok(run) = self.attempt(&candidate, workload, self.job.memory)? else { return Ok(()) };
        let Some((_, reference)) = &self.references[workload] else { return Ok(()) };
        match reference.compare("the second run", run.stdout) {
            Ok(()) => Ok(()),
            Err(brawn_bench::Error::OutputDiffers { line, expected, found, .. }) => {
                let shown =
                    |lines: &[String]| lines.first().cloned().unwrap_or_else(|| "(nothing more)".into());
                let difference =
                    format!("line {line} is `{}` once and `{}` then", shown(&expected), shown(&found));
                Err(Error::OutputVaries { name: candidate.name, difference })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The peak of a candidate without the memory limit; none when it fails for another reason.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn peak_without_limit(&mut self, candidate: &Candidate) -> Result<Option<u64>, Error> {
        let mut largest = None;
        for workload in 0..self.job.workloads.len() {
            match self.attempt(candidate, workload, None)? {
                Ok(run) => largest = largest.max(run.sample.peak_bytes),
                Err(_) => return Ok(None),
            }
        }
        Ok(largest)
    }

    /// Counts a candidate's system calls over all workloads; none where they cannot be counted, and of servers, whose
    /// clients decide.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn system_calls(&mut self, candidate: &Candidate) -> Result<Option<SystemCalls>, Error> {
        if self.job.server.is_some() {
            return Ok(None);
        }
        let mut all = SystemCalls::default();
        for workload in &self.job.workloads {
            let place = self.place()?;
            self.setup(&place, candidate)?;
            let variant = self.variant(candidate, workload, &place, None)?;
            let mut conditions = self.conditions(None);
            // Stopped at every call, a program takes many times as long.
            conditions.limit = conditions.limit.max(Duration::from_secs(60));
            match probe::count_system_calls(&variant, &conditions) {
                Ok(calls) => {
                    for (number, count) in calls.by_number {
                        *all.by_number.entry(number).or_default() += count;
                    }
                }
                Err(brawn_bench::Error::Interrupted) => return Err(Error::Interrupted),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// What the program allocates in its first workload, on the heap that counts. None where that run failed.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn trace(&mut self, counting: &Candidate) -> Result<Option<Trace>, Error> {
        let (Some(workload), place) = (self.job.workloads.first(), self.place()?) else { return Ok(None) };
        self.setup(&place, counting)?;
        let port = match &self.job.server {
            Some(_) => Some(free_port()?),
            None => None,
        };
        let mut file = tempfile::Builder::new().prefix("brawn-trace-").tempfile_in(&self.job.scratch)?;
        file.as_file().set_len(trace::FILE_BYTES as u64)?;
        let variant = self.variant(counting, workload, &place, port)?.env(trace::VARIABLE, file.path());
        let mut conditions = self.conditions(None);
        conditions.limit = conditions.limit.max(Duration::from_secs(60));
        match probe::run_under(&variant, &conditions) {
            Ok(_) => {}
            Err(brawn_bench::Error::Interrupted) => return Err(Error::Interrupted),
            Err(_) => return Ok(None),
        }
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes)?;
        Ok(Trace::read(&bytes))
    }

    fn reference(&self, candidate: &Candidate, stdout: std::fs::File) -> Result<Reference, Error> {
        let ignored = self.job.ignored_lines.as_deref();
        Ok(Reference::new(&candidate.name, self.job.output, ignored, stdout)?)
    }

    fn attempt(
        &mut self,
        candidate: &Candidate,
        workload: usize,
        memory: Option<u64>,
    ) -> Result<Result<Run, Failure>, Error> {
        let place = self.place()?;
        self.setup(&place, candidate)?;
        let port = match &self.job.server {
            Some(_) => Some(free_port()?),
            None => None,
        };
        let variant = self.variant(candidate, &self.job.workloads[workload], &place, port)?;
        let conditions = self.conditions(memory);
        let start = Instant::now();
        let run = probe::run_under(&variant, &conditions);
        self.ran += start.elapsed();
        let mut run = match run {
            Ok(run) => run,
            Err(error) => return self.failure(error, &conditions),
        };
        if run.exit != Exit::Status(self.job.status) {
            let said = last_lines(&mut run.stderr)?;
            let text = format!("ended with {}, expected status {}{said}", run.exit, self.job.status);
            return Ok(Err(Failure::Ended(text)));
        }
        match self.checked(&place, candidate, &mut run)? {
            Some(failure) => Ok(Err(failure)),
            None => Ok(Ok(run)),
        }
    }

    /// Whose fault it was: a candidate's, or nobody's.
    fn failure(
        &self,
        error: brawn_bench::Error,
        conditions: &Conditions,
    ) -> Result<Result<Run, Failure>, Error> {
        use brawn_bench::Error as Bench;
        if self.job.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let seconds = conditions.limit.as_secs_f64();
        Ok(Err(match error {
            Bench::Interrupted => return Err(Error::Interrupted),
            Bench::OverLimit { limit, peak, .. } => Failure::OverLimit { limit, peak },
            Bench::Timeout { .. } if self.job.run_limit.is_some() => Failure::TimedOut(seconds),
            Bench::Timeout { .. } => Failure::TooSlow(seconds),
            Bench::Exit { exit, expected, stderr, .. } => {
                Failure::Ended(format!("ended with {exit}, expected status {expected}{}", quoted(&stderr)))
            }
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
            cores: self.job.cores.clone(),
            quota: self.quota.clone(),
            memory,
            scratch: self.job.scratch.clone(),
            interrupt: Some(Arc::clone(&self.job.interrupt)),
            ..Conditions::new(self.job.run_limit.unwrap_or(automatic))
        }
    }

    fn place(&self) -> Result<Place, Error> {
        if !self.job.fresh_copy {
            return Ok(Place { folder: self.job.folder.clone(), _copy: None });
        }
        let copy = tempfile::Builder::new().prefix("brawn-tune-").tempdir_in(&self.job.scratch)?;
        let folder = copy.path().join(self.job.folder.file_name().unwrap_or(OsStr::new("copy")));
        copy_folder(&self.job.folder, &folder)?;
        Ok(Place { folder, _copy: Some(copy) })
    }

    fn setup(&self, place: &Place, candidate: &Candidate) -> Result<(), Error> {
        let Some(setup) = &self.job.setup else { return Ok(()) };
        let output = self.shell(setup, place, candidate).stdin(Stdio::null()).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(Error::Setup { status: output.status.to_string(), stderr: tail(&output.stderr) })
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
                quoted(&said.unwrap_or_default())
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

    fn variant(
        &self,
        candidate: &Candidate,
        workload: &Workload,
        place: &Place,
        port: Option<u16>,
    ) -> Result<Variant, Error> {
        let program = candidate.program.as_deref().unwrap_or(Path::new(""));
        let port = port.map_or(String::new(), |port| port.to_string());
        let mut variant = Variant::new(&candidate.name, program)
            .args(workload.args.iter().map(|arg| replaced(arg, PORT, &port)))
            .current_dir(&place.folder)
            .expect_status(self.job.status);
        for (key, value) in &workload.env {
            variant = variant.env(key, value);
        }
        if let Some(stdin) = &self.job.stdin {
            variant = variant.stdin(stdin);
        }
        if let Some(server) = &self.job.server {
            variant = variant.service(service(server, &port)?).read_metrics(read_metrics);
        }
        Ok(variant)
    }
}

impl Stage for Runner<'_> {
    fn run(&mut self, candidate: &Candidate, workload: usize) -> Result<Result<Sample, Failure>, Error> {
        Runner::run(self, candidate, workload)
    }

    fn peak_without_limit(&mut self, candidate: &Candidate) -> Result<Option<u64>, Error> {
        Runner::peak_without_limit(self, candidate)
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A server as `bench` drives it.
fn service(server: &Server, port: &str) -> Result<Service, Error> {
    let fill = |text: &str| text.replace(PORT, port);
    let client = match &server.load {
        Load::Command(text) => Client::new("/bin/sh").args(["-c", &fill(text)]),
        Load::BuiltIn { client: (program, args), url, connections, seconds } => {
            Client::new(program).args(args).args([fill(url), connections.to_string(), seconds.to_string()])
        }
    };
    let mut service = Service::new(ready(&fill(&server.ready))?, client).idle(server.idle).stop(server.stop);
    service.ready_limit = server.ready_limit;
    service.with_children = server.with_children;
    Ok(service)
}

/// What `--ready` says: a URL, a port, `HOST:PORT`, or `line:TEXT`.
///
/// # Errors
/// [`Error::Ready`].
pub fn ready(text: &str) -> Result<Ready, Error> {
    let wrong = |what: &str| Error::Ready { given: text.to_owned(), what: what.to_owned() };
    if let Some(line) = text.strip_prefix("line:") {
        return if line.is_empty() {
            Err(wrong("the line is empty"))
        } else {
            Ok(Ready::Line(line.to_owned()))
        };
    }
    if let Ok(port) = text.parse::<u16>() {
        return if port == 0 { Err(wrong("0 is no port")) } else { Ok(Ready::port(port)) };
    }
    if text.starts_with("https://") {
        return Err(wrong("only plain HTTP is understood"));
    }
    let Some(rest) = text.strip_prefix("http://") else {
        return Ok(Ready::Tcp(address(text).ok_or_else(|| wrong("it is neither a URL nor a port"))?));
    };
    let (host, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
    let place = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let address = address(&place).ok_or_else(|| wrong("there is no such host"))?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok(Ready::Http { address, path })
}

fn address(text: &str) -> Option<SocketAddr> {
    text.to_socket_addrs().ok()?.next()
}

fn last_lines(file: &mut std::fs::File) -> Result<String, Error> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    std::io::Read::read_to_end(file, &mut bytes)?;
    Ok(quoted(&tail(&bytes)))
}

fn tail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(5)..].join("\n")
}

fn quoted(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("; it wrote:\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_be_ready_at() {
        assert_eq!(ready("8080").unwrap(), Ready::port(8080));
        assert_eq!(ready("127.0.0.1:8080").unwrap(), Ready::port(8080));
        assert_eq!(ready("line:listening").unwrap(), Ready::Line("listening".into()));
        let http = |path: &str| Ready::Http { address: ([127, 0, 0, 1], 81).into(), path: path.into() };
        assert_eq!(ready("http://127.0.0.1:81/healthz?x=1").unwrap(), http("/healthz?x=1"));
        assert_eq!(ready("http://127.0.0.1:81").unwrap(), http("/"));
        assert_eq!(ready("http://127.0.0.1:81?x").unwrap(), http("/?x"));
        for wrong in ["", "0", "line:", "https://127.0.0.1/", "nothing", "http://"] {
            assert!(matches!(ready(wrong), Err(Error::Ready { .. })), "{wrong}");
        }
    }
}
