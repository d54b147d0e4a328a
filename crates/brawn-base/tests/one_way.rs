//! No other way to read a file than `brawn_base::file` has crept in.

use std::path::{Path, PathBuf};

/// What opens or reads whatever a path leads to.
const WAYS: &[&str] =
    &["fs_err::read(", "fs_err::read_to_string(", "File::open(", "fs::read(", "fs::read_to_string("];

/// Places where no one but the kernel, or the program itself, writes what is read.
const ALLOWED: &[(&str, &str)] = &[
    ("brawn-measure/src/limits/group.rs", "control groups"),
    ("brawn-measure/src/limits/memory.rs", "/proc"),
    ("brawn-measure/src/probe/memory.rs", "/proc"),
    ("brawn-measure/src/machine.rs", "/proc and /sys"),
    ("brawn-check/src/doctor/checks/cgroup.rs", "/proc"),
    ("brawn-check/src/doctor/checks/mod.rs", "/proc/sys"),
    ("brawn-libc/src/patch.rs", "a folder, to lock it"),
    ("brawn-libc/src/trust.rs", "a folder, to see whose it is"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn files_are_read_in_one_way() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs_err::read_dir(&crates).unwrap() {
        let folder = entry.unwrap().path();
        // The kit is built from this repository's own files, and the fuzzers' seeds are made by themselves.
        if ["brawn-base", "brawn-fuzz", "brawn-kit"].iter().all(|name| !folder.ends_with(name)) {
            sources(&folder.join("src"), &mut files);
        }
    }
    assert!(files.len() > 100, "{files:?}");
    let mut others = Vec::new();
    for path in files {
        let name = path.strip_prefix(&crates).unwrap().to_str().unwrap().to_owned();
        let text = fs_err::read_to_string(&path).unwrap();
        // Tests stand at the end of a file; the modules `schema` are tests.
        let code = text.split("#[cfg(test)]\nmod").next().unwrap();
        let allowed = ALLOWED.iter().any(|(file, _)| *file == name) || name.ends_with("/schema.rs");
        for (line, text) in code.lines().enumerate() {
            let way = WAYS.iter().any(|way| text.contains(way)) && !text.contains("\"/proc/");
            if way && !allowed && !text.contains("brawn_base::file::") {
                others.push(format!("{name}:{}: {}", line + 1, text.trim()));
            }
        }
    }
    assert!(others.is_empty(), "read these through brawn_base::file:\n{}", others.join("\n"));
}
