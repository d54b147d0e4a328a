//! What `build.rs` packed: the files of `suites/`, `workloads/` and `published/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// More than the texts are together.
const LIMIT: usize = 16 << 20;

static TEXTS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let packed = include_bytes!(concat!(env!("OUT_DIR"), "/texts.zst"));
    let json = zstd::bulk::decompress(packed, LIMIT).expect("build.rs compressed it");
    serde_json::from_slice(&json).expect("build.rs wrote it")
});

/// The file of this crate with that path.
///
/// # Panics
/// When there is none: the suites are constants of this crate, and a test reads them all.
pub fn text(path: &str) -> &'static str {
    TEXTS.get(path).unwrap_or_else(|| panic!("no file {path}"))
}

/// The files of a folder of this crate, by their names without its own.
#[cfg(test)]
pub fn names(folder: &str) -> impl Iterator<Item = &'static str> {
    TEXTS.keys().filter_map(move |path| path.strip_prefix(folder)?.strip_prefix('/'))
}
