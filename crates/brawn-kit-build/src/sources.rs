//! Finds the sources of the allocators: crates that Cargo has already fetched.

use crate::command::run;
use anyhow::{Context as _, Result, anyhow};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the sources of a crate lie.
#[derive(Clone, Debug)]
pub struct Source {
    pub folder: PathBuf,
    pub version: String,
}

/// Finds each of these crates through `cargo metadata`.
///
/// The crates are dependencies for a `cfg` that no build sets, so Cargo resolves, pins, fetches and vendors them
/// without compiling them. Here the `cfg` is set, for this one question, which is why the answer holds them.
/// First without the network; a build that has never fetched them is allowed to do so now.
pub fn find(
    manifest_dir: &Path,
    cargo: &OsStr,
    host: &str,
    names: &[&str],
) -> Result<BTreeMap<String, Source>> {
    let json = metadata(manifest_dir, cargo, host, &["--locked", "--offline"])
        .or_else(|_| metadata(manifest_dir, cargo, host, &["--locked"]))?;
    let mut found = BTreeMap::new();
    for package in json["packages"].as_array().into_iter().flatten() {
        let (Some(name), Some(version), Some(manifest)) =
            (package["name"].as_str(), package["version"].as_str(), package["manifest_path"].as_str())
        else {
            continue;
        };
        if names.contains(&name)
            && let Some(folder) = Path::new(manifest).parent()
        {
            found.insert(name.to_owned(), Source { folder: folder.to_owned(), version: version.to_owned() });
        }
    }
    match names.iter().find(|name| !found.contains_key(**name)) {
        Some(name) => Err(anyhow!("the crate {name} is not among the dependencies of brawn-kit")),
        None => Ok(found),
    }
}

fn metadata(manifest_dir: &Path, cargo: &OsStr, host: &str, flags: &[&str]) -> Result<serde_json::Value> {
    let mut command = Command::new(cargo);
    command
        .current_dir(manifest_dir)
        .args(["metadata", "--format-version", "1", "--filter-platform", host])
        .args(flags)
        .env("CARGO_ENCODED_RUSTFLAGS", "--cfg\u{1f}brawn_kit_sources");
    let said = run(&mut command).with_context(|| {
        "cargo does not tell where the sources of the allocators are\nhint: `cargo fetch --locked` downloads them".to_owned()
    })?;
    serde_json::from_slice(&said)
        .with_context(|| format!("`{command:?}` printed something that is not its JSON"))
}
