//! Rust packages of our own that stand on crates of others.

use std::process::Command;

use super::{Programs, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

impl Workshop {
    /// The program of the package `name` for each variant, with the package's files by their paths in it, `Cargo.lock` and
    /// `src/main.rs` among them. Its lock file pins every crate by version and digest.
    ///
    /// # Errors
    /// [`Error::Absent`] without a Rust toolchain, or when the crates cannot be fetched; [`Error::Build`].
    pub fn package(
        &self,
        name: &str,
        files: &[(&str, &str)],
        flavours: &[Flavour],
    ) -> Result<Programs, Error> {
        let compiler = self.versions().remove("rustc").unwrap_or_default();
        let mut inputs = vec!["package", &compiler];
        inputs.extend(files.iter().flat_map(|(path, text)| [*path, *text]));
        let slot = self.slot(name, &inputs)?;
        let tree = slot.path().join("package");
        for (path, text) in files {
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
        self.variants(name, &slot, flavours, false, &|base, to| {
            let target = self.triple(base)?;
            let mut fetch = cargo(&["fetch", "--target", &target]);
            self.step(&format!("fetching the crates of {name}"), slot.path(), &mut fetch).map_err(
                |error| match error {
                    Error::Build { tail, .. } => Error::absent(
                        format!("the crates that {name} stands on could not be fetched: {tail}"),
                        "is the crate registry in reach? `cargo fetch` in any package tells more",
                    ),
                    other => other,
                },
            )?;
            let folder = slot.path().join("build");
            let mut command = cargo(&["build", "--release", "--offline", "--target", &target]);
            command.env("CARGO_TARGET_DIR", &folder);
            if base == Base::Musl {
                let variable = target.to_uppercase().replace('-', "_");
                command.env(format!("CARGO_TARGET_{variable}_LINKER"), self.musl_linker()?);
            }
            self.step(&format!("building {name} for {target}"), slot.path(), &mut command)?;
            fs_err::copy(folder.join(&target).join("release").join(name), to)?;
            Ok(())
        })
    }
}
