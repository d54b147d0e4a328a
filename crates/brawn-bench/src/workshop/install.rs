//! Programs from the crate registry.

use std::process::Command;

use serde::Deserialize;

use super::{Programs, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

/// A package of the registry with one executable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    /// Its version, exactly; its own lock file pins the rest.
    pub(super) version: String,
    /// The executable's name.
    executable: String,
    /// More arguments of `cargo install`: `--no-default-features`, `--features=…`.
    pub(super) args: Vec<String>,
}

impl Workshop {
    /// The program of `package` for each variant, by `cargo install` and `brawn cargo install`.
    ///
    /// # Errors
    /// [`Error::Absent`] without a Rust toolchain, [`Error::Build`].
    pub fn cargo_install(
        &self,
        package: &str,
        install: &Install,
        flavours: &[Flavour],
    ) -> Result<Programs, Error> {
        let compiler = self.versions().remove("rustc").unwrap_or_default();
        let inputs = ["install", &compiler, &install.version, &install.args.join(" ")];
        let slot = self.slot(package, &inputs)?;
        self.variants(package, &slot, flavours, false, &|base, to| {
            let target = self.triple(base)?;
            let root = slot.path().join(format!("root-{target}"));
            // Kept for musl: a link that is done again needs its inputs.
            let build = slot.path().join(format!("build-{target}"));
            let mut command = match base {
                Base::Musl => Command::new(&self.brawn),
                _ => Command::new("cargo"),
            };
            self.prepare(&mut command);
            command
                .args((base == Base::Musl).then_some("cargo"))
                .args(["install", "--locked", "--force", "--version", &install.version, "--target", &target])
                .arg("--root")
                .arg(&root)
                .args(&install.args)
                .arg(package)
                .env("CARGO_TARGET_DIR", &build)
                .current_dir(slot.path());
            self.step(&format!("installing {package}"), slot.path(), &mut command)?;
            fs_err::copy(root.join("bin").join(&install.executable), to)?;
            if base != Base::Musl {
                fs_err::remove_dir_all(&build)?;
            }
            Ok(())
        })
    }
}
