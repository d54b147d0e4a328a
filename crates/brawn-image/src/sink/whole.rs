//! Files and folders that appear whole or not at all.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use brawn_base::temporary::{self, Folder};
use rustix::fs::{CWD, RenameFlags};
use tempfile::NamedTempFile;

use crate::sbom::beside;
use crate::{Bundle, Error};

/// What was begun. A file that has its place, or is gone, is no longer found under the name that it has here.
static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn begun() -> MutexGuard<'static, Vec<PathBuf>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what was begun and is not finished, for a process that ends at once, such as on a signal. Anyone who begins
/// something afterwards waits for that end.
pub fn discard() {
    let begun = begun();
    remove(&begun);
    std::mem::forget(begun);
}

fn remove(paths: &[PathBuf]) {
    for path in paths {
        // What has its place meanwhile is no error.
        let _ = if path.is_dir() { fs_err::remove_dir_all(path) } else { fs_err::remove_file(path) };
    }
}

/// A file beside `path` that may take its place.
pub(super) fn file(path: &Path) -> Result<NamedTempFile, Error> {
    let mut begun = begun();
    temporary::sweep(temporary::folder_of(path));
    let file = temporary::file_in(temporary::folder_of(path), 0o644)
        .map_err(|source| Error::unwritable(path, source))?;
    begun.push(file.path().to_owned());
    Ok(file)
}

/// A folder beside `path` that may take its place.
pub(super) fn folder(path: &Path) -> Result<Folder, Error> {
    let mut begun = begun();
    temporary::sweep(temporary::folder_of(path));
    let folder =
        temporary::folder_in(temporary::folder_of(path)).map_err(|source| Error::unwritable(path, source))?;
    begun.push(folder.path().to_owned());
    Ok(folder)
}

/// Puts a finished file in its place.
pub(super) fn place_file(file: NamedTempFile, path: &Path) -> Result<(), Error> {
    let fail = |source| Error::unwritable(path, source);
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Puts a finished folder in its place: of another layout, of an empty folder, or of nothing.
pub(super) fn place_folder(folder: Folder, path: &Path) -> Result<(), Error> {
    // It was made for its owner alone.
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), mode).map_err(|source| Error::unwritable(path, source))?;
    let fail = |source: io::Error| Error::unwritable(path, source);
    let taken = path.symlink_metadata().is_ok();
    if taken && !replaceable(path) {
        return Err(Error::NotALayout { path: path.to_owned() });
    }
    let temporary = folder.path().to_owned();
    if !taken {
        fs_err::rename(&temporary, path).map_err(fail)?;
        folder.keep();
        return Ok(());
    }
    // The two change places in one step; the old one goes away with `folder`, under the other's name.
    rustix::fs::renameat_with(CWD, &temporary, CWD, path, RenameFlags::EXCHANGE)
        .map_err(|error| fail(error.into()))?;
    folder.close().map_err(|source| Error::unwritable(&temporary, source))
}

/// Whether a folder may be replaced by a layout.
pub(super) fn replaceable(path: &Path) -> bool {
    let empty = fs_err::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    path.is_dir() && !path.is_symlink() && (empty || path.join("oci-layout").is_file())
}

/// Writes what the images hold into files that may go beside `output`.
pub(super) fn sboms(bundle: &Bundle, output: &Path) -> Result<Vec<(NamedTempFile, PathBuf)>, Error> {
    let several = bundle.images.len() > 1;
    let mut files = Vec::new();
    for image in &bundle.images {
        for (_, ending, bytes) in image.sbom.iter().flat_map(|sbom| sbom.documents()) {
            let path = beside(output, several.then_some(image.platform), ending);
            let mut written = file(&path)?;
            written.write_all(bytes).map_err(|source| Error::unwritable(&path, source))?;
            files.push((written, path));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finished_can_be_removed() {
        let home = tempfile::tempdir().unwrap();
        let names = || -> Vec<_> {
            fs_err::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        };
        let done = file(&home.path().join("done.tar")).unwrap();
        place_file(done, &home.path().join("done.tar")).unwrap();
        let (file, folder) =
            (file(&home.path().join("image.tar")).unwrap(), folder(&home.path().join("layout")).unwrap());
        fs_err::write(folder.path().join("blob"), "x").unwrap();
        assert_eq!(names().len(), 3);
        let ours: Vec<_> = begun().iter().filter(|path| path.starts_with(home.path())).cloned().collect();
        remove(&ours);
        assert_eq!(names(), ["done.tar"]);
        drop((file, folder));
    }
}
