//! The table of allocators: `allocators.toml`, one row for each allocator and build option.

use crate::family::Family;
use crate::knobs;
use anyhow::{Context as _, Result, anyhow};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the table in the folder of the shims.
pub const FILE: &str = "allocators.toml";

/// What stands in the place of a crate for allocators that are the project's own.
pub const OWN_SOURCES: &str = "brawn-kit";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    allocator: Vec<Recipe>,
}

/// One allocator with one set of build options; the head of the table tells what each key means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    pub name: String,
    pub title: String,
    pub version: String,
    pub summary: String,
    pub about: String,
    #[serde(default)]
    pub secure: bool,
    pub license: String,
    /// Whom the licence of an allocator from a crate names.
    pub holders: Option<String>,
    #[serde(default, rename = "crate")]
    pub from_crate: Option<String>,
    #[serde(default)]
    pub include: Vec<String>,
    pub shim: String,
    #[serde(default)]
    pub own_include: Vec<String>,
    #[serde(default)]
    pub defines: Vec<String>,
    pub knobs: Option<String>,
    pub family: Family,
    #[serde(default)]
    pub preload: bool,
    #[serde(default = "yes")]
    pub listed: bool,
    pub qemu: Option<String>,
    #[serde(default)]
    pub tests: BTreeMap<String, Exception>,
    /// Where the table lies.
    #[serde(skip)]
    pub folder: PathBuf,
    /// What stands in `knobs`.
    #[serde(skip)]
    pub settings: Option<knobs::Table>,
}

/// What differs in one test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    #[serde(default)]
    pub add: Vec<String>,
    #[serde(default)]
    pub skip: bool,
    #[serde(default)]
    pub emulated: bool,
    pub why: String,
}

fn yes() -> bool {
    true
}

/// Reads the table in this folder, with the tables of knobs that it names.
pub fn read(folder: &Path) -> Result<Vec<Recipe>> {
    let path = folder.join(FILE);
    let mut table: Table = toml::from_str(&fs_err::read_to_string(&path)?)
        .with_context(|| format!("{} is not a table of allocators", path.display()))?;
    for index in 0..table.allocator.len() {
        let (before, rest) = table.allocator.split_at_mut(index);
        let row = &mut rest[0];
        let wrong = |what| anyhow!("{}: {}: {what}", path.display(), row.name);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if row.name.is_empty() || !row.name.chars().all(plain) {
            return Err(wrong("a name has lower-case letters, digits and hyphens"));
        }
        if before.iter().any(|other| other.name == row.name) {
            return Err(wrong("stands in the table twice"));
        }
        if row.version.is_empty() || row.version.contains([' ', '"']) {
            return Err(wrong("a version is one word"));
        }
        if row.tests.values().any(|test| test.why.is_empty() || test.skip != test.add.is_empty()) {
            return Err(wrong("an exception has `add` or `skip`, and `why`"));
        }
        if row.preload && row.family.is_on_mallocng() {
            return Err(wrong("musl's own heap cannot be preloaded"));
        }
        if row.from_crate.is_some() != row.holders.is_some() {
            return Err(wrong("the sources of others, and only those, come with `holders`"));
        }
        row.folder = folder.to_owned();
        if let Some(file) = &row.knobs {
            row.settings = Some(knobs::read(&folder.join(file))?);
        }
    }
    Ok(table.allocator)
}

impl Recipe {
    /// The name of the crate with the sources.
    pub fn source_crate(&self) -> &str {
        self.from_crate.as_deref().unwrap_or(OWN_SOURCES)
    }

    /// The name of the archive member.
    pub fn member_name(&self) -> String {
        format!("brawn-{}.o", self.name)
    }

    /// What stands behind the name in the marker: the version, and for a front what it keeps behind it.
    pub fn marked_version(&self) -> String {
        let behind = if self.family.is_on_mallocng() { " on mallocng" } else { "" };
        format!("{}{behind}", self.version)
    }

    /// What differs in this test.
    pub fn exception(&self, test: &str, emulated: bool) -> Option<&Exception> {
        self.tests.get(test).filter(|exception| emulated || !exception.emulated)
    }
}
