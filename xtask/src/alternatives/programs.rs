//! The programs, and how each way builds and runs them.
//!
//! They are those of the study of `brawn tune`, which were chosen before this comparison, less the server, and less the one
//! that the README shows already: one in Rust with threads, one in Rust without, one in C.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use brawn_measure::{Output, Session, Variant};

use super::heaps::{Attribute, JEMALLOC, MIMALLOC};
use super::ways::{OLD, Tools, Way};
use crate::study::build::{fetched, unpack};
use crate::study::programs::{Origin, PROGRAMS, Program};
use crate::workshop::step;

/// Their names.
pub const NAMES: [&str; 3] = ["tokei", "jaq", "lua"];

pub fn programs() -> impl Iterator<Item = &'static Program> {
    NAMES.into_iter().filter_map(|name| PROGRAMS.iter().find(|program| program.name == name))
}

/// One program, built one way.
pub struct Build {
    pub way: Way,
    /// The build, from nothing if [`Build::clean`] ran before.
    pub variant: Variant,
    /// The executable that it makes.
    pub made: PathBuf,
    /// cargo's target folder, or the sources of a program in C.
    folder: PathBuf,
    /// Whether it is in Rust.
    pub is_cargo: bool,
}

impl Build {
    /// How `way` builds `program`; what it needs is fetched and unpacked.
    pub fn of(program: &'static Program, way: Way, tools: &Tools<'_>) -> Result<Self> {
        match &program.origin {
            Origin::Crate(_, name, more) => cargo(program, name, more, way, tools),
            Origin::Debian(source, _, executables) => {
                let work = &tools.workshop.folder;
                let folder = work.join(format!("{}-{}", program.name, way.slug()));
                if !folder.exists() {
                    unpack(source, &folder, work)?;
                }
                let (cc, libraries) = tools.cc(way);
                let variant = Variant::new(way.name(), "make")
                    .args(["-s", "-j2", "-C", "src", "posix"])
                    .arg(format!("CC={cc} -std=gnu99"))
                    .arg(format!("MYLIBS={libraries}"))
                    .env("BRAWN_CACHE_DIR", work.join("cache"))
                    .current_dir(&folder);
                let made = folder.join(executables[0]);
                Ok(Self { way, variant, made, folder, is_cargo: false })
            }
        }
    }

    /// Removes what an earlier build left.
    pub fn clean(&self) -> Result<()> {
        match self.is_cargo {
            true if self.folder.exists() => Ok(fs_err::remove_dir_all(&self.folder)?),
            true => Ok(()),
            false => {
                let mut command = Command::new("make");
                command.args(["-s", "-C", "src", "clean"]).current_dir(&self.folder);
                let status = command.status().context("cannot run make")?;
                anyhow::ensure!(status.success(), "make clean: {status}");
                Ok(())
            }
        }
    }

    /// Makes the next build compile and link the program's last crate again; one in C is built from nothing.
    pub fn touch(&self) -> Result<()> {
        if !self.is_cargo {
            return self.clean();
        }
        let package = self.variant.current_dir.as_deref().context("a build without a folder")?;
        let main = fs_err::OpenOptions::new().append(true).open(package.join("src/main.rs"))?;
        Ok(main.set_modified(std::time::SystemTime::now())?)
    }

    /// The executable, built if it is not there.
    pub fn executable(&self) -> Result<&Path> {
        if !self.made.exists() {
            let variant = &self.variant;
            let mut command = Command::new(&variant.program);
            command.args(&variant.args).envs(variant.env.iter().map(|(key, value)| (key, value)));
            command.current_dir(variant.current_dir.as_deref().unwrap_or(Path::new(".")));
            step(&format!("{}: {}", self.way.name(), self.made.display()), &mut command)?;
        }
        Ok(&self.made)
    }
}

fn cargo(program: &'static Program, name: &str, more: &[&str], way: Way, tools: &Tools<'_>) -> Result<Build> {
    let work = &tools.workshop.folder;
    let place = fetched(program, work)?;
    let package = match way {
        Way::Mimalloc => with_heap(&place, &MIMALLOC)?,
        Way::Jemalloc => with_heap(&place, &JEMALLOC)?,
        _ => place,
    };
    let (program, arguments): (PathBuf, &[&str]) = match way {
        Way::OldGlibc => (tools.zigbuild.clone(), &["zigbuild"]),
        Way::Brawn => (tools.workshop.brawn.clone(), &["cargo", "build"]),
        _ => ("cargo".into(), &["build"]),
    };
    let triple = match way {
        Way::Glibc | Way::OldGlibc => &tools.workshop.glibc,
        _ => &tools.workshop.musl,
    };
    let asked = if way == Way::OldGlibc { format!("{triple}.{OLD}") } else { triple.clone() };
    let folder = work.join("targets").join(format!("{name}-{}", way.slug()));
    let mut variant = Variant::new(way.name(), program)
        .args(arguments)
        .args(["--release", "--locked", "--quiet", "--bin", name, "--target", &asked])
        .args(more)
        .env("CARGO_TARGET_DIR", &folder)
        .env("CARGO_ZIGBUILD_ZIG_PATH", &tools.zig)
        .env("BRAWN_CACHE_DIR", work.join("cache"))
        .current_dir(package);
    if way == Way::Patched {
        variant = variant.env("RUSTFLAGS", format!("-Lnative={}", tools.heaps.patched_rust.display()));
    }
    let made = folder.join(triple).join("release").join(name);
    Ok(Build { way, variant, made, folder, is_cargo: true })
}

/// A copy of a package that has a heap of its own, as its author would write it.
fn with_heap(package: &Path, heap: &Attribute) -> Result<PathBuf> {
    let copy = PathBuf::from(format!("{}-{}", package.display(), heap.crate_name));
    if copy.exists() {
        return Ok(copy);
    }
    let fresh = copy.with_extension("new");
    step("copying a package", Command::new("cp").arg("-r").arg(package).arg(&fresh))?;
    let add = |file: &str, text: String| -> Result<()> {
        let path = fresh.join(file);
        let before = fs_err::read_to_string(&path)?;
        Ok(fs_err::write(path, before + &text)?)
    };
    let Attribute { crate_name, version, name } = heap;
    add(
        "Cargo.toml",
        format!("\n[dependencies.its_heap]\npackage = \"{crate_name}\"\nversion = \"{version}\"\n"),
    )?;
    add(
        "src/main.rs",
        format!("\n#[global_allocator]\nstatic ITS_HEAP: its_heap::{name} = its_heap::{name};\n"),
    )?;
    // Its lock file gets what the heap brings, and keeps the rest.
    step("cargo fetch", Command::new("cargo").args(["fetch", "--quiet"]).current_dir(&fresh))?;
    fs_err::rename(&fresh, &copy)?;
    Ok(copy)
}

/// What a program does here, for people.
pub fn about(program: &Program) -> &'static str {
    match program.name {
        "tokei" => {
            "Rust, threads on all cores: counts the lines of the crates that leptosfmt is built from, by language."
        }
        "jaq" => "Rust, one thread: reads a JSON document of 2 MB, groups and sums it.",
        _ => "C, one thread: strings, tables, closures and coroutines, each of which is a block of memory.",
    }
}

/// How a program runs, without its name and executable.
pub fn run(program: &Program, work: &Path, sources: &Path) -> Variant {
    let args = program.args.iter().map(|arg| arg.replace("{work}", &work.display().to_string()));
    Variant::default().args(args).current_dir(sources)
}

/// A session of runs: tokei's threads find files in any order.
pub fn session(program: &Program, blocks: usize) -> Session {
    let output = if program.name == "tokei" { Output::SortedLines } else { Output::Exact };
    Session { output, ..Session::new(blocks) }
}
