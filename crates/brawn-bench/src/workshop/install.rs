//! Programs from the crate registry.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::{Programs, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

/// A package of the registry with one executable.
///
/// In the words of `before` and `env`, `{folder}` stands for a folder of the package's own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    /// Its version, exactly; its own lock file pins the rest.
    pub(super) version: String,
    /// The executable's name.
    executable: String,
    /// More arguments of `cargo install`: `--no-default-features`, `--features=…`.
    pub(super) args: Vec<String>,
    /// What puts there what its build scripts need and the system may lack, run one after the other.
    #[serde(default)]
    before: Vec<Vec<String>>,
    /// How they find it.
    #[serde(default)]
    env: BTreeMap<String, String>,
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
        let args = install.args.join(" ");
        let mut inputs = vec!["install", &compiler, &install.version, &args];
        inputs.extend(install.before.iter().flatten().map(String::as_str));
        inputs.extend(install.env.iter().flat_map(|(name, value)| [&**name, &**value]));
        let slot = self.slot(package, &inputs)?;
        self.variants(package, &slot, flavours, false, &|base, to| {
            let target = self.triple(base)?;
            let root = slot.path().join(format!("root-{target}"));
            // Kept for musl: a link that is done again needs its inputs.
            let build = slot.path().join(format!("build-{target}"));
            let tools = self.tools(package, install, slot.path())?;
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
                .envs(tools)
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

    /// Puts into a folder below `place` what build scripts need, and gives the variables by which they find it.
    pub(super) fn tools(
        &self,
        package: &str,
        install: &Install,
        place: &Path,
    ) -> Result<BTreeMap<String, String>, Error> {
        let folder = place.join("tools");
        let fill = |word: &String| word.replace("{folder}", &folder.to_string_lossy());
        if !install.before.is_empty() {
            let _ = fs_err::remove_dir_all(&folder);
            fs_err::create_dir(&folder)?;
        }
        for words in &install.before {
            let mut command = Command::new(&words[0]);
            self.prepare(&mut command);
            command.args(words[1..].iter().map(fill)).current_dir(&folder);
            self.step(&format!("preparing {package}"), place, &mut command)?;
        }
        Ok(install.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect())
    }
}
