//! Servers: programs that run until they are told to stop, and are measured under the load of a client.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::sys::signal::Signal;
use serde::Serialize;

use crate::Error;

/// How a variant is driven that is a server. Its program is started, and when it is ready the client is run; the
/// client's time and metrics are those of the run, memory and CPU time are the server's.
///
/// The run has two metrics of its own: `ready_seconds`, from the start until the server is ready (looked for every 2
/// ms), and `idle_bytes`, if [`Service::idle`] was given.
#[derive(Clone, Debug, Serialize)]
pub struct Service {
    /// How it shows that it is ready.
    pub ready: Ready,
    /// Longest time until it is ready.
    pub ready_limit: Duration,
    /// The program that uses it. Its exit status must be 0, and its standard output is what variants are compared by.
    pub client: Client,
    /// How long it is left alone after the client has ended; then its resident size less pages offered back is read
    /// as `idle_bytes`. None not to wait.
    pub idle: Option<Duration>,
    /// What it is told to stop by.
    pub stop: StopSignal,
    /// Longest time from there to its end.
    pub stop_limit: Duration,
    /// Whether the memory of its children counts, too: peaks are added up, idle sizes are `Pss`, so that pages that are
    /// shared count once.
    pub with_children: bool,
}

impl Service {
    /// A server that is ready when `ready` says so, and serves `client`; it has 30 seconds to be ready and 30 to stop.
    pub fn new(ready: Ready, client: Client) -> Self {
        Self {
            ready,
            ready_limit: Duration::from_secs(30),
            client,
            idle: None,
            stop: StopSignal::Terminate,
            stop_limit: Duration::from_secs(30),
            with_children: false,
        }
    }

    /// Reads the resident size after so much time without load.
    pub fn idle(mut self, time: Duration) -> Self {
        self.idle = Some(time);
        self
    }

    /// Stops it by another signal than `SIGTERM`.
    pub fn stop(mut self, signal: StopSignal) -> Self {
        self.stop = signal;
        self
    }

    /// Counts the memory of its children, too.
    pub fn with_children(mut self) -> Self {
        self.with_children = true;
        self
    }
}

/// How a server shows that it is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ready {
    /// Something accepts connections here.
    Tcp(SocketAddr),
    /// The same, at a socket in the file system.
    Unix(PathBuf),
    /// `GET` of this path here is answered with a status from 200 to 299.
    Http {
        /// Where the server listens.
        address: SocketAddr,
        /// What is asked for, from the slash on.
        path: String,
    },
    /// A line that holds this text appears on its standard output or standard error.
    Line(String),
}

impl Ready {
    /// A port of this machine.
    pub fn port(port: u16) -> Self {
        Self::Tcp((Ipv4Addr::LOCALHOST, port).into())
    }
}

/// The program that uses a server.
#[derive(Clone, Debug, Serialize)]
pub struct Client {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    #[serde(serialize_with = "crate::lossy::lossy_list")]
    pub args: Vec<OsString>,
    /// Variables added to the environment.
    #[serde(serialize_with = "crate::lossy::lossy_pairs")]
    pub env: Vec<(OsString, OsString)>,
}

impl Client {
    /// A client without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), args: Vec::new(), env: Vec::new() }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((key.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.env.iter().map(|(key, value)| (key, value)));
        command
    }
}

/// What a server is told to stop by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopSignal {
    /// `SIGTERM`.
    Terminate,
    /// `SIGQUIT`, by which nginx stops after the last request.
    Quit,
    /// `SIGINT`.
    Interrupt,
}

impl StopSignal {
    pub(crate) fn number(self) -> Signal {
        match self {
            Self::Terminate => Signal::SIGTERM,
            Self::Quit => Signal::SIGQUIT,
            Self::Interrupt => Signal::SIGINT,
        }
    }
}

/// A TCP port of this machine that nothing listens on at the moment, and that was not given to another caller in this
/// process.
///
/// # Errors
/// [`Error::System`] when there is none.
pub fn free_port() -> Result<u16, Error> {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    loop {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .map_err(|source| Error::System { doing: "find a free port", source })?
            .port();
        if GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
            return Ok(port);
        }
    }
}
