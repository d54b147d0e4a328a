//! What is inside an image, in the words of two standards: SPDX 2.3 and CycloneDX 1.5, both as JSON.
//!
//! Crates come from the executable itself if it was built with `cargo auditable`, otherwise from `cargo metadata`;
//! libc, allocator and kit from Brawn's note or from what the executable shows.

mod collect;
mod component;
mod cyclonedx;
mod spdx;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use component::{Component, Crates, Kind};

use crate::contents::Part;
use crate::{Epoch, Error, Executable, Package};

/// The media type of an SPDX document.
pub const SPDX: &str = "application/spdx+json";
/// The media type of a CycloneDX document.
pub const CYCLONEDX: &str = "application/vnd.cyclonedx+json";

/// Both documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sbom {
    /// SPDX 2.3, as JSON.
    pub spdx: Vec<u8>,
    /// CycloneDX 1.5, as JSON.
    pub cyclonedx: Vec<u8>,
    /// How many components they name, the program itself included.
    pub components: usize,
    /// Whether they name the crates inside. A Rust program that is given as a file may not tell them.
    pub crates: bool,
}

impl Sbom {
    pub(crate) fn of(
        executable: &Executable,
        package: Option<&Package>,
        parts: &BTreeSet<Part>,
        epoch: Epoch,
    ) -> Result<Sbom, Error> {
        let inventory = collect::inventory(executable, package, parts, epoch)?;
        Ok(Sbom {
            spdx: spdx::document(&inventory),
            cyclonedx: cyclonedx::document(&inventory),
            components: inventory.components.len(),
            crates: inventory.source != collect::NO_CRATES,
        })
    }

    /// Each document with its media type and the ending of its file name.
    pub fn documents(&self) -> [(&'static str, &'static str, &[u8]); 2] {
        [(SPDX, "spdx.json", &self.spdx), (CYCLONEDX, "cdx.json", &self.cyclonedx)]
    }
}

/// The file beside `output` for a document: `app.tar.spdx.json`, with several platforms `app.tar.linux-arm64.spdx.json`.
pub(crate) fn beside(output: &Path, platform: Option<crate::Platform>, ending: &str) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_os_string();
    if let Some(platform) = platform {
        name.push(format!(".linux-{}", platform.architecture()));
    }
    name.push(format!(".{ending}"));
    output.with_file_name(name)
}
