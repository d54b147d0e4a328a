use std::io::Write;
use std::path::Path;

use super::{docker, whole};
use crate::registry::Reference;
use crate::{Bundle, Error, Store, check};

/// Writes an OCI image layout: a folder that podman, skopeo, umoci, crane and containerd read. `name` is what the image is
/// called in it.
pub fn layout(bundle: &Bundle, path: &Path, name: &Reference) -> Result<String, Error> {
    // Before an hour of pulling a base, not after it.
    if path.symlink_metadata().is_ok() && !whole::replaceable(path) {
        return Err(Error::NotALayout { path: path.to_owned() });
    }
    let folder = whole::folder(path)?;
    for (file, bytes) in docker::heads(bundle, name) {
        write(folder.path(), file, &mut &*bytes, path)?;
    }
    for blob in bundle.blobs() {
        write(folder.path(), &docker::path_of(&blob.descriptor), &mut blob.open()?, path)?;
    }
    check::check(&Store::open(folder.path())?)?;
    let sboms = whole::sboms(bundle, path)?;
    whole::place_folder(folder, path)?;
    for (file, path) in sboms {
        whole::place_file(file, &path)?;
    }
    Ok(path.display().to_string())
}

fn write(folder: &Path, name: &str, reader: &mut dyn std::io::Read, shown: &Path) -> Result<(), Error> {
    let fail = |source| Error::unwritable(shown, source);
    let path = folder.join(name);
    fs_err::create_dir_all(path.parent().unwrap_or(folder)).map_err(fail)?;
    let mut file = fs_err::File::create(&path).map_err(fail)?;
    std::io::copy(reader, &mut file).map_err(fail)?;
    file.flush().map_err(fail)?;
    file.sync_all().map_err(fail)
}
