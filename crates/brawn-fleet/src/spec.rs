//! `fleet.toml`: what is compared, and where.

mod check;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brawn_base::names;
use brawn_tune::Goal;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Error;

/// The name that the file has unless the user gives another.
pub const FILE: &str = "fleet.toml";

/// What a user asks for. Paths are relative to the folder of the file. Sizes and times are texts such as `384MiB` and `90s`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// The program's name for people; that of the reference's executable otherwise.
    pub name: Option<String>,
    /// What it shall be good at.
    pub goal: Goal,
    /// Memory that each candidate may hold.
    pub memory: Option<String>,
    /// Cores that each candidate is given; a fraction is a share of the time of one.
    pub cores: Option<f64>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// The file that is its standard input, one of `files`.
    pub stdin: Option<String>,
    /// Files and folders that it needs: they lie in the folder in which it runs, by their last names.
    pub files: Vec<PathBuf>,
    /// Whether it runs among the files themselves, which it cannot write to, and not in a fresh copy of them.
    pub in_place: bool,
    /// The exit status that means success.
    pub status: i32,
    /// How outputs must agree.
    pub output: OutputRule,
    /// Lines with this text are not compared.
    pub ignore_lines: Option<String>,
    /// Longest time of a run.
    pub run_limit: Option<String>,
    /// The candidate that is used now; the first otherwise.
    pub reference: Option<String>,
    /// Blocks on each pool that says nothing else.
    #[serde(default = "some_blocks")]
    pub blocks: u32,
    /// A label of nodes: each value that the cluster has is a pool.
    pub by: Option<String>,
    /// Where every random order comes from; a new one for each fleet otherwise.
    pub seed: Option<u64>,
    /// Static executables of Brawn to take along; the one that runs otherwise.
    #[serde(deserialize_with = "one_or_more")]
    pub brawn: Vec<PathBuf>,
    /// Variables of the program's environment.
    pub env: BTreeMap<String, String>,
    /// How it is driven, if it is a server.
    pub server: Option<Server>,
    /// What is compared.
    pub candidates: Vec<Candidate>,
    /// Where it is compared.
    pub pools: Vec<Pool>,
    /// The engine, one of three: a cluster,
    pub kubernetes: Option<Kubernetes>,
    /// machines that can be logged in to,
    pub ssh: Option<Ssh>,
    /// or a queue.
    pub slurm: Option<Slurm>,
    /// The file as the user wrote it.
    #[serde(skip)]
    pub text: String,
}

/// An executable with its settings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Candidate {
    /// Short name, unique among all.
    pub name: String,
    /// The file, static or with all that it needs in the base image; one for each architecture, if it was built for both.
    #[serde(deserialize_with = "one_or_more")]
    pub executable: Vec<PathBuf>,
    /// Variables that this candidate alone has in its environment.
    #[serde(default)]
    pub knobs: BTreeMap<String, String>,
}

/// A kind of machine.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pool {
    /// Short name, unique among all: small letters, digits, dashes.
    pub name: String,
    /// Blocks, where it is not as many as elsewhere.
    pub blocks: Option<u32>,
    /// Labels of its nodes. (Kubernetes)
    #[serde(default)]
    pub selector: BTreeMap<String, String>,
    /// Its machines, as `ssh` takes them.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// More arguments for `sbatch`: a partition, a constraint.
    #[serde(default)]
    pub sbatch: Vec<String>,
    /// Memory that a candidate may hold here.
    pub memory: Option<String>,
    /// Cores that it is given here.
    pub cores: Option<f64>,
    /// How many copies of the program run here, for what an answer is worth.
    pub replicas: Option<u64>,
}

/// How a server is driven; `{port}` in texts and arguments stands for a free port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Server {
    /// When it is ready: a URL that answers, a port that accepts, or `line:TEXT` that it prints.
    pub ready: String,
    /// A program with arguments that drives it, one of `files`; a load built in otherwise.
    #[serde(default)]
    pub client: Vec<String>,
    /// What the built-in load asks for; the URL of `ready` otherwise.
    pub url: Option<String>,
    /// Connections of the built-in load; 16 otherwise.
    pub connections: Option<u16>,
    /// Time of the built-in load; 2 s otherwise.
    pub load_time: Option<String>,
    /// Longest time until it is ready; 30 s otherwise.
    pub ready_limit: Option<String>,
    /// How long it is left alone before its size after the load is read; 1 s otherwise.
    pub idle: Option<String>,
    /// What it is told to stop by: TERM, INT or QUIT.
    pub stop: Option<String>,
    /// Whether the memory of its child processes counts.
    #[serde(default)]
    pub with_children: bool,
}

/// Indexed Jobs, carried by the user's `kubectl`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Kubernetes {
    /// Where the image is pushed: `HOST/NAME[:TAG]`.
    pub image: String,
    /// An image underneath, by its digest, for executables that are not static.
    pub base: Option<String>,
    /// The context of `kubectl`; its current one otherwise.
    pub context: Option<String>,
    /// The namespace; that of the context otherwise.
    pub namespace: Option<String>,
    /// The local queue of Kueue that the jobs wait in.
    pub queue: Option<String>,
    /// Most pods of a pool at a time; one for each node otherwise.
    pub parallelism: Option<u32>,
    /// Room on disk for the program's folder and output.
    pub scratch: Option<String>,
    /// Names of secrets that let nodes pull the image.
    pub pull_secrets: Vec<String>,
    /// Taints that the pods stand, in the words of Kubernetes.
    pub tolerations: Vec<Toleration>,
    /// Whether the registry, on this machine, is spoken to without TLS.
    pub insecure: bool,
}

/// A taint that pods stand, as Kubernetes describes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Toleration {
    /// The taint's key; none for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// `Exists` or `Equal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// The taint's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The taint's effect; none for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// How long a pod stays on a node with it, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

/// A list of machines, by the user's `ssh`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ssh {
    /// More arguments for `ssh`.
    pub options: Vec<String>,
    /// The folder on each machine in which the fleet's own is made; the user's home otherwise.
    pub folder: Option<String>,
}

/// Array jobs, by the user's `sbatch`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Slurm {
    /// A folder that all nodes see, in which the fleet's own is made.
    pub folder: PathBuf,
    /// More arguments for `sbatch`, for all pools.
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
    /// [`Error::NoSpec`], [`Error::Io`], [`Error::Spec`].
    pub fn load(path: &Path) -> Result<Spec, Error> {
        if !path.exists() {
            return Err(Error::NoSpec { path: path.to_owned() });
        }
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
        Ok(Spec { text: text.to_owned(), ..spec })
    }

    /// Name of the candidate that is used now.
    pub fn reference(&self) -> &str {
        self.reference.as_ref().unwrap_or(&self.candidates[0].name)
    }
}

/// A path, or a list of them.
fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a path, or a list with one for each architecture")]
    enum Paths {
        One(PathBuf),
        More(Vec<PathBuf>),
    }
    Ok(match Paths::deserialize(from)? {
        Paths::One(path) => vec![path],
        Paths::More(paths) => paths,
    })
}

/// The nearest of the names that serde lists behind one that it does not know.
fn known(message: &str) -> Option<String> {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (given, known) = names.split_first().filter(|_| message.starts_with("unknown "))?;
    Some(names::nearest_or_all(given, known))
}

/// What differences of four percent and more need; a plan says what 3 % need.
const fn some_blocks() -> u32 {
    20
}
