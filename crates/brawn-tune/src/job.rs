//! What every candidate does: the same work, under the same conditions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brawn_measure::service::Signal;
use brawn_measure::{Conditions, Output};

/// The work, and how it is run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Each is run in every block.
    pub workloads: Vec<Workload>,
    /// How the program is driven, if it is a server.
    pub server: Option<Server>,
    /// The folder to run in.
    pub folder: PathBuf,
    /// Whether each run gets a fresh copy of that folder.
    pub fresh_copy: bool,
    /// A command for the shell, run in that folder before each run, off the clock.
    pub setup: Option<String>,
    /// The same after each run: standard output of the program is its standard input, and it fails by its status.
    pub check: Option<String>,
    /// The file that stands for standard input.
    pub stdin: Option<PathBuf>,
    /// The exit status that means success.
    pub status: i32,
    /// How outputs must agree.
    pub output: Output,
    /// Lines with this text are not compared.
    pub ignored_lines: Option<String>,
    /// Longest time of a run; none to give up what takes many times as long as what is used now.
    pub run_limit: Option<Duration>,
    /// What the program is held to; its limit of time counts for nothing beside the one above. Outputs and copies are kept in
    /// its scratch folder, and its interrupt ends everything.
    pub conditions: Conditions,
}

/// One way to call the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Its name; empty when there is only one.
    pub name: String,
    /// The arguments; `{port}` stands for a free port.
    pub args: Vec<OsString>,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
}

/// How a server is driven. In every text `{port}` stands for a port that is free, another one for each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// A URL, a port, or `line:TEXT`.
    pub ready: String,
    /// Longest time until it is ready.
    pub ready_limit: Duration,
    /// What drives it.
    pub load: Load,
    /// How long it is left alone before its size is read.
    pub idle: Duration,
    /// What it is told to stop by.
    pub stop: Signal,
    /// Whether the memory of its children counts.
    pub with_children: bool,
}

/// What drives a server.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// A command for the shell.
    Command(String),
    /// The built-in client.
    BuiltIn {
        /// The executable that runs it, and the arguments that make it do so; URL, connections and seconds follow.
        client: (PathBuf, Vec<String>),
        /// What is asked for.
        url: String,
        /// Connections that stay open.
        connections: usize,
        /// For how long, in seconds.
        seconds: f64,
    },
}

/// Stands for a free port.
pub const PORT: &str = "{port}";
/// Stands for a number of threads.
pub const THREADS: &str = "{threads}";

/// Variables that runtimes and libraries take their number of threads from.
const THREAD_VARIABLES: [&str; 5] =
    ["RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS", "OMP_NUM_THREADS", "GOMAXPROCS", "BRAWN_THREADS"];

/// The workloads for these thread counts: `{threads}` in the arguments is replaced, and where it is nowhere in them the
/// usual variables are set.
pub fn workloads(args: &[OsString], threads: &[usize]) -> Vec<Workload> {
    if threads.is_empty() {
        return vec![Workload { name: String::new(), args: args.to_vec(), env: Vec::new() }];
    }
    let placed = args.iter().any(|arg| arg.to_str().is_some_and(|arg| arg.contains(THREADS)));
    threads
        .iter()
        .map(|count| {
            let count = count.to_string();
            let env = THREAD_VARIABLES.iter().map(|name| ((*name).to_owned(), count.clone()));
            Workload {
                name: format!("threads={count}"),
                args: args.iter().map(|arg| replaced(arg, THREADS, &count)).collect(),
                env: if placed { Vec::new() } else { env.collect() },
            }
        })
        .collect()
}

/// An argument with the placeholder replaced; what is not UTF-8 has none.
pub(crate) fn replaced(arg: &OsString, place: &str, value: &str) -> OsString {
    match arg.to_str() {
        Some(text) if text.contains(place) => text.replace(place, value).into(),
        _ => arg.clone(),
    }
}

/// Copies a folder with everything in it: files with their permissions, links as links.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs_err::create_dir_all(to)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if kind.is_symlink() {
            fs_err::os::unix::fs::symlink(fs_err::read_link(entry.path())?, &target)?;
        } else if kind.is_file() {
            fs_err::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_go_where_they_are_asked_for() {
        let args = |list: &[&str]| list.iter().map(OsString::from).collect::<Vec<_>>();
        let placed = workloads(&args(&["-j{threads}", "x"]), &[1, 16]);
        assert_eq!(placed[1].args, args(&["-j16", "x"]));
        assert_eq!((placed[1].name.as_str(), placed[1].env.len()), ("threads=16", 0));
        let unplaced = workloads(&args(&["x"]), &[4]);
        assert!(unplaced[0].env.contains(&("RAYON_NUM_THREADS".into(), "4".into())));
        let single = workloads(&args(&["{threads}"]), &[]);
        assert_eq!((single[0].name.as_str(), &single[0].args), ("", &args(&["{threads}"])));
    }

    #[test]
    fn folders_are_copied_whole() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs_err::create_dir_all(from.join("inner")).unwrap();
        fs_err::write(from.join("inner/file"), "text").unwrap();
        fs_err::os::unix::fs::symlink("inner/file", from.join("link")).unwrap();
        copy_folder(&from, &to).unwrap();
        assert_eq!(fs_err::read_to_string(to.join("link")).unwrap(), "text");
        assert!(to.join("link").is_symlink());
    }
}
