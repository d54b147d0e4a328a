//! Files that are written once.

use std::path::Path;

use anyhow::Result;

/// Writes what is not there yet, or of another version of this file's.
pub fn write(path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Result<()> {
    let same = fs_err::read(&path).is_ok_and(|bytes| bytes == text.as_ref());
    if same { Ok(()) } else { Ok(fs_err::write(path.as_ref(), text)?) }
}
