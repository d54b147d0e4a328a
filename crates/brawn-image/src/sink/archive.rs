use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;

use tar::{EntryType, Header};

use super::{Sink, docker, whole};
use crate::registry::Reference;
use crate::{Bundle, Error, Store, check};

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
        let heads = docker::heads(bundle, &self.name);
        for (name, bytes) in
            heads.into_iter().chain([("manifest.json", docker::manifest(bundle, &self.name))])
        {
            append(&mut builder, name, bytes.len() as u64, &mut &*bytes).map_err(fail)?;
        }
        let mut blobs = bundle.blobs();
        blobs.sort_by_key(|blob| blob.digest().to_owned());
        for blob in blobs {
            append(&mut builder, &docker::path_of(&blob.descriptor), blob.size(), &mut blob.open()?)
                .map_err(fail)?;
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

fn append<W: Write>(
    builder: &mut tar::Builder<W>,
    name: &str,
    size: u64,
    reader: &mut dyn Read,
) -> std::io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(size);
    builder.append_data(&mut header, name, reader)
}
