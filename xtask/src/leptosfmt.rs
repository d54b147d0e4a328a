//! A real program that no one here wrote: leptosfmt, a formatter for Rust sources with `view!` macros.
//!
//! Chosen because it is what people complain about: it parses every file into a syntax tree of small heap blocks, on all
//! cores at once, and its users found the static musl build many times slower than the others
//! (bram209/leptosfmt#191). Its input is real as well: the sources of the crates that it is itself built from, whose
//! versions its own `Cargo.lock` pins, so that everyone runs the same work.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use brawn_measure::{Output, Session, Variant};

use crate::three_ways::ThreeWays;
use crate::workshop::{Workshop, say};

const NAME: &str = "leptosfmt";
const VERSION: &str = "0.1.33";

/// What it is, for the head of a table.
pub const TITLE: &str =
    "leptosfmt 0.1.33 checks the format of the sources of the crates that it is built from";

/// Installs it from the crate registry, three ways.
pub fn build(workshop: &Workshop) -> Result<ThreeWays> {
    ThreeWays::install(workshop, NAME, VERSION, &[])
}

/// The input, and how much it is.
pub struct Input {
    /// The folder with the sources.
    pub folder: PathBuf,
    /// Number of files.
    pub files: usize,
    /// Their size, in bytes.
    pub bytes: u64,
}

/// Copies the sources of leptosfmt's dependencies, which the build has fetched, into one folder.
pub fn input(workshop: &Workshop) -> Result<Input> {
    let manifest = brawn_bench::unpacked_crate(NAME, VERSION)?.join("Cargo.toml");
    let metadata: serde_json::Value = serde_json::from_slice(&workshop.metadata(&manifest)?)?;

    let mut input = Input { folder: workshop.folder.join("input"), files: 0, bytes: 0 };
    if input.folder.exists() {
        fs_err::remove_dir_all(&input.folder)?;
    }
    for package in metadata["packages"].as_array().context("cargo metadata lists no packages")? {
        let manifest = package["manifest_path"].as_str().context("a package without a manifest")?;
        let from = Path::new(manifest).parent().context("a manifest without a folder")?;
        let name = from.file_name().context("a package in no folder")?;
        copy_sources(from, &input.folder.join(name), &mut input.files, &mut input.bytes)?;
    }
    ensure!(
        input.files > 1000,
        "only {} source files found; the fetched sources are incomplete",
        input.files
    );
    say(&format!(
        "input: {} source files, {}",
        input.files,
        brawn_measure::format::bytes(input.bytes as f64)
    ));
    Ok(input)
}

fn copy_sources(from: &Path, to: &Path, files: &mut usize, bytes: &mut u64) -> Result<()> {
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            copy_sources(&path, &to.join(entry.file_name()), files, bytes)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            fs_err::create_dir_all(to)?;
            *bytes += fs_err::copy(&path, to.join(entry.file_name()))?;
            *files += 1;
        }
    }
    Ok(())
}

/// The variants, ready to run on the input.
pub fn variants(executables: &ThreeWays, input: &Input) -> Vec<Variant> {
    let variant = |(name, program): (&str, &Path)| {
        Variant::new(name, program).args(["--check", "**/*.rs"]).current_dir(&input.folder)
    };
    executables.each().map(variant).into()
}

/// Its threads report files in any order, and its last line holds its own time.
pub fn session(blocks: usize) -> Session {
    Session {
        ignored_lines: Some("Checked ".to_owned()),
        output: Output::SortedLines,
        ..Session::new(blocks)
    }
}
