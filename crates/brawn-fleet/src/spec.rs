//! `fleet.toml`: what is compared, and where.

mod check;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brawn_base::names;
use brawn_tune::Goal;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The name that the file has unless the user gives another.
pub const FILE: &str = "fleet.toml";

/// What a user asks for. Paths are relative to the folder of the file. Sizes and times are texts such as `384MiB` and `90s`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// The program's name for people; that of the reference's executable otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it shall be good at.
    pub goal: Goal,
    /// Memory that each candidate may hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Cores that each candidate is given; a fraction is a share of the time of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<f64>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// The file that is its standard input, one of `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Files and folders that it needs: they lie in the folder in which it runs, by their last names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// Whether it runs among the files themselves, which it cannot write to, and not in a fresh copy of them.
    #[serde(skip_serializing_if = "is_default")]
    pub in_place: bool,
    /// The exit status that means success.
    #[serde(skip_serializing_if = "is_default")]
    pub status: i32,
    /// How outputs must agree.
    #[serde(skip_serializing_if = "is_default")]
    pub output: OutputRule,
    /// Lines with this text are not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_lines: Option<String>,
    /// Longest time of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_limit: Option<String>,
    /// The candidate that is used now; the first otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Blocks on each pool that says nothing else.
    #[serde(default = "some_blocks")]
    pub blocks: u32,
    /// A label of nodes: each value that the cluster has is a pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where every random order comes from; a new one for each fleet otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// A static executable of Brawn to take along; the one that runs otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brawn: Option<PathBuf>,
    /// Variables of the program's environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// How it is driven, if it is a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
    /// What is compared.
    pub candidates: Vec<Candidate>,
    /// Where it is compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<Pool>,
    /// The engine, one of three: a cluster,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<Kubernetes>,
    /// machines that can be logged in to,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssh: Option<Ssh>,
    /// or a queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slurm: Option<Slurm>,
}

/// An executable with its settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Candidate {
    /// Short name, unique among all.
    pub name: String,
    /// The file, static or with all that it needs in the base image.
    pub executable: PathBuf,
    /// Variables that this candidate alone has in its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub knobs: BTreeMap<String, String>,
}

/// A kind of machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pool {
    /// Short name, unique among all: small letters, digits, dashes.
    pub name: String,
    /// Blocks, where it is not as many as elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u32>,
    /// Labels of its nodes. (Kubernetes)
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub selector: BTreeMap<String, String>,
    /// Its machines, as `ssh` takes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// More arguments for `sbatch`: a partition, a constraint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sbatch: Vec<String>,
    /// Memory that a candidate may hold here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Cores that it is given here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<f64>,
    /// How many copies of the program run here, for what an answer is worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u64>,
}

/// How a server is driven; `{port}` in texts and arguments stands for a free port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Server {
    /// When it is ready: a URL that answers, a port that accepts, or `line:TEXT` that it prints.
    pub ready: String,
    /// A program with arguments that drives it, one of `files`; a load built in otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub client: Vec<String>,
    /// What the built-in load asks for; the URL of `ready` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Connections of the built-in load; 16 otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<u16>,
    /// Time of the built-in load; 2 s otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_time: Option<String>,
    /// Longest time until it is ready; 30 s otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_limit: Option<String>,
    /// How long it is left alone before its size after the load is read; 1 s otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// What it is told to stop by: TERM, INT or QUIT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Whether the memory of its child processes counts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub with_children: bool,
}

/// Indexed Jobs, carried by the user's `kubectl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Kubernetes {
    /// Where the image is pushed: `HOST/NAME[:TAG]`.
    pub image: String,
    /// An image underneath, by its digest, for executables that are not static.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The context of `kubectl`; its current one otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The namespace; that of the context otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The local queue of Kueue that the jobs wait in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Most pods of a pool at a time; one for each node otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<u32>,
    /// Room on disk for the program's folder and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch: Option<String>,
    /// Names of secrets that let nodes pull the image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pull_secrets: Vec<String>,
    /// Taints that the pods stand, in the words of Kubernetes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<BTreeMap<String, serde_json::Value>>,
    /// Whether the registry, on this machine, is spoken to without TLS.
    #[serde(skip_serializing_if = "is_default")]
    pub insecure: bool,
}

/// A list of machines, by the user's `ssh`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ssh {
    /// More arguments for `ssh`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The folder on each machine in which the fleet's own is made; the user's home otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// Array jobs, by the user's `sbatch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Slurm {
    /// A folder that all nodes see, in which the fleet's own is made.
    pub folder: PathBuf,
    /// More arguments for `sbatch`, for all pools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sbatch: Vec<String>,
}

/// How outputs must agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputRule {
    /// Line by line.
    #[default]
    Exact,
    /// As a set of lines, in any order.
    Sorted,
    /// Not at all.
    Ignore,
}

impl Spec {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Spec`].
    pub fn load(path: &Path) -> Result<Spec, Error> {
        Spec::parse(&brawn_base::file::text(path)?, path)
    }

    /// Reads and checks a text; `path` is its name for messages.
    ///
    /// # Errors
    /// [`Error::Spec`].
    pub fn parse(text: &str, path: &Path) -> Result<Spec, Error> {
        let wrong =
            |line: Option<usize>, what: String, hint| Error::Spec { path: path.to_owned(), line, what, hint };
        let spec: Spec = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let (message, hint) = (error.message(), known(error.message()));
            let short = message.split(", expected ").next().filter(|_| hint.is_some());
            wrong(line, short.unwrap_or(message).to_owned(), hint)
        })?;
        spec.check().map_err(|(what, hint)| wrong(None, what, hint))?;
        Ok(spec)
    }

    /// The text of the file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a fleet is plain data")
    }

    /// Name of the candidate that is used now.
    pub fn reference(&self) -> &str {
        self.reference.as_ref().unwrap_or(&self.candidates[0].name)
    }
}

/// The nearest of the names that serde lists behind one that it does not know.
fn known(message: &str) -> Option<String> {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (given, known) = names.split_first().filter(|_| message.starts_with("unknown "))?;
    Some(names::nearest_or_all(given, known))
}

/// Enough to see a difference of 3 % where runs vary by a few percent.
const fn some_blocks() -> u32 {
    20
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
