//! Programs that are a single Rust file without dependencies.
//!
//! All workloads of our own are such programs, those that call the C library directly included, but for the suite `libc`:
//! they need a Rust toolchain with the musl target and a linker, while C needs musl's headers.

use std::process::Command;

use super::{Programs, Workshop};
use crate::Error;
use crate::flavour::{Base, Flavour};

/// Optimised as for a release, with the symbols that profilers show.
const FLAGS: &[&str] =
    &["--edition=2024", "-Copt-level=3", "-Ccodegen-units=1", "-Cpanic=abort", "-Cstrip=debuginfo"];

impl Workshop {
    /// The program `name` from its one source file, for each variant.
    ///
    /// # Errors
    /// [`Error::Absent`] without a Rust toolchain, [`Error::Build`].
    pub fn rust_program(&self, name: &str, source: &str, flavours: &[Flavour]) -> Result<Programs, Error> {
        let compiler = self.rustc_version()?;
        let slot = self.slot(name, &["rust", &compiler, &FLAGS.join(" "), source])?;
        let file = slot.path().join(format!("{name}.rs"));
        fs_err::write(&file, source)?;
        self.variants(name, &slot, flavours, true, &|base, to| {
            let target = self.triple(base)?;
            let extra = match base {
                Base::Glibc => None,
                Base::GlibcStatic => Some("-Ctarget-feature=+crt-static".to_owned()),
                Base::Musl => Some(format!("-Clinker={}", self.musl_linker()?.display())),
            };
            let mut command = rustc();
            self.prepare(&mut command);
            command.args(FLAGS).arg(format!("--target={target}")).args(extra).arg("-o").args([to, &file]);
            self.step(&format!("compiling {name} for {target}"), slot.path(), &mut command)
        })
    }

    /// What `rustc -vV` says, which changes with everything that changes what it makes.
    fn rustc_version(&self) -> Result<String, Error> {
        let rust = self.rust()?;
        let output =
            rustc().arg("-vV").output().map_err(|source| Error::Spawn { program: "rustc".into(), source })?;
        Ok(format!("{}\n{}", rust.sysroot.display(), String::from_utf8_lossy(&output.stdout)))
    }
}

fn rustc() -> Command {
    let named = std::env::var("RUSTC").ok().filter(|name| !name.is_empty());
    Command::new(named.as_deref().unwrap_or("rustc"))
}
