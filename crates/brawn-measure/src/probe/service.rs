//! One run of a server under the load of its client.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::follower::{Children, Ended, Follower};
use super::run::{Run, Streams, between, join, last_lines, pace_now, text, watch};
use super::sample::metrics;
use super::tracer::Tracee;
use super::{Conditions, Exit, Point};
use crate::{Error, Ready, Service, Variant};

/// How often a server is asked whether it is ready.
const ASK_AGAIN: Duration = Duration::from_millis(2);

/// How long an answer may take for a server to count as ready.
const ANSWER: Duration = Duration::from_secs(1);

/// How long a failed client waits to hear that it was the server that failed.
const BURIAL: Duration = Duration::from_secs(1);

pub(super) fn run(variant: &Variant, service: &Service, conditions: &Conditions) -> Result<Run, Error> {
    if taken(&service.ready) {
        return Err(Error::Taken { ready: describe(&service.ready) });
    }
    let mut streams = Streams::open(&conditions.scratch)?;
    let command = streams.attach(variant.command(), variant.stdin.as_deref())?;
    let follower = Follower::new(service.with_children, conditions.timeline.is_some());
    let children = follower.children();
    let server =
        Tracee::start(&variant.program, command, conditions, move |pid, start| follower.follow(pid, start))?;
    let mut running =
        Running { variant, service, conditions, streams: &mut streams, server, timeline: Vec::new() };
    let ready = running.until_ready()?;
    let client = running.client(&children)?;
    let idle = running.idle(&children)?;
    let Ended { mut sample, .. } = running.stop()?;
    let timeline = std::mem::take(&mut running.timeline);
    drop(running);

    sample.timeline = join(timeline, sample.timeline);
    sample.wall_seconds = client.sample.wall_seconds;
    sample.pace_seconds = client.sample.pace_seconds;
    sample.metrics = client.sample.metrics;
    sample.metrics.insert("ready_seconds".into(), ready.as_secs_f64());
    sample.metrics.extend(idle.map(|bytes| ("idle_bytes".to_owned(), bytes as f64)));
    Ok(Run { sample, exit: Exit::Status(variant.expected_status), ..client })
}

/// A server that has been started. Whatever ends this early kills it.
struct Running<'a> {
    variant: &'a Variant,
    service: &'a Service,
    conditions: &'a Conditions,
    streams: &'a mut Streams,
    server: Tracee<Ended>,
    timeline: Vec<Point>,
}

impl Running<'_> {
    /// How long it took until the server was ready.
    fn until_ready(&self) -> Result<Duration, Error> {
        loop {
            if let Some(ended) = self.server.wait(ASK_AGAIN) {
                return Err(self.ended(&ended?));
            }
            let elapsed = self.server.start.elapsed();
            let ready = match &self.service.ready {
                Ready::Line(text) => says(&self.streams.stdout, text)? || says(&self.streams.stderr, text)?,
                address => accepts(address),
            };
            if ready {
                return Ok(elapsed);
            }
            if self.conditions.is_interrupted() {
                return Err(Error::Interrupted);
            }
            if elapsed > self.service.ready_limit {
                return Err(Error::NotReady {
                    variant: self.variant.name.clone(),
                    ready: describe(&self.service.ready),
                    limit: self.service.ready_limit,
                    stderr: last_lines(&self.streams.stderr)?,
                });
            }
        }
    }

    fn client(&mut self, children: &Children) -> Result<Run, Error> {
        let mut streams = Streams::open(&self.conditions.scratch)?;
        let command = streams.attach(self.service.client.command(), None)?;
        // The limits are the server's: the client shall be able to keep it busy.
        let conditions = Conditions {
            cores: Vec::new(),
            quota: None,
            memory: None,
            timeline: None,
            ..self.conditions.clone()
        };
        let follower = Follower::new(false, false);
        // The server stands idle meanwhile.
        let before = pace_now(self.conditions);
        let client = Tracee::start(&self.service.client.program, command, &conditions, move |pid, start| {
            follower.follow(pid, start)
        })?;
        let until = client.start + self.conditions.limit;
        let (pid, start) = (self.server.pid, self.server.start);
        let sizes = || children.resident(pid);
        let ended = watch(&client, until, self.conditions, Some((&sizes, start)), &mut self.timeline)?;
        drop(client);
        let pace = between(before, pace_now(self.conditions));
        // A client fails at once when its server dies, and the kernel takes a moment to bury that.
        let failed = ended.as_ref().is_some_and(|ended| ended.exit != Exit::Status(0));
        if let Some(server) = self.server.wait(if failed { BURIAL } else { Duration::ZERO }) {
            return Err(self.ended(&server?));
        }
        let Some(Ended { mut sample, exit }) = ended else {
            return Err(Error::Timeout { variant: self.variant.name.clone(), limit: self.conditions.limit });
        };
        if exit != Exit::Status(0) {
            return Err(Error::Client {
                variant: self.variant.name.clone(),
                client: self.service.client.program.clone(),
                exit,
                stderr: last_lines(&streams.stderr)?,
            });
        }
        streams.check(&self.conditions.scratch)?;
        sample.pace_seconds = pace;
        sample.metrics = metrics(&text(&streams.stdout)?);
        sample.metrics.extend(streams.metrics(self.variant)?);
        Ok(Run { sample, exit, stdout: streams.stdout, stderr: streams.stderr })
    }

    /// The size of the server, in bytes, after it was left alone.
    fn idle(&mut self, children: &Children) -> Result<Option<u64>, Error> {
        let Some(time) = self.service.idle else { return Ok(None) };
        let (pid, start) = (self.server.pid, self.server.start);
        let sizes = || children.resident(pid);
        let until = Instant::now() + time;
        match watch(&self.server, until, self.conditions, Some((&sizes, start)), &mut self.timeline)? {
            Some(ended) => Err(self.ended(&ended)),
            None => Ok(children.resident(pid).map(|resident| match children.any() {
                true => resident.pss.saturating_sub(resident.lazily_freed),
                false => resident.held(),
            })),
        }
    }

    fn stop(&mut self) -> Result<Ended, Error> {
        let signal = self.service.stop;
        self.server.signal(signal);
        let until = Instant::now() + self.service.stop_limit;
        let Some(ended) = watch(&self.server, until, self.conditions, None, &mut self.timeline)? else {
            return Err(Error::NotStopped {
                variant: self.variant.name.clone(),
                signal,
                limit: self.service.stop_limit,
            });
        };
        self.streams.check(&self.conditions.scratch)?;
        if let Some(error) = self.server.over_limit(&self.variant.name, ended.sample.peak_bytes) {
            return Err(error);
        }
        // A server that does not catch the signal dies of it, which is as good an end as any.
        match ended.exit == Exit::Signal(signal) || ended.exit == Exit::Status(self.variant.expected_status) {
            true => Ok(ended),
            false => Err(self.ended(&ended)),
        }
    }

    /// The server ended when it should not, or otherwise than it should.
    fn ended(&self, ended: &Ended) -> Error {
        if let Some(error) = self.server.over_limit(&self.variant.name, ended.sample.peak_bytes) {
            return error;
        }
        Error::Exit {
            variant: self.variant.name.clone(),
            exit: ended.exit,
            expected: self.variant.expected_status,
            stderr: last_lines(&self.streams.stderr).unwrap_or_default(),
        }
    }
}

/// Whether something is there already, healthy or not.
fn taken(ready: &Ready) -> bool {
    match ready {
        Ready::Http { address, .. } => accepts(&Ready::Tcp(*address)),
        other => accepts(other),
    }
}

/// Whether something accepts connections there.
fn accepts(ready: &Ready) -> bool {
    match ready {
        Ready::Tcp(address) => TcpStream::connect_timeout(address, ANSWER).is_ok(),
        Ready::Unix(path) => UnixStream::connect(path).is_ok(),
        Ready::Http { address, path } => answers(*address, path).unwrap_or(false),
        Ready::Line(_) => false,
    }
}

/// Whether a `GET` there is answered by a status that means success.
fn answers(address: SocketAddr, path: &str) -> io::Result<bool> {
    let mut connection = TcpStream::connect_timeout(&address, ANSWER)?;
    connection.set_read_timeout(Some(ANSWER))?;
    connection.write_all(
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(),
    )?;
    let mut answer = Vec::new();
    // Not to its end: some servers keep the connection whatever they are asked.
    BufReader::new(connection).take(64).read_until(b'\n', &mut answer)?;
    Ok(answer.starts_with(b"HTTP/1.") && answer.get(8..10) == Some(b" 2"))
}

/// Whether a file that is still being written holds a text. Its position is the program's and stays where it is.
fn says(file: &File, text: &str) -> io::Result<bool> {
    let mut bytes = vec![0; 64 << 10];
    let length = file.read_at(&mut bytes, 0)?;
    Ok(memchr::memmem::find(&bytes[..length], text.as_bytes()).is_some())
}

fn describe(ready: &Ready) -> String {
    match ready {
        Ready::Tcp(address) => address.to_string(),
        Ready::Unix(path) => path.display().to_string(),
        Ready::Http { address, path } => format!("http://{address}{path}"),
        Ready::Line(text) => format!("the line {text:?}"),
    }
}
