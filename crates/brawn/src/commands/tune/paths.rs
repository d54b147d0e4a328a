use std::path::{Path, PathBuf};

use crate::exit::{Context as _, Result};

/// The whole path of something that an option names.
pub fn existing(path: &Path, what: &str) -> Result<PathBuf> {
    fs_err::canonicalize(path).context(|| format!("there is no {what} `{}`", path.display()))
}
