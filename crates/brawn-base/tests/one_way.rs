//! What is done in one way alone: files are read through `brawn_base::file`, and errors are asked through `Diagnostic`.

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
    ("brawn-check/src/doctor/checks/machine.rs", "/proc/sys"),
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

/// Every source of the crates by its name, without its tests, which stand at the end.
fn code() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs_err::read_dir(&crates).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 100, "{files:?}");
    let named = |path: &PathBuf| {
        let name = path.strip_prefix(&crates).unwrap().to_str().unwrap().to_owned();
        let text = fs_err::read_to_string(path).unwrap();
        (name, text.split("#[cfg(test)]\nmod").next().unwrap().to_owned())
    };
    files.iter().map(named).collect()
}

#[test]
fn files_are_read_in_one_way() {
    let mut others = Vec::new();
    for (name, code) in code() {
        // The kit is built from this repository's own files.
        if ["brawn-base/", "brawn-kit/", "brawn-kit-build/"].iter().any(|own| name.starts_with(own)) {
            continue;
        }
        // The modules `schema` are tests.
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

#[test]
fn every_error_is_a_diagnostic_that_names_every_variant() {
    let mut wrong = Vec::new();
    let mut errors = 0;
    // The kit is built by Cargo: its errors never reach the executable.
    let own = ["brawn-kit-build/", "brawn-base/src/errors.rs"];
    for (name, code) in code().into_iter().filter(|(name, _)| !own.iter().any(|own| name.starts_with(own))) {
        // What this declares names every variant, or does not compile.
        errors += code.matches("brawn_base::errors! {").count();
        for declared in code.split("thiserror::Error)]").skip(1) {
            let item = |line: &&str| ["pub", "enum ", "struct "].iter().any(|word| line.starts_with(word));
            let item = declared.lines().find(item).unwrap();
            // What is not public is no error of a crate, but stands behind one.
            let Some(item) = item.strip_prefix("pub ") else { continue };
            let error = item.split([' ', '(', '<']).nth(1).unwrap();
            errors += 1;
            if !code.contains(&format!("impl Diagnostic for {error} {{")) {
                wrong.push(format!("{name}: {error} is no Diagnostic"));
            }
        }
        for block in code.split("impl Diagnostic for ").skip(1) {
            let block = block.split("\n}\n").next().unwrap();
            if block.lines().any(|line| line.trim_start().starts_with("_ =>")) {
                wrong.push(format!(
                    "{name}: a variant of {} has no code or hint",
                    block.lines().next().unwrap()
                ));
            }
        }
        if code.contains("downcast") && name != "brawn-base/src/file.rs" {
            wrong.push(format!("{name}: ask the Diagnostic instead of guessing by downcast"));
        }
    }
    assert!(errors >= 13 && wrong.is_empty(), "{errors} errors\n{}", wrong.join("\n"));
}
