//! Reading OCI layouts: a folder, or the same in a tar archive.

use std::collections::HashMap;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use oci_spec::image::{Descriptor, ImageIndex, OciLayout};
use serde::de::DeserializeOwned;

use crate::blob::{Content, Part};
use crate::{Blob, Error, limits, tarball};

/// A layout that can be read.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// Where its files are if it is an archive and no folder.
    archive: Option<Members>,
}

/// Where in an archive each file is: offset and size by name.
type Members = HashMap<String, (u64, u64)>;

impl Store {
    /// Opens a layout folder or an archive of one.
    pub fn open(path: &Path) -> Result<Store, Error> {
        let mut store = Store { path: path.to_owned(), archive: None };
        if !path.is_dir() {
            let file = brawn_base::file::open(path)?;
            let length = file.metadata()?.len();
            store.archive = Some(members(file, length).map_err(|error| store.damaged(error.to_string()))?);
        }
        let layout: OciLayout = store.json("oci-layout", &store.file("oci-layout")?)?;
        match layout.image_layout_version().as_str() {
            "1.0.0" => Ok(store),
            other => {
                let what = format!("its layout has version {other}, and 1.0.0 is the only one known");
                Err(store.damaged(what))
            }
        }
    }

    /// The name for messages.
    pub fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// The index at the root.
    pub fn index(&self) -> Result<ImageIndex, Error> {
        let bytes = self.file("index.json")?;
        self.json("index.json", &bytes)
    }

    /// The blob that a descriptor names. Its digest is checked when it is read.
    pub fn blob(&self, descriptor: &Descriptor) -> Result<Blob, Error> {
        let digest = descriptor.digest();
        let name = format!("blobs/{}/{}", digest.algorithm(), digest.digest());
        let (part, size) = self.find(&name).ok_or_else(|| self.damaged(format!("there is no {name}")))?;
        if size != descriptor.size() {
            return Err(
                self.damaged(format!("{digest} should be {} bytes, and is {size}", descriptor.size()))
            );
        }
        Ok(Blob { descriptor: descriptor.clone(), content: Content::Part(part) })
    }

    /// Reads a JSON document that a descriptor names.
    pub fn document<T: DeserializeOwned>(&self, descriptor: &Descriptor) -> Result<T, Error> {
        limits::check(&self.place(), descriptor, limits::DOCUMENT)?;
        let bytes = self.blob(descriptor)?.read()?;
        self.json(descriptor.digest().as_ref(), &bytes)
    }

    /// Reads a file at the root, if it is there.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some((part, size)) = self.find(name) else { return Ok(None) };
        if size > limits::DOCUMENT {
            return Err(Error::too_large(self.place(), name, Some(size), limits::DOCUMENT));
        }
        let mut bytes = Vec::new();
        part.open(size)?.read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> Error {
        Error::damaged(self.place(), what)
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, name: &str, bytes: &[u8]) -> Result<T, Error> {
        serde_json::from_slice(bytes).map_err(|error| self.damaged(format!("{name}: {error}")))
    }

    fn file(&self, name: &str) -> Result<Vec<u8>, Error> {
        self.optional(name)?.ok_or_else(|| self.damaged(format!("there is no {name}")))
    }

    /// Where a file is, and its size.
    fn find(&self, name: &str) -> Option<(Part, u64)> {
        let Some(members) = &self.archive else {
            let path = self.path.join(name);
            let data = fs_err::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
            return Some((Part { path, offset: 0 }, data.len()));
        };
        let &(offset, size) = members.get(name)?;
        Some((Part { path: self.path.clone(), offset }, size))
    }
}

/// Where the files of an archive of `length` bytes are: offset and size by name.
pub(crate) fn members(mut file: impl Read + Seek, length: u64) -> io::Result<Members> {
    let damaged = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic)?;
    if magic.starts_with(&[0x1f, 0x8b]) || magic == [0x28, 0xb5, 0x2f, 0xfd] {
        return Err(damaged("it is compressed; unpack it first (`gunzip`, `unzstd`)".to_owned()));
    }
    file.rewind()?;
    let mut archive = tar::Archive::new(file);
    let mut members = HashMap::new();
    tarball::walk(archive.entries_with_seek()?, |entry| {
        if !entry.header().entry_type().is_file() {
            return Ok(());
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let (offset, size) = (entry.raw_file_position(), entry.size());
        if offset.checked_add(size).is_none_or(|end| end > length) {
            return Err(damaged(format!("it ends in the middle of {name}")));
        }
        if members.len() == limits::MEMBERS {
            return Err(damaged(format!("it has more than {} files, which is the limit", limits::MEMBERS)));
        }
        members.insert(name.strip_prefix("./").unwrap_or(&name).to_owned(), (offset, size));
        Ok(())
    })?;
    Ok(members)
}
