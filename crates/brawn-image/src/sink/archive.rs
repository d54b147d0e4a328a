use std::io::{BufWriter, Write};
use std::path::PathBuf;

use tar::EntryType;

use super::{Sink, docker, whole};
use crate::registry::Reference;
use crate::{Bundle, Error, Store, check, layer};

/// One tar file that `docker load`, `podman load` and `skopeo` read: an OCI layout, and Docker's own list of the same files.
#[derive(Debug)]
pub struct Archive {
    /// The file.
    pub path: PathBuf,
    /// The name that the image gets when it is loaded.
    pub name: Reference,
}

impl Sink for Archive {
    fn write(&self, bundle: &Bundle) -> Result<String, Error> {
        if self.path.is_dir() {
            return Err(Error::unwritable(&self.path, std::io::ErrorKind::IsADirectory.into()));
        }
        let mut file = whole::file(&self.path)?;
        let fail = |source| Error::unwritable(&self.path, source);
        let mut builder = tar::Builder::new(BufWriter::new(file.as_file_mut()));
        let header = |size| layer::header(0o644, 0, EntryType::Regular, size);
        let heads = docker::heads(bundle, &self.name);
        for (name, bytes) in
            heads.into_iter().chain([("manifest.json", docker::manifest(bundle, &self.name))])
        {
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
        let sboms = whole::sboms(bundle, &self.path)?;
        whole::place_file(file, &self.path)?;
        for (file, path) in sboms {
            whole::place_file(file, &path)?;
        }
        Ok(self.path.display().to_string())
    }
}
