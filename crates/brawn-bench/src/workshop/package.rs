//! Rust packages of our own that stand on crates of others.

use std::process::Command;

use super::{Programs, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

/// A package with a lock file, embedded into this executable.
pub struct Package<'a> {
    /// Its name, which is its executable's, too.
    pub name: &'a str,
    /// Its files, by path within the package: `Cargo.toml`, `Cargo.lock`, `src/main.rs`, …
    pub files: &'a [(&'a str, &'a str)],
}

impl Workshop {
    /// The program for each variant. Its lock file pins every crate by version and digest.
    ///
    /// # Errors
    /// [`Error::Absent`] without a Rust toolchain, or when the crates cannot be fetched; [`Error::Build`].
    pub fn package(&self, package: &Package<'_>, flavours: &[Flavour]) -> Result<Programs, Error> {
        let compiler = self.versions().remove("rustc").unwrap_or_default();
        let mut inputs = vec!["package", &compiler];
        inputs.extend(package.files.iter().flat_map(|(path, text)| [*path, *text]));
        let slot = self.slot(package.name, &inputs)?;
        let tree = slot.path().join("package");
        for (path, text) in package.files {
            let path = tree.join(path);
            fs_err::create_dir_all(path.parent().unwrap_or(&tree))?;
            fs_err::write(path, text)?;
        }
        let cargo = |words: &[&str]| {
            let mut command = Command::new("cargo");
            self.prepare(&mut command);
            command.args(words).arg("--locked").current_dir(&tree);
            command
        };
        self.variants(package.name, &slot, flavours, false, &|base, to| {
            let target = self.triple(base)?;
            let mut fetch = cargo(&["fetch", "--target", &target]);
            self.step(&format!("fetching the crates of {}", package.name), slot.path(), &mut fetch).map_err(
                |error| match error {
                    Error::Build { tail, .. } => Error::absent(
                        format!("the crates that {} stands on could not be fetched: {tail}", package.name),
                        "is the crate registry in reach? `cargo fetch` in any package tells more",
                    ),
                    other => other,
                },
            )?;
            let folder = slot.path().join("build");
            let mut command = cargo(&["build", "--release", "--offline", "--target", &target]);
            command.env("CARGO_TARGET_DIR", &folder);
            if base == Base::Musl {
                let name = target.to_uppercase().replace('-', "_");
                command.env(format!("CARGO_TARGET_{name}_LINKER"), self.musl_linker()?);
            }
            self.step(&format!("building {} for {target}", package.name), slot.path(), &mut command)?;
            fs_err::copy(folder.join(&target).join("release").join(package.name), to)?;
            Ok(())
        })
    }
}
