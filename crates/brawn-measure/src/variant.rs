//! One way to run the program under comparison.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use serde::Serialize;

use crate::Service;

/// A command that does the same work as its siblings, in its own executable or with its own settings.
#[derive(Clone, Debug, Serialize)]
pub struct Variant {
    /// Short name, unique in a session; the first column of every table.
    pub name: String,
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    #[serde(serialize_with = "crate::lossy::lossy_list")]
    pub args: Vec<OsString>,
    /// Variables added to the environment.
    #[serde(serialize_with = "crate::lossy::lossy_pairs")]
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
    #[serde(skip)]
    pub reader: Option<Reader>,
}

/// Makes metrics of standard output and standard error. An error is a sentence's end that says what is wrong with them, and ends
/// the session: a workload that checks its answer can do so here.
pub type Reader = fn(stdout: &str, stderr: &str) -> Result<BTreeMap<String, f64>, String>;

impl Variant {
    /// A variant that runs `program` without arguments and succeeds with status 0.
    pub fn new(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: None,
            current_dir: None,
            expected_status: 0,
            service: None,
            reader: None,
        }
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

    /// Feeds a file to standard input.
    pub fn stdin(mut self, file: impl Into<PathBuf>) -> Self {
        self.stdin = Some(file.into());
        self
    }

    /// Runs in this folder.
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(folder.into());
        self
    }

    /// Takes another exit status than 0 for success, as linters and `diff` need.
    pub fn expect_status(mut self, status: i32) -> Self {
        self.expected_status = status;
        self
    }

    /// Makes it a server, driven by a client.
    pub fn service(mut self, service: Service) -> Self {
        self.service = Some(service);
        self
    }

    /// Takes metrics from what is printed.
    pub fn read_metrics(mut self, reader: Reader) -> Self {
        self.reader = Some(reader);
        self
    }

    /// Program and arguments, for people.
    pub fn argv(&self) -> Vec<String> {
        let args = self.args.iter().map(|arg| arg.to_string_lossy().into_owned());
        std::iter::once(self.program.display().to_string()).chain(args).collect()
    }

    /// The command, without its standard streams.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.env.iter().map(|(key, value)| (key, value)));
        if let Some(folder) = &self.current_dir {
            command.current_dir(folder);
        }
        command
    }
}
