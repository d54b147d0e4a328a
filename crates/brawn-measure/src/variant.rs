//! One way to run the program under comparison, alone or as a server.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

/// A command that does the same work as its siblings, in its own executable or with its own settings; or the client of a
/// server.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// Short name, unique in a session; the first column of every table.
    pub name: String,
    /// The executable.
    pub program: PathBuf,
    /// The name that it finds as its own; its path otherwise.
    pub arg0: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables added to the environment.
    pub env: Vec<(OsString, OsString)>,
    /// The file that stands for standard input; nothing (`/dev/null`) otherwise.
    pub stdin: Option<PathBuf>,
    /// The folder to run in; the caller's own otherwise.
    pub current_dir: Option<PathBuf>,
    /// The exit status that means success.
    pub expected_status: i32,
    /// How it is driven, if it is a server.
    pub service: Option<Service>,
    /// Finds the figures in what the program, or the client of a server, has printed, when it prints no `metric` lines.
    pub reader: Option<Reader>,
}

/// Makes metrics of standard output and standard error. An error is a sentence's end that says what is wrong with them, and ends
/// the session: a workload that checks its answer can do so here.
pub type Reader = fn(stdout: &str, stderr: &str) -> Result<BTreeMap<String, f64>, String>;

impl Variant {
    /// A variant that runs `program` without arguments and succeeds with status 0.
    pub fn new(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), program: program.into(), ..Self::default() }
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

    /// Runs in this folder.
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(folder.into());
        self
    }

    /// Program and arguments, for people.
    pub fn argv(&self) -> Vec<String> {
        let args = self.args.iter().map(|arg| arg.to_string_lossy().into_owned());
        std::iter::once(self.program.display().to_string()).chain(args).collect()
    }

    /// The command, without its standard streams.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(name) = &self.arg0 {
            command.arg0(name);
        }
        command.args(&self.args).envs(self.env.iter().map(|(key, value)| (key, value)));
        if let Some(folder) = &self.current_dir {
            command.current_dir(folder);
        }
        command
    }
}

/// How a variant is driven that is a server. Its program is started, and when it is ready the client is run; the
/// client's time and metrics are those of the run, memory and CPU time are the server's.
///
/// The run has two metrics of its own: `ready_seconds`, from the start until the server is ready (looked for every 2
/// ms), and `idle_bytes`, if [`Service::idle`] was given.
#[derive(Clone, Debug)]
pub struct Service {
    /// How it shows that it is ready.
    pub ready: Ready,
    /// Longest time until it is ready.
    pub ready_limit: Duration,
    /// The program that uses it. Its exit status must be 0, and its standard output is what variants are compared by.
    pub client: Box<Variant>,
    /// How long it is left alone after the client has ended; then its resident size less pages offered back is read
    /// as `idle_bytes`. None not to wait.
    pub idle: Option<Duration>,
    /// What it is told to stop by; nginx ends after the last request by `SIGQUIT`.
    pub stop: Signal,
    /// Longest time from there to its end.
    pub stop_limit: Duration,
    /// Whether the memory of its children counts, too: peaks are added up, idle sizes are `Pss`, so that pages that are
    /// shared count once.
    pub with_children: bool,
}

impl Service {
    /// A server that is ready when `ready` says so, and serves `client`; it has 30 seconds to be ready and 30 to stop.
    pub fn new(ready: Ready, client: Variant) -> Self {
        Self {
            ready,
            ready_limit: Duration::from_secs(30),
            client: Box::new(client),
            idle: None,
            stop: Signal::SIGTERM,
            stop_limit: Duration::from_secs(30),
            with_children: false,
        }
    }
}

/// How a server shows that it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
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
