//! The own tests of programs of others: each variant is built and tested in a tree of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use brawn_link::vars;

use super::make::Tree;
use super::{Install, Made, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

/// Seconds that the tests of a package may take, its compilation included: some wait for what is not here.
const LIMIT: &str = "1500";

impl Workshop {
    /// What the own tests of a program with a build system of its own print, one command after the other, in a tree that is
    /// built below `folder` and removed when they have run. A test that fails is no error.
    ///
    /// # Errors
    /// As [`Workshop::made`]; [`Error::Spawn`] when a command of the tests cannot be run.
    pub fn tests_of_made(
        &self,
        name: &str,
        made: &Made,
        flavour: &Flavour,
        folder: &Path,
        tests: &[Vec<String>],
    ) -> Result<String, Error> {
        fs_err::create_dir_all(folder)?;
        let tree = folder.join("tree");
        let place = Tree { made, folder, tree: &tree, base: flavour.base };
        place.unpack(self)?;
        let command = |words: &[String]| {
            let mut command = place.command(self, words)?;
            linked_as(flavour, &mut command);
            Ok(command)
        };
        for words in &made.commands {
            self.step(&format!("building {name} for {}", flavour.name), folder, &mut command(words)?)?;
        }
        let said = said_by(folder, tests, command)?;
        fs_err::remove_dir_all(&tree)?;
        Ok(said)
    }

    /// The same of a package of the registry: each of `tests` is what follows `cargo test`, and with `brawn cargo test` they
    /// run as static executables. What is compiled stays in `build` beside `folder`, for the next variant of the same libc.
    ///
    /// # Errors
    /// [`Error::Absent`] without a Rust toolchain or the package, [`Error::Spawn`].
    pub fn tests_of_crate(
        &self,
        name: &str,
        install: &Install,
        flavour: &Flavour,
        folder: &Path,
        tests: &[Vec<String>],
    ) -> Result<String, Error> {
        fs_err::create_dir_all(folder)?;
        let tree = folder.join("tree");
        self.unpack(&self.crate_sources(name, &install.version, folder)?, &tree)?;
        // It belongs to no workspace that the folder may lie in. What cargo packs names none of its own.
        let manifest = fs_err::OpenOptions::new().append(true).open(tree.join("Cargo.toml"));
        writeln!(manifest?, "\n[workspace]")?;
        let target = self.triple(flavour.base)?;
        let tools = self.tools(name, install, folder)?;
        let said = said_by(folder, tests, |words| {
            let mut command = Command::new("timeout");
            command.args(["--kill-after=9", LIMIT]);
            match flavour.base {
                Base::Musl => command.arg(&self.brawn).arg("cargo"),
                _ => command.arg("cargo"),
            };
            self.prepare(&mut command);
            linked_as(flavour, &mut command);
            command
                .args(["test", "--locked", "--no-fail-fast", "--target", &target])
                .args(&install.args)
                .args(words);
            command
                .envs(&tools)
                .env("CARGO_TARGET_DIR", folder.with_file_name("build"))
                // What is of no use here takes most of the room.
                .env("CARGO_INCREMENTAL", "0")
                .env("CARGO_PROFILE_DEV_DEBUG", "0")
                .current_dir(&tree);
            Ok(command)
        })?;
        fs_err::remove_dir_all(&tree)?;
        Ok(said)
    }

    /// Where cargo has unpacked a package of the registry, which it fetches if need be.
    fn crate_sources(&self, name: &str, version: &str, folder: &Path) -> Result<PathBuf, Error> {
        let package = tempfile::Builder::new().prefix(".fetching-").tempdir_in(folder)?;
        let manifest = format!(
            "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n"
        );
        fs_err::create_dir(package.path().join("src"))?;
        fs_err::write(package.path().join("src/lib.rs"), "")?;
        fs_err::write(package.path().join("Cargo.toml"), manifest)?;
        let mut command = Command::new("cargo");
        self.prepare(&mut command);
        self.step(&format!("fetching {name}"), folder, command.arg("fetch").current_dir(package.path()))?;
        unpacked_crate(name, version)
    }
}

/// Where cargo has unpacked a package of the registry.
///
/// # Errors
/// [`Error::Absent`] where it has not.
pub fn unpacked_crate(name: &str, version: &str) -> Result<PathBuf, Error> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let registries = fs_err::read_dir(home.join("registry/src"))?;
    let mut places = registries.flatten().map(|registry| registry.path().join(format!("{name}-{version}")));
    places.find(|place| place.join("Cargo.toml").is_file()).ok_or_else(|| {
        Error::absent(
            format!("cargo has not unpacked the sources of {name} {version}"),
            "is the crate registry in reach? `cargo fetch` in any package tells more",
        )
    })
}

/// Linked as the variant is, and not with stock musl to be linked again.
fn linked_as(flavour: &Flavour, command: &mut Command) {
    command.env_remove(vars::MALLOC).env(vars::PRESET, &flavour.name);
}

/// What the commands say, which also stays as the file `tests` in `folder`.
fn said_by(
    folder: &Path,
    tests: &[Vec<String>],
    command: impl Fn(&[String]) -> Result<Command, Error>,
) -> Result<String, Error> {
    let said = folder.join("tests");
    let _ = fs_err::remove_file(&said);
    let log = || fs_err::OpenOptions::new().create(true).append(true).open(&said);
    for words in tests {
        let mut command = command(words)?;
        let out = log()?.into_file();
        command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);
        let program = command.get_program().to_string_lossy().into_owned();
        let status = command.status().map_err(|source| Error::Spawn { program, source })?;
        if !status.success() {
            writeln!(log()?, "\ncommand failed: {}: {status}", words.join(" "))?;
        }
    }
    let text = brawn_base::file::read(&said, brawn_base::file::OBJECT)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
