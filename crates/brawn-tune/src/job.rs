//! What every candidate does: the same work, under the same conditions.

use std::ffi::OsString;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use brawn_measure::{Conditions, Output, Ready, Variant};

use crate::Error;

/// The work, and how it is run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Ways to call the program, each of which is run in every block; the name is empty when there is only one. Executable and
    /// folder are those of each run. In arguments, those of the client of a server as well, `{port}` stands for a port that is
    /// free, another one for each run.
    pub workloads: Vec<Variant>,
    /// When a server is ready, as [`ready`] reads it, with `{port}` as well; none for a program that is no server.
    pub ready: Option<String>,
    /// The folder to run in.
    pub folder: PathBuf,
    /// Whether each run gets a fresh copy of that folder.
    pub fresh_copy: bool,
    /// A command for the shell, run in that folder before each run, off the clock.
    pub setup: Option<String>,
    /// The same after each run: standard output of the program is its standard input, and it fails by its status.
    pub check: Option<String>,
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

/// Stands for a free port.
pub const PORT: &str = "{port}";
/// Stands for a number of threads.
pub const THREADS: &str = "{threads}";

/// Variables that runtimes and libraries take their number of threads from.
const THREAD_VARIABLES: [&str; 5] =
    ["RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS", "OMP_NUM_THREADS", "GOMAXPROCS", "BRAWN_THREADS"];

/// A workload for each of these thread counts: `{threads}` in the arguments is replaced, and where it is nowhere in them the
/// usual variables are set.
pub fn workloads(called: Variant, threads: &[usize]) -> Vec<Variant> {
    if threads.is_empty() {
        return vec![called];
    }
    let placed = called.args.iter().any(|arg| arg.to_str().is_some_and(|arg| arg.contains(THREADS)));
    let with = |count: &usize| {
        let count = count.to_string();
        let mut workload = Variant { name: format!("threads={count}"), ..called.clone() };
        replace(&mut workload.args, THREADS, &count);
        let variables = THREAD_VARIABLES.iter().filter(|_| !placed);
        variables.fold(workload, |workload, variable| workload.env(variable, &count))
    };
    threads.iter().map(with).collect()
}

/// Puts a value in a placeholder's place; an argument that is not UTF-8 has none.
pub(crate) fn replace(args: &mut [OsString], place: &str, value: &str) {
    for arg in args {
        if let Some(text) = arg.to_str().filter(|text| text.contains(place)) {
            *arg = text.replace(place, value).into();
        }
    }
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
        let called = |list: &[&str]| Variant { args: args(list), ..Variant::default() };
        let placed = workloads(called(&["-j{threads}", "x"]), &[1, 16]);
        assert_eq!(placed[1].args, args(&["-j16", "x"]));
        assert_eq!((placed[1].name.as_str(), placed[1].env.len()), ("threads=16", 0));
        let unplaced = workloads(called(&["x"]), &[4]);
        assert!(unplaced[0].env.contains(&("RAYON_NUM_THREADS".into(), "4".into())));
        let single = workloads(called(&["{threads}"]), &[]);
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
