//! Sources that are published as a crate, for programs in other languages that only the crate registry carries.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Workshop;
use crate::Error;

/// A crate of the registry.
#[derive(Clone, Copy, Debug)]
pub struct CrateSource {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The SHA-256 of the `.crate` file that the registry hands out.
    pub sha256: &'static str,
}

impl Workshop {
    /// The unpacked crate, in the workshop's folder `sources`. Cargo checks it against the registry's digest, and this
    /// against ours.
    ///
    /// # Errors
    /// [`Error::Absent`] when it is not there and cannot be fetched; [`Error::Checksum`].
    pub fn crate_source(&self, source: &CrateSource) -> Result<PathBuf, Error> {
        let folder = self.root().join("sources");
        let name = format!("{}-{}", source.name, source.version);
        let place = folder.join(&name);
        // Its lock: two runs at once fetch it once.
        let _slot = self.slot(&format!("fetch-{name}"), &[source.sha256])?;
        if place.exists() {
            return check(&place, source).map(|()| place);
        }
        fs_err::create_dir_all(&folder)?;
        self.say(&format!("fetching {name}"));
        // Cargo fetches what a package depends on, and all that this depends on in turn; only the one is kept.
        let fresh = tempfile::Builder::new().prefix(".fetching-").tempdir_in(&folder)?;
        let manifest = format!(
            "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\n{} = \"={}\"\n",
            source.name, source.version
        );
        fs_err::create_dir(fresh.path().join("src"))?;
        fs_err::write(fresh.path().join("src/lib.rs"), "")?;
        fs_err::write(fresh.path().join("Cargo.toml"), manifest)?;
        let mut command = Command::new("cargo");
        self.prepare(&mut command);
        command.args(["vendor", "--versioned-dirs", "crates"]).current_dir(fresh.path());
        let fetched = self.step(&format!("fetching {name}"), &folder, &mut command).is_ok();
        let arrived = fresh.path().join("crates").join(&name);
        if !fetched || !arrived.exists() {
            return Err(Error::absent(
                format!("the crate {name} is not here and could not be fetched"),
                format!(
                    "`cargo vendor --versioned-dirs` it where there is a network (SHA-256 {}), and put the folder \
                     {name} into {}",
                    source.sha256,
                    folder.display()
                ),
            ));
        }
        check(&arrived, source)?;
        fs_err::rename(&arrived, &place)?;
        Ok(place)
    }
}

/// Compares the digest of the package that `cargo vendor` wrote down.
fn check(folder: &Path, source: &CrateSource) -> Result<(), Error> {
    let path = folder.join(".cargo-checksum.json");
    let text = brawn_base::file::text(&path).unwrap_or_default();
    let found = serde_json::from_str::<serde_json::Value>(&text)
        .ok()
        .and_then(|value| Some(value.get("package")?.as_str()?.to_owned()))
        .unwrap_or_default();
    if found == source.sha256 {
        return Ok(());
    }
    Err(Error::Checksum { path: folder.to_owned(), found, wanted: source.sha256.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: CrateSource = CrateSource { name: "a", version: "1.0.0", sha256: "abc" };

    #[test]
    fn a_crate_is_taken_only_with_the_right_digest() {
        let folder = tempfile::tempdir().unwrap();
        let brawn = folder.path().join("brawn");
        fs_err::write(&brawn, "").unwrap();
        let workshop = Workshop::open(&folder.path().join("work"), &brawn).unwrap();
        let place = workshop.root().join("sources/a-1.0.0");
        fs_err::create_dir_all(&place).unwrap();
        assert!(matches!(workshop.crate_source(&SOURCE), Err(Error::Checksum { .. })));
        fs_err::write(place.join(".cargo-checksum.json"), "{\"files\":{},\"package\":\"abc\"}").unwrap();
        assert_eq!(workshop.crate_source(&SOURCE).unwrap(), place);
        fs_err::write(place.join(".cargo-checksum.json"), "{\"files\":{},\"package\":\"abd\"}").unwrap();
        assert!(matches!(workshop.crate_source(&SOURCE), Err(Error::Checksum { .. })));
    }
}
