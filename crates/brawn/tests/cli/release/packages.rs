//! The crates as `cargo package` packs them: anyone who installs from a registry has no repository around them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::repository;
use crate::common::{Sandbox, ok};
use crate::once::once;

/// The unpacked packages, made once for all tests.
fn packages() -> Vec<PathBuf> {
    let folder = once(Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages"), |folder| {
        fs_err::remove_dir_all(folder).unwrap();
        let sandbox = Sandbox::new();
        let package = |offline: &[&str]| {
            let mut command = sandbox.command("cargo");
            command.current_dir(repository()).args([
                "package",
                "--workspace",
                "--exclude=xtask",
                "--exclude=brawn-fuzz",
                "--no-verify",
                "--allow-dirty",
            ]);
            command.args(["--quiet", "--locked"]).args(offline).arg("--target-dir").arg(folder);
            command
        };
        // The index of a machine that only fetched what is locked may lack entries.
        if !package(&["--offline"]).output().unwrap().status.success() {
            ok(&mut package(&[]));
        }
        let unpacked = folder.join("unpacked");
        fs_err::create_dir(&unpacked).unwrap();
        for entry in fs_err::read_dir(folder.join("package")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "crate") {
                ok(Command::new("tar").arg("-xzf").arg(&path).arg("-C").arg(&unpacked));
            }
        }
    });
    let entries = fs_err::read_dir(folder.join("unpacked")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn package(name: &str) -> PathBuf {
    let found = packages().into_iter().find(|folder| {
        let folder = folder.file_name().unwrap().to_str().unwrap();
        folder.strip_prefix(name).is_some_and(|rest| rest[1..].starts_with(|c: char| c.is_ascii_digit()))
    });
    found.unwrap_or_else(|| panic!("no package of {name}"))
}

/// Every file below a folder, links followed.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn every_crate_is_packed() {
    let crates = fs_err::read_dir(repository().join("crates")).unwrap();
    let mut names: Vec<String> =
        crates.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.push("brawn-kit-sources".to_owned());
    assert_eq!(packages().len(), names.len());
    for name in names {
        assert!(package(&name).join("Cargo.toml").is_file());
    }
}

#[test]
fn what_a_crate_includes_is_in_its_package() {
    let mut included = 0;
    for folder in packages() {
        for file in files(&folder).iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            let text = fs_err::read_to_string(file).unwrap();
            let calls = text.split("include_str!(\"").skip(1);
            for path in calls.filter_map(|rest| rest.split('"').next()) {
                let path = file.parent().unwrap().join(path);
                let real = path.canonicalize();
                let inside = real.is_ok_and(|path| path.starts_with(folder.canonicalize().unwrap()));
                assert!(inside, "{} includes {}", file.display(), path.display());
                included += 1;
            }
        }
    }
    assert!(included > 10, "{included}");
}

#[test]
fn the_kit_brings_the_sources_of_its_objects() {
    let sources = |root: &Path| -> BTreeSet<PathBuf> {
        let wanted = |path: &PathBuf| {
            !path.components().any(|part| ["test", "bench"].iter().any(|name| part.as_os_str() == *name))
        };
        let below = files(root).into_iter().map(|path| path.strip_prefix(root).unwrap().to_owned());
        below.filter(wanted).collect()
    };
    let own = sources(&repository().join("crates/brawn-kit/libc"));
    let mut packed = sources(&package("brawn-kit-sources"));
    for added in ["Cargo.lock", "Cargo.toml.orig", ".cargo_vcs_info.json"] {
        packed.remove(Path::new(added));
    }
    assert!(own.contains(Path::new("malloc/family.h")) && own.contains(Path::new("string/functions.toml")));
    assert_eq!(packed, own);
}

#[test]
fn the_workloads_are_packed_with_the_suites() {
    let suites = package("brawn-bench");
    let modules = files(&suites.join("workloads"));
    for file in [
        "workloads/common.rs",
        "workloads/malloc/larson.rs",
        "workloads/exporter/manifest.toml",
        "debian-source",
    ] {
        assert!(suites.join(file).is_file(), "{file}");
    }
    assert!(modules.len() > 15, "{modules:?}");
    for folder in ["workloads", "suites", "published"] {
        let below = |root: PathBuf| -> BTreeSet<PathBuf> {
            files(&root).into_iter().map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect()
        };
        let own = below(repository().join("crates/brawn-bench").join(folder));
        assert_eq!(below(suites.join(folder)), own);
    }
}
