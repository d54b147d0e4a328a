//! The program of `make demo`: jaq, which reads JSON documents and answers questions about them.
//!
//! Chosen because it is known, compiles in half a minute, and does what many programs do: it reads a text into a tree of
//! small blocks and makes others of it. Its input is real: what cargo tells of the packages that Brawn is built from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use brawn_measure::Variant;

use crate::three_ways::ThreeWays;
use crate::workshop::Workshop;

const NAME: &str = "jaq";
const VERSION: &str = "2.3.0";

/// How many times it reads the document: so that a run takes a few tenths of a second.
const TIMES: usize = 24;

/// How many packages there are of each license, and what they depend on.
const FILTER: &str = ".packages | group_by(.license) | map({license: .[0].license, packages: length, dependencies: \
                      (map(.dependencies | length) | add)}) | sort_by(-.packages)";

/// What it is, for the head of a table.
pub fn title() -> String {
    format!("jaq {VERSION} groups the packages that Brawn is built from by their licenses, {TIMES} times")
}

/// Installs it from the crate registry, three ways.
pub fn build(workshop: &Workshop) -> Result<ThreeWays> {
    // By default it brings an allocator of its own, and there would be little to compare.
    ThreeWays::install(workshop, NAME, VERSION, &["--no-default-features"])
}

/// Writes the document, and gives its path and its size in bytes.
pub fn input(workshop: &Workshop) -> Result<(PathBuf, usize)> {
    let document = workshop.metadata(&workshop.repository.join("Cargo.toml"))?;
    let path = workshop.folder.join("packages.json");
    fs_err::write(&path, &document)?;
    Ok((path, document.len()))
}

/// The variants, ready to run on the document.
pub fn variants(executables: &ThreeWays, document: &Path) -> Vec<Variant> {
    let variant = |(name, program): (&str, &Path)| {
        Variant::new(name, program).args([FILTER]).args(std::iter::repeat_n(document, TIMES))
    };
    executables.each().map(variant).into()
}
