//! Fetches archives through the registries' own clients, and takes executables out of them.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// A line of `list.toml`.
#[derive(Debug, Deserialize)]
pub struct Pinned {
    pub name: String,
    pub registry: String,
    pub package: String,
    pub version: String,
    pub sha256: String,
    pub file: String,
}

#[derive(Deserialize)]
struct List {
    executable: Vec<Pinned>,
}

pub fn list() -> Vec<Pinned> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/list.toml");
    let list: List = toml::from_str(&fs_err::read_to_string(path).unwrap()).unwrap();
    list.executable
}

/// The executable's content; an error when it cannot be had from here. What was fetched is kept for the next run.
pub fn executable(pinned: &Pinned) -> Result<Vec<u8>, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-executables").join(&pinned.sha256[..16]);
    fs_err::create_dir_all(&folder).unwrap();
    let archive = match archive_in(&folder) {
        Some(archive) => archive,
        None => {
            download(pinned, &folder)?;
            archive_in(&folder).ok_or("the client wrote no archive")?
        }
    };
    let content = fs_err::read(&archive).unwrap();
    let digest: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
    // Another archive than the one that was looked at is a failure, not an absence.
    assert_eq!(digest, pinned.sha256, "{} {}: {}", pinned.package, pinned.version, archive.display());
    unpack(&archive, &folder.join("content"), &pinned.file)
}

fn archive_in(folder: &Path) -> Option<PathBuf> {
    let kinds = ["whl", "tgz", "deb"];
    fs_err::read_dir(folder)
        .ok()?
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| kinds.iter().any(|kind| extension == *kind)))
}

fn download(pinned: &Pinned, folder: &Path) -> Result<(), String> {
    let what = |sign: &str| format!("{}{sign}{}", pinned.package, pinned.version);
    let mut command = match pinned.registry.as_str() {
        "pip" => {
            let mut command = Command::new("python3");
            command.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
            command.arg("--disable-pip-version-check");
            for platform in ["musllinux_1_2", "musllinux_1_1", "manylinux2014", "manylinux_2_17"] {
                command.arg("--platform").arg(format!("{platform}_x86_64"));
            }
            command.arg(what("=="));
            command
        }
        "npm" => {
            let mut command = Command::new("npm");
            command.args(["pack", "--silent", &what("@")]);
            command
        }
        "apt" => {
            let mut command = Command::new("apt-get");
            command.args(["download", "--quiet", &what("=")]);
            command
        }
        other => panic!("list.toml: no client for '{other}'"),
    };
    let output = command.current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", pinned.registry))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it failed").to_owned())
}

fn unpack(archive: &Path, folder: &Path, file: &str) -> Result<Vec<u8>, String> {
    let extension = archive.extension().unwrap().to_str().unwrap().to_owned();
    if !folder.exists() {
        let staged = folder.with_extension("partial");
        let _ = fs_err::remove_dir_all(&staged);
        fs_err::create_dir_all(&staged).unwrap();
        let mut command = match extension.as_str() {
            "whl" => Command::new("python3"),
            "tgz" => Command::new("tar"),
            _ => Command::new("dpkg-deb"),
        };
        match extension.as_str() {
            "whl" => command.args(["-m", "zipfile", "-e"]).arg(archive).arg(&staged),
            "tgz" => command.arg("-xzf").arg(archive).arg("-C").arg(&staged),
            _ => command.arg("-x").arg(archive).arg(&staged),
        };
        let status = command.status().map_err(|error| format!("{extension}: {error}"))?;
        assert!(status.success(), "{} cannot be unpacked", archive.display());
        fs_err::rename(&staged, folder).unwrap();
    }
    let path = find(folder, file).unwrap_or_else(|| panic!("{file} is not in {}", archive.display()));
    let mut content = Vec::new();
    fs_err::File::open(path).unwrap().read_to_end(&mut content).unwrap();
    Ok(content)
}

fn find(folder: &Path, file: &str) -> Option<PathBuf> {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let found = if path.is_dir() { find(&path, file) } else { path.ends_with(file).then_some(path) };
        if found.is_some() {
            return found;
        }
    }
    None
}
