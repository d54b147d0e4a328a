use std::path::Path;

use crate::Error;

/// Makes sure that a folder has room for so many bytes, before they are fetched.
pub(crate) fn check(folder: &Path, needed: u64) -> Result<(), Error> {
    let system = rustix::fs::statvfs(folder).map_err(|error| Error::unwritable(folder, error.into()))?;
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    if needed > free { Err(Error::NoRoom { folder: folder.to_owned(), needed, free }) } else { Ok(()) }
}
