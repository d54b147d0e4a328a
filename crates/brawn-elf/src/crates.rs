//! The crates that went into a Rust executable, where `cargo auditable` recorded them.

use std::fmt;

use auditable_serde::{DependencyKind, VersionInfo};
use serde::{Deserialize, Serialize};

use crate::Image;

/// The section: JSON, compressed by zlib.
const SECTION: &str = ".dep-v0";

/// Longer lists are not read: some thousand crates take a few hundred KiB.
const LONGEST: usize = 8 << 20;

/// A crate that went into an executable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it came from: `crates.io`, `git`, `local`, `registry`.
    pub source: String,
    /// Whether it only took part in building.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub build_only: bool,
    /// Whether it is the program itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub root: bool,
}

impl fmt::Display for Crate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The list, by name. `Ok(None)` when there is none.
///
/// # Errors
/// What is wrong with the list, when it cannot be read.
pub(crate) fn read(image: &Image<'_>) -> Result<Option<Vec<Crate>>, String> {
    let Some(info) = info(image)? else { return Ok(None) };
    let mut crates: Vec<Crate> = info
        .packages
        .into_iter()
        .map(|package| Crate {
            name: package.name,
            version: package.version.to_string(),
            source: String::from(package.source),
            build_only: package.kind == DependencyKind::Build,
            root: package.root,
        })
        .collect();
    crates.sort();
    Ok(Some(crates))
}

pub(crate) fn info(image: &Image<'_>) -> Result<Option<VersionInfo>, String> {
    let Some(section) = image.section(SECTION) else { return Ok(None) };
    let json = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(section.data, LONGEST)
        .map_err(|error| format!("its list of crates cannot be unpacked: {error}"))?;
    serde_json::from_slice(&json)
        .map(Some)
        .map_err(|error| format!("its list of crates cannot be read: {error}"))
}

/// The list as it was recorded, with who needs whom. A damaged one is as good as none.
pub fn recorded_crates(executable: &[u8]) -> Option<VersionInfo> {
    info(&Image::parse(executable).ok()?).ok()?
}
