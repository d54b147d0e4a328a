use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Sink, docker, whole};
use crate::registry::Reference;
use crate::{Bundle, Error, Store, check};

/// An OCI image layout: a folder that podman, skopeo, umoci, crane and containerd read.
#[derive(Debug)]
pub struct Layout {
    /// The folder.
    pub path: PathBuf,
    /// The name that the image gets in it.
    pub name: Reference,
}

impl Sink for Layout {
    fn write(&self, bundle: &Bundle) -> Result<String, Error> {
        // Before an hour of pulling a base, not after it.
        if self.path.symlink_metadata().is_ok() && !whole::replaceable(&self.path) {
            return Err(Error::NotALayout { path: self.path.clone() });
        }
        let folder = whole::folder(&self.path)?;
        for (name, bytes) in docker::heads(bundle, &self.name) {
            write(folder.path(), name, &mut &*bytes, &self.path)?;
        }
        for blob in bundle.blobs() {
            write(folder.path(), &docker::path_of(&blob.descriptor), &mut blob.open()?, &self.path)?;
        }
        check::check(&Store::open(folder.path())?)?;
        let sboms = whole::sboms(bundle, &self.path)?;
        whole::place_folder(folder, &self.path)?;
        for (file, path) in sboms {
            whole::place_file(file, &path)?;
        }
        Ok(self.path.display().to_string())
    }
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
