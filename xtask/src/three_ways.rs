//! One package, built three ways.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::workshop::{Workshop, step};

/// Where one of the three is made.
pub struct Slot {
    /// A folder of its own, for `cargo install --root`.
    pub root: PathBuf,
    /// Where `cargo build --release` puts executables.
    pub release: PathBuf,
}

/// The same source with each libc.
pub struct ThreeWays {
    /// Linked dynamically against the host's glibc, as `cargo build` does.
    pub glibc: PathBuf,
    /// Static, with musl's own heap: `brawn --malloc stock`.
    pub stock: PathBuf,
    /// Static, made by `brawn`.
    pub brawn: PathBuf,
}

impl ThreeWays {
    /// Builds `executable`. `arguments` adds cargo's subcommand and arguments and answers with the file that
    /// cargo will make.
    ///
    /// Both static ones are made by `brawn`: cargo compiles everything again when it is told of another linker, so plain
    /// cargo would double the time, and this way the two differ in `libc.a` and in nothing else.
    pub fn build(
        workshop: &Workshop,
        executable: &str,
        arguments: impl Fn(&mut Command, &Slot) -> PathBuf,
    ) -> Result<Self> {
        let build =
            |name: &str, mut command: Command, subcommand: &[&str], target: &str| -> Result<PathBuf> {
                let built = workshop.folder.join("build");
                let slot =
                    Slot { root: workshop.folder.join(name), release: built.join(target).join("release") };
                command.args(subcommand).env("CARGO_TARGET_DIR", &built);
                let made = arguments(&mut command, &slot);
                command.args(["--target", target]);
                step(&format!("{executable} with {name}"), &mut command)?;
                workshop.keep(&made, &format!("{executable}-{name}"))
            };
        let glibc = build("glibc", workshop.cargo(), &[], &workshop.glibc)?;
        let stock = build("stock", workshop.brawn(), &["--malloc", "stock", "cargo"], &workshop.musl)?;
        let brawn = build("brawn", workshop.brawn(), &["cargo"], &workshop.musl)?;
        // Cargo may take an executable for fresh that another linker made; then nothing would be compared.
        ensure!(
            fs_err::read(&stock)? != fs_err::read(&brawn)?,
            "the executables of stock musl and of brawn are the same: {} was not linked again",
            brawn.display()
        );
        Ok(Self { glibc, stock, brawn })
    }

    /// Installs a crate of the registry, whose executable has its name. `more` goes to cargo.
    pub fn install(workshop: &Workshop, name: &str, version: &str, more: &[&str]) -> Result<Self> {
        Self::build(workshop, name, |command, slot| {
            command.args(["install", "--quiet", "--locked", "--force", "--version", version, "--root"]);
            command.arg(&slot.root).args(more).arg(name);
            slot.root.join("bin").join(name)
        })
    }

    /// Name and executable of each, the baseline first.
    pub fn each(&self) -> [(&'static str, &Path); 3] {
        [("glibc", &self.glibc), ("stock musl", &self.stock), ("Brawn", &self.brawn)]
    }
}
