//! Archives from elsewhere: pinned by digest, fetched by the machine's own package managers, or put there by hand.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_libc::sha256_hex;
use serde::Deserialize;

use super::Workshop;
use crate::Error;

/// An archive that a suite unpacks.
#[derive(Clone, Debug, Deserialize)]
pub struct Source {
    /// The file's name.
    pub file: String,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: String,
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
}

/// Where an archive comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The source of this Debian package, through the machine's own apt, without root; of another release as apt writes it,
    /// `daemon/trixie`.
    Debian(String),
    /// A file of this requirement (`name==version`) on the Python index, through `python3 -m pip`.
    Pypi(String),
    /// This file (`group:artifact:version`) of the Maven repository that `mvn` is set up for.
    Maven(String),
    /// This version of a crate, by `cargo vendor`: a folder instead of an archive, and the digest is that of the `.crate`
    /// file that the registry hands out.
    Crate(String, String),
    /// Nowhere that a program may fetch it from: the user puts it there. The text says where it is to be had.
    ByHand(String),
}

/// Fetches a Debian source; see the head of the script.
const DEBIAN_SOURCE: &str = include_str!("../../debian-source");

impl Workshop {
    /// The archive, in the workshop's folder `sources`, checked against its digest.
    ///
    /// # Errors
    /// [`Error::Absent`] when it is not there and cannot be fetched; [`Error::Checksum`].
    pub fn source(&self, source: &Source) -> Result<PathBuf, Error> {
        let folder = self.root().join("sources");
        let path = folder.join(&source.file);
        // Its lock: two runs at once fetch it once.
        fs_err::create_dir_all(&folder)?;
        let _slot = self.slot(&format!("fetch-{}", source.file), &[&source.sha256])?;
        if path.exists() {
            check(&path, &source.sha256)?;
            return Ok(path);
        }
        self.say(&format!("fetching {}", source.file));
        // Fetched beside its place, so that what is in place is always whole.
        let fresh = tempfile::Builder::new().prefix(".fetching-").tempdir_in(&folder)?;
        let (command, mut arrived) = (self.fetch(source, fresh.path())?, fresh.path().join(&source.file));
        if let Origin::Crate(..) = source.origin {
            // Cargo fetches what a package depends on, and all that this depends on in turn; only the one is kept.
            arrived = fresh.path().join("crates").join(&source.file);
        }
        let fetched = command.is_some_and(|mut command| {
            self.prepare(&mut command);
            self.step(&format!("fetching {}", source.file), &folder, &mut command).is_ok()
        });
        if !fetched || !arrived.exists() {
            return Err(absent(source, &folder));
        }
        check(&arrived, &source.sha256)?;
        fs_err::rename(&arrived, &path)?;
        Ok(path)
    }

    /// What fetches a source into a folder; none where nothing does.
    fn fetch(&self, source: &Source, folder: &Path) -> Result<Option<Command>, Error> {
        let mut command;
        match &source.origin {
            Origin::Debian(_) if brawn_link::toolchain::on_path("apt-get").is_none() => return Ok(None),
            Origin::Debian(package) => {
                let script = folder.join("debian-source");
                fs_err::write(&script, DEBIAN_SOURCE)?;
                let (package, release) = package.split_once('/').unwrap_or((package, ""));
                command = Command::new("bash");
                command.arg(&script).args([package, &source.file, &source.sha256]).arg(folder).arg(release);
            }
            Origin::Pypi(requirement) => {
                let list = folder.join("requirements.txt");
                fs_err::write(&list, format!("{requirement} --hash=sha256:{}\n", source.sha256))?;
                command = Command::new("python3");
                command
                    .args(["-m", "pip", "download", "--no-deps", "--require-hashes", "--no-binary=:none:"])
                    .args(["--disable-pip-version-check", "-d"])
                    .arg(folder)
                    .arg("-r")
                    .arg(&list);
            }
            Origin::Maven(coordinates) => {
                command = Command::new("mvn");
                command
                    .args(["--batch-mode", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"])
                    .arg(format!("-Dartifact={coordinates}"))
                    .arg(format!("-DoutputDirectory={}", folder.display()))
                    // What it fetches for itself stays out of the user's own folder.
                    .arg(format!("-Dmaven.repo.local={}", self.root().join("sources/maven").display()));
            }
            Origin::Crate(name, version) => {
                let manifest = format!(
                    "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
                     [dependencies]\n{name} = \"={version}\"\n"
                );
                fs_err::create_dir(folder.join("src"))?;
                fs_err::write(folder.join("src/lib.rs"), "")?;
                fs_err::write(folder.join("Cargo.toml"), manifest)?;
                command = Command::new("cargo");
                command.args(["vendor", "--versioned-dirs", "crates"]).current_dir(folder);
            }
            Origin::ByHand(_) => return Ok(None),
        }
        Ok(Some(command))
    }

    /// Unpacks an archive that `tar` or `unzip` understands into `folder`, which is emptied first, or copies a crate's
    /// files there. Leading folders of a tar archive are dropped: the first one is the archive's own name.
    ///
    /// # Errors
    /// [`Error::Build`], [`Error::Spawn`] without tar.
    pub fn unpack(&self, archive: &Path, folder: &Path) -> Result<(), Error> {
        if folder.exists() {
            fs_err::remove_dir_all(folder)?;
        }
        fs_err::create_dir_all(folder)?;
        let zip = archive.extension().is_some_and(|extension| extension == "zip" || extension == "whl");
        let mut command = if zip {
            let mut command = Command::new("python3");
            command.args(["-m", "zipfile", "-e"]).args([archive, folder]);
            command
        } else if archive.is_dir() {
            let mut command = Command::new("cp");
            command.arg("-R").arg(archive.join(".")).arg(folder);
            command
        } else {
            let mut command = Command::new("tar");
            command.arg("-xf").arg(archive).arg("-C").arg(folder).arg("--strip-components=1");
            command
        };
        let log = folder.parent().unwrap_or(folder);
        self.step(&format!("unpacking {}", archive.display()), log, &mut command)
    }
}

/// How to get by hand what could not be fetched.
fn absent(source: &Source, folder: &Path) -> Error {
    let (file, sha256, folder) = (&source.file, &source.sha256, folder.display());
    let from = match &source.origin {
        Origin::Debian(package) => format!("the source of Debian's {package}"),
        Origin::Pypi(requirement) => format!("{requirement} of the Python package index"),
        Origin::Maven(coordinates) => format!("{coordinates} of the Maven repository"),
        Origin::Crate(..) => {
            return Error::absent(
                format!("the crate {file} is not here and could not be fetched"),
                format!(
                    "`cargo vendor --versioned-dirs` it where there is a network (SHA-256 {sha256}), and put the folder \
                     {file} into {folder}"
                ),
            );
        }
        Origin::ByHand(text) => text.clone(),
    };
    Error::absent(
        format!("{file} is not here and could not be fetched"),
        format!("put it (SHA-256 {sha256}, {from}) into {folder} yourself"),
    )
}

/// Compares the digest: a file's own, or that of the package which `cargo vendor` wrote down beside a crate's files.
fn check(path: &Path, wanted: &str) -> Result<(), Error> {
    let found = if path.is_dir() {
        let text = brawn_base::file::text(path.join(".cargo-checksum.json")).unwrap_or_default();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        value["package"].as_str().unwrap_or_default().to_owned()
    } else {
        sha256_hex(&brawn_base::file::read(path, brawn_base::file::OBJECT)?)
    };
    if found == wanted {
        return Ok(());
    }
    Err(Error::Checksum { path: path.to_owned(), found, wanted: wanted.to_owned() })
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;

    fn source(text: &str) -> Source {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn archives_are_taken_only_with_the_right_digest() {
        let folder = tempfile::tempdir().unwrap();
        let brawn = folder.path().join("brawn");
        fs_err::write(&brawn, "").unwrap();
        let workshop = Workshop::open(&folder.path().join("work"), &brawn).unwrap();
        let source = source(
            "file = 'a.tar.gz'\nby-hand = 'from the shelf'\n\
             sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'",
        );
        let error = workshop.source(&source).unwrap_err();
        assert_eq!(error.to_string(), "a.tar.gz is not here and could not be fetched");
        let hint = error.hint().unwrap();
        assert!(hint.contains("from the shelf") && hint.contains(&source.sha256), "{hint}");
        let place = workshop.root().join("sources/a.tar.gz");
        fs_err::write(&place, "hello").unwrap();
        assert_eq!(workshop.source(&source).unwrap(), place);
        fs_err::write(&place, "hallo").unwrap();
        assert!(matches!(workshop.source(&source), Err(Error::Checksum { .. })));
    }

    #[test]
    fn a_crate_is_taken_only_with_the_right_digest() {
        let source = source("file = 'a-1.0.0'\nsha256 = 'abc'\ncrate = ['a', '1.0.0']");
        let folder = tempfile::tempdir().unwrap();
        let brawn = folder.path().join("brawn");
        fs_err::write(&brawn, "").unwrap();
        let workshop = Workshop::open(&folder.path().join("work"), &brawn).unwrap();
        let place = workshop.root().join("sources/a-1.0.0");
        fs_err::create_dir_all(&place).unwrap();
        assert!(matches!(workshop.source(&source), Err(Error::Checksum { .. })));
        fs_err::write(place.join(".cargo-checksum.json"), "{\"files\":{},\"package\":\"abc\"}").unwrap();
        assert_eq!(workshop.source(&source).unwrap(), place);
        fs_err::write(place.join(".cargo-checksum.json"), "{\"files\":{},\"package\":\"abd\"}").unwrap();
        assert!(matches!(workshop.source(&source), Err(Error::Checksum { .. })));
    }
}
