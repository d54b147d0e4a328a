//! Files that appear whole or not at all.

use std::io::Write;
use std::path::Path;

use crate::Error;

/// Writes `bytes` to `path` through a temporary file in the same folder, synced before it is renamed.
/// `mode` is the file's permission bits.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fail = |source| Error::unwritable(path, source);
    let mut file = tempfile::Builder::new()
        .prefix(".brawn-")
        .permissions(std::fs::Permissions::from_mode(mode))
        .tempfile_in(folder)
        .map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    // The permissions above went through the umask.
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode)).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}
