//! Archives from elsewhere: pinned by digest, fetched by the machine's own package managers, or put there by hand.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_libc::sha256_hex;

use super::Workshop;
use crate::Error;

/// An archive that a suite unpacks.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The file's name.
    pub file: &'static str,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: &'static str,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where an archive comes from.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// The source of this Debian package, through the machine's own apt, without root.
    Debian(&'static str),
    /// A file of this requirement (`name==version`) on the Python index, through `python3 -m pip`.
    PyPi(&'static str),
    /// This file (`group:artifact:version`) of the Maven repository that `mvn` is set up for.
    Maven(&'static str),
    /// Nowhere that a program may fetch it from: the user puts it there. The text says where it is to be had.
    ByHand(&'static str),
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
        fs_err::create_dir_all(&folder)?;
        let path = folder.join(source.file);
        if path.exists() {
            check(&path, source.sha256)?;
            return Ok(path);
        }
        self.say(&format!("fetching {}", source.file));
        // Fetched beside its place, so that what is in place is always whole.
        let fresh = tempfile::Builder::new().prefix(".fetching-").tempdir_in(&folder)?;
        let fetched = match source.origin {
            Origin::Debian(package) => self.fetch_debian(package, source, fresh.path()),
            Origin::PyPi(requirement) => self.fetch_pypi(requirement, source, fresh.path()),
            Origin::Maven(coordinates) => self.fetch_maven(coordinates, source, fresh.path()),
            Origin::ByHand(_) => false,
        };
        let arrived = fresh.path().join(source.file);
        if !fetched || !arrived.exists() {
            let from = match source.origin {
                Origin::Debian(package) => format!("the source of Debian's {package}"),
                Origin::PyPi(requirement) => format!("{requirement} of the Python package index"),
                Origin::Maven(coordinates) => format!("{coordinates} of the Maven repository"),
                Origin::ByHand(text) => text.to_owned(),
            };
            return Err(Error::absent(
                format!("{} is not here and could not be fetched", source.file),
                format!("put it (SHA-256 {}, {from}) into {} yourself", source.sha256, folder.display()),
            ));
        }
        check(&arrived, source.sha256)?;
        fs_err::rename(&arrived, &path)?;
        Ok(path)
    }

    /// Unpacks an archive that `tar` or `unzip` understands into `folder`, which is emptied first. Leading folders of a
    /// tar archive are dropped: the first one is the archive's own name.
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
        } else {
            let mut command = Command::new("tar");
            command.arg("-xf").arg(archive).arg("-C").arg(folder).arg("--strip-components=1");
            command
        };
        let log = folder.parent().unwrap_or(folder);
        self.step(&format!("unpacking {}", archive.display()), log, &mut command)
    }

    fn fetch_debian(&self, package: &str, source: &Source, folder: &Path) -> bool {
        if brawn_link::toolchain::on_path("apt-get").is_none() {
            return false;
        }
        let script = folder.join("debian-source");
        if fs_err::write(&script, DEBIAN_SOURCE).is_err() {
            return false;
        }
        let mut command = Command::new("bash");
        command.arg(&script).args([package, source.file, source.sha256]).arg(folder);
        self.step(&format!("fetching {}", source.file), &self.root().join("sources"), &mut command).is_ok()
    }

    fn fetch_pypi(&self, requirement: &str, source: &Source, folder: &Path) -> bool {
        let list = folder.join("requirements.txt");
        if fs_err::write(&list, format!("{requirement} --hash=sha256:{}\n", source.sha256)).is_err() {
            return false;
        }
        let mut command = Command::new("python3");
        command
            .args(["-m", "pip", "download", "--no-deps", "--require-hashes", "--no-binary=:none:"])
            .args(["--disable-pip-version-check", "-d"])
            .arg(folder)
            .arg("-r")
            .arg(&list);
        self.step(&format!("fetching {}", source.file), &self.root().join("sources"), &mut command).is_ok()
    }

    fn fetch_maven(&self, coordinates: &str, source: &Source, folder: &Path) -> bool {
        let sources = self.root().join("sources");
        let mut command = Command::new("mvn");
        command
            .args(["--batch-mode", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"])
            .arg(format!("-Dartifact={coordinates}"))
            .arg(format!("-DoutputDirectory={}", folder.display()))
            // What it fetches for itself stays out of the user's own folder.
            .arg(format!("-Dmaven.repo.local={}", sources.join("maven").display()));
        self.step(&format!("fetching {}", source.file), &sources, &mut command).is_ok()
    }
}

fn check(path: &Path, wanted: &str) -> Result<(), Error> {
    let found = sha256_hex(&brawn_base::file::read(path, brawn_base::file::OBJECT)?);
    if found == wanted {
        return Ok(());
    }
    Err(Error::Checksum { path: path.to_owned(), found, wanted: wanted.to_owned() })
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;

    const SOURCE: Source = Source {
        file: "a.tar.gz",
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        origin: Origin::ByHand("from the shelf"),
    };

    #[test]
    fn archives_are_taken_only_with_the_right_digest() {
        let folder = tempfile::tempdir().unwrap();
        let brawn = folder.path().join("brawn");
        fs_err::write(&brawn, "").unwrap();
        let workshop = Workshop::open(&folder.path().join("work"), &brawn).unwrap();
        let error = workshop.source(&SOURCE).unwrap_err();
        assert_eq!(error.to_string(), "a.tar.gz is not here and could not be fetched");
        let hint = error.hint().unwrap();
        assert!(hint.contains("from the shelf") && hint.contains(SOURCE.sha256), "{hint}");
        let place = workshop.root().join("sources/a.tar.gz");
        fs_err::write(&place, "hello").unwrap();
        assert_eq!(workshop.source(&SOURCE).unwrap(), place);
        fs_err::write(&place, "hallo").unwrap();
        assert!(matches!(workshop.source(&SOURCE), Err(Error::Checksum { .. })));
    }
}
