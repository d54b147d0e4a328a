//! Where Brawn keeps things.

use std::path::PathBuf;

use brawn_libc::Cache;

use crate::{Error, vars};

/// The cache for overlays and records, made unless it is there.
///
/// # Errors
/// [`Error::Libc`] when it is not this user's alone.
pub fn cache() -> Result<Cache, Error> {
    Ok(Cache::open(&cache_folder()?)?)
}

/// Where the cache is, or would be.
pub fn cache_folder() -> Result<PathBuf, Error> {
    if let Some(path) = vars::get(vars::CACHE_DIR) {
        return Ok(std::path::absolute(path)?);
    }
    vars::get("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::home_dir().map(|home| home.join(".cache")))
        .map(|base| base.join("brawn"))
        .ok_or_else(|| Error::Unsupported {
            what: "no folder for the cache: HOME is not set".into(),
            hint: format!("set {} to a folder", vars::CACHE_DIR),
        })
}
