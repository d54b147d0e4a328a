//! Reading OCI layouts: a folder, or the same in a tar archive.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use oci_spec::image::{Descriptor, ImageIndex, OciLayout};
use serde::de::DeserializeOwned;

use crate::blob::Content;
use crate::{Blob, Error};

/// The longest manifest, index or configuration that is believed: 4 MiB, as registries have it.
pub(crate) const LONGEST_JSON: u64 = 4 << 20;

/// A layout that can be read.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// For an archive: where in it each file is.
    members: Option<HashMap<String, (u64, u64)>>,
}

impl Store {
    /// Opens a layout folder or an archive of one.
    pub fn open(path: &Path) -> Result<Store, Error> {
        let store = if path.is_dir() {
            Store { path: path.to_owned(), members: None }
        } else {
            Store { path: path.to_owned(), members: Some(members(path)?) }
        };
        let bytes = store.file("oci-layout")?;
        let layout: OciLayout = store.json("oci-layout", &bytes)?;
        if layout.image_layout_version() != "1.0.0" {
            return Err(store.damaged(format!(
                "its layout has version {}, and 1.0.0 is the only one known",
                layout.image_layout_version()
            )));
        }
        Ok(store)
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
        let content = match self.find(&name) {
            Some((path, offset, size)) if size == descriptor.size() => Content::File { path, offset },
            Some((_, _, size)) => {
                return Err(
                    self.damaged(format!("{digest} should be {} bytes, and is {size}", descriptor.size()))
                );
            }
            None => return Err(self.damaged(format!("there is no {name}"))),
        };
        Ok(Blob { descriptor: descriptor.clone(), content })
    }

    /// Reads a JSON document that a descriptor names.
    pub fn document<T: DeserializeOwned>(&self, descriptor: &Descriptor) -> Result<T, Error> {
        if descriptor.size() > LONGEST_JSON {
            return Err(self.damaged(format!("{} is too long for what it is", descriptor.digest())));
        }
        let bytes = self.blob(descriptor)?.read()?;
        self.json(descriptor.digest().as_ref(), &bytes)
    }

    /// Reads a file at the root, if it is there.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some((path, offset, size)) = self.find(name) else { return Ok(None) };
        if size > LONGEST_JSON {
            return Err(self.damaged(format!("{name} is too long for what it is")));
        }
        use std::io::{Seek, SeekFrom};
        let mut file = brawn_base::file::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(size).read_to_end(&mut bytes)?;
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

    /// The file, where in it, and the size.
    fn find(&self, name: &str) -> Option<(PathBuf, u64, u64)> {
        match &self.members {
            Some(members) => members.get(name).map(|(offset, size)| (self.path.clone(), *offset, *size)),
            None => {
                let path = self.path.join(name);
                let data = fs_err::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
                Some((path, 0, data.len()))
            }
        }
    }
}

/// Where the files of an archive are: offset and size by name.
fn members(path: &Path) -> Result<HashMap<String, (u64, u64)>, Error> {
    let mut file = brawn_base::file::open(path)?;
    let mut magic = [0; 4];
    let count = file.read(&mut magic)?;
    if count >= 2 && (magic[..2] == [0x1f, 0x8b] || magic == [0x28, 0xb5, 0x2f, 0xfd]) {
        return Err(Error::damaged(
            path.display().to_string(),
            "it is compressed; unpack it first (`gunzip`, `unzstd`)",
        ));
    }
    let damaged = |error: std::io::Error| Error::damaged(path.display().to_string(), error.to_string());
    let mut archive = tar::Archive::new(brawn_base::file::open(path)?);
    let mut members = HashMap::new();
    let length = file.metadata()?.len();
    for entry in archive.entries_with_seek().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let (offset, size) = (entry.raw_file_position(), entry.size());
        if offset.checked_add(size).is_none_or(|end| end > length) {
            return Err(Error::damaged(
                path.display().to_string(),
                format!("it ends in the middle of {name}"),
            ));
        }
        members.insert(name.strip_prefix("./").unwrap_or(&name).to_owned(), (offset, size));
    }
    Ok(members)
}
