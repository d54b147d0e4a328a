use std::io::{BufWriter, Write};
use std::path::Path;

use tar::EntryType;

use super::{docker, whole};
use crate::registry::Reference;
use crate::{Bundle, Error, Store, check, layer};

/// Writes one tar file that `docker load`, `podman load` and `skopeo` read: an OCI layout, and Docker's own list of the same
/// files. `name` is what the image is called when it is loaded.
pub fn archive(bundle: &Bundle, path: &Path, name: &Reference) -> Result<String, Error> {
    if path.is_dir() {
        return Err(Error::unwritable(path, std::io::ErrorKind::IsADirectory.into()));
    }
    let mut file = whole::file(path)?;
    let fail = |source| Error::unwritable(path, source);
    let mut builder = tar::Builder::new(BufWriter::new(file.as_file_mut()));
    let header = |size| layer::header(0o644, 0, EntryType::Regular, size);
    let heads = docker::heads(bundle, name);
    for (name, bytes) in heads.into_iter().chain([("manifest.json", docker::manifest(bundle, name))]) {
        builder.append_data(&mut header(bytes.len() as u64), name, &*bytes).map_err(fail)?;
    }
    let mut blobs = bundle.blobs();
    blobs.sort_by_key(|blob| blob.digest().to_owned());
    for blob in blobs {
        let path = docker::path_of(&blob.descriptor);
        builder.append_data(&mut header(blob.size()), path, blob.open()?).map_err(fail)?;
    }
    let mut writer = builder.into_inner().map_err(fail)?;
    writer.flush().map_err(fail)?;
    drop(writer);
    check::check(&Store::open(file.path())?)?;
    let sboms = whole::sboms(bundle, path)?;
    whole::place_file(file, path)?;
    for (file, path) in sboms {
        whole::place_file(file, &path)?;
    }
    Ok(path.display().to_string())
}
