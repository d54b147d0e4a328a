//! Files that appear whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::Error;
use brawn_base::temporary;

/// A file that is written and has no name yet: what can fail for lack of room has been done.
pub struct Staged {
    file: NamedTempFile,
    path: PathBuf,
}

/// Writes `bytes` beside `path` and syncs them. `mode` is the file's permission bits.
///
/// # Errors
/// [`Error::Unwritable`].
pub fn stage(path: &Path, bytes: &[u8], mode: u32) -> Result<Staged, Error> {
    let fail = |source| Error::unwritable(path, source);
    let mut file = temporary::file_in(temporary::folder_of(path), mode).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    Ok(Staged { file, path: path.to_owned() })
}

impl Staged {
    /// Puts the file in its place, in one step.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn place(self) -> Result<(), Error> {
        let Staged { file, path } = self;
        file.persist(&path).map(drop).map_err(|error| Error::unwritable(&path, error.error))
    }
}

/// Writes `bytes` to `path` through a temporary file in the same folder, synced before it is renamed. `mode` is the file's
/// permission bits.
///
/// # Errors
/// [`Error::Unwritable`].
pub fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
    stage(path, bytes, mode)?.place()
}
