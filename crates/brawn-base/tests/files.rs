//! Files are short, and files of one crate do not need each other in a circle.

#[path = "files/uses.rs"]
mod uses;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use uses::Crate;

/// Lines of the longest file, and of the file in the middle.
const LONGEST: usize = 500;
const MEDIAN: usize = 120;

/// Uses that close a circle, each with why it stays: crate, who uses, and what.
const ALLOWED: &[(&str, &str, &str, &str)] = &[
    ("brawn", "cli", "commands", "the command line is the list of all commands, and they share its options"),
    ("brawn", "cli", "help", "help is made from the command line, which has it as a flag"),
    ("brawn", "cli", "uses", "what no command uses is refused when the command line is read"),
    ("brawn", "commands::image::package", "commands::image", "its arguments are those of the command"),
    ("brawn-image", "registry::reference", "registry::address", "a name is right when its host is one"),
    (
        "brawn-image",
        "registry::auth",
        "registry::client",
        "a token is asked for over the connection that needs it",
    ),
    ("brawn-image", "registry::retry", "registry::client", "it is a method of the client"),
    ("brawn-image", "blob", "registry::repository", "a layer may still be where its base image is"),
    ("brawn-libc", "error", "choice", "a hint names the presets that there are"),
    ("brawn-libc", "error", "patch", "a hint names the files that were kept"),
    ("brawn-measure", "figure", "outcome", "a figure is of an outcome, which makes its rows with it"),
    ("brawn-measure", "outcome", "session", "an outcome keeps how it was measured"),
    ("brawn-measure", "plan", "session", "it plans a session, and is asked by it"),
    ("brawn-measure", "probe::run", "probe::service", "a service is a run with a client"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Every crate's folder, by its name.
fn crates() -> Vec<(String, PathBuf)> {
    let folders = fs_err::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let named = |folder: PathBuf| (folder.file_name().unwrap().to_str().unwrap().to_owned(), folder);
    folders.chain([root().join("fuzz"), root().join("xtask")]).map(named).collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_are_short() {
    let mut files = Vec::new();
    for (_, folder) in crates() {
        rust_files(&folder.join("src"), &mut files);
    }
    let mut lengths: Vec<(usize, PathBuf)> = files
        .into_iter()
        .map(|path| (fs_err::read_to_string(&path).unwrap().lines().count(), path))
        .collect();
    lengths.sort();
    assert!(lengths.len() > 300, "{}", lengths.len());
    let long: Vec<_> = lengths.iter().filter(|(lines, _)| *lines > LONGEST).collect();
    assert!(long.is_empty(), "split by meaning, at most {LONGEST} lines: {long:#?}");
    let median = lengths[lengths.len() / 2].0;
    assert!(median <= MEDIAN, "the file in the middle has {median} lines");
}

#[test]
fn files_of_a_crate_have_a_direction() {
    let mut allowed: BTreeSet<_> = ALLOWED.iter().map(|(name, from, to, _)| (*name, *from, *to)).collect();
    let mut seen = 0;
    for (name, folder) in crates() {
        for start in ["lib.rs", "main.rs"] {
            let start = folder.join("src").join(start);
            if !start.is_file() {
                continue;
            }
            let mut uses = Crate::read(&start).uses();
            seen += uses.len();
            for &(of, from, to, _) in ALLOWED.iter().filter(|(of, ..)| *of == name) {
                // One that closes no circle any more needs no leave.
                if uses::circle(&uses).is_some() && uses.remove(&(from.to_owned(), to.to_owned())) {
                    allowed.remove(&(of, from, to));
                }
            }
            let circle = uses::circle(&uses);
            assert!(circle.is_none(), "{name}: files that need each other: {circle:#?}");
        }
    }
    assert!(seen > 1_000, "{seen}");
    assert!(allowed.is_empty(), "these are gone: take them off the list: {allowed:#?}");
}
