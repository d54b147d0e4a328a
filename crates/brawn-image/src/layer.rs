//! Layers: tar archives whose bytes depend on their content alone.

use tar::{EntryType, Header};

use crate::blob::{Blob, sha256};
use crate::{Compression, Error};

pub use brawn_check::{Entries, Entry, Kind};

/// A layer, compressed, and what it was before.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The compressed archive.
    pub blob: Blob,
    /// The digest of the archive before compression, by which an image's configuration names it.
    pub diff_id: String,
    /// Where the layer came from, in one line for `docker history`.
    pub made_by: String,
}

impl Layer {
    /// Makes a layer of entries.
    pub fn new(entries: &Entries, compression: Compression, made_by: &str) -> Result<Layer, Error> {
        let archive = archive(entries)?;
        let diff_id = sha256(&archive);
        let blob = Blob::new(compression.media_type(), compression.compress(archive)?);
        Ok(Layer { blob, diff_id, made_by: made_by.to_owned() })
    }
}

/// Writes entries and the folders above them in the order of their names, so that a folder precedes what is in it. The
/// one exception are hard links, whose target must come first.
fn archive(entries: &Entries) -> Result<Vec<u8>, Error> {
    let mut all = entries.clone();
    for path in entries.keys() {
        for (index, _) in path.match_indices('/') {
            all.entry(path[..index].to_owned()).or_insert(Entry::directory(0o755, 0));
        }
    }
    let mut builder = tar::Builder::new(Vec::new());
    for (path, entry) in all.iter().filter(|(_, entry)| !matches!(entry.kind, Kind::HardLink(_))) {
        match &entry.kind {
            Kind::File(bytes) => {
                let mut header = header(entry.mode, entry.owner, EntryType::Regular, bytes.len() as u64);
                builder.append_data(&mut header, path, &**bytes)?;
            }
            Kind::Directory => {
                let path = format!("{path}/");
                let mut header = header(entry.mode, entry.owner, EntryType::Directory, 0);
                builder.append_data(&mut header, path, std::io::empty())?;
            }
            Kind::HardLink(_) => {}
        }
    }
    for (path, entry) in &all {
        if let Kind::HardLink(target) = &entry.kind {
            builder.append_link(&mut header(entry.mode, entry.owner, EntryType::Link, 0), path, target)?;
        }
    }
    Ok(builder.into_inner()?)
}

/// A header that is the same on every machine and at every time.
pub(crate) fn header(mode: u32, owner: u32, kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(owner.into());
    header.set_gid(owner.into());
    header.set_mtime(0);
    header.set_size(size);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(bytes: &[u8]) -> Vec<String> {
        let mut archive = tar::Archive::new(bytes);
        let entries = archive.entries().unwrap().map(Result::unwrap);
        entries
            .map(|entry| {
                let header = entry.header();
                let link = header.link_name().unwrap().map(|name| format!(" = {}", name.display()));
                format!(
                    "{:04o} {} {} {} {}{}",
                    header.mode().unwrap(),
                    header.uid().unwrap(),
                    header.gid().unwrap(),
                    header.mtime().unwrap(),
                    entry.path().unwrap().display(),
                    link.unwrap_or_default()
                )
            })
            .collect()
    }

    #[test]
    fn an_archive_is_sorted_and_has_no_time_or_owner_of_the_machine() {
        let mut entries = Entries::new();
        entries.insert("b/c/file".into(), Entry::file(&b"text"[..]));
        entries
            .insert("b/a".into(), Entry { kind: Kind::HardLink("b/c/file".into()), mode: 0o644, owner: 0 });
        entries.insert("tmp".into(), Entry::directory(0o1777, 0));
        entries.insert("app".into(), Entry::program(vec![1]));
        let bytes = archive(&entries).unwrap();
        assert_eq!(
            list(&bytes),
            [
                "0755 0 0 0 app",
                "0755 0 0 0 b/",
                "0755 0 0 0 b/c/",
                "0644 0 0 0 b/c/file",
                "1777 0 0 0 tmp/",
                "0644 0 0 0 b/a = b/c/file"
            ]
        );
    }

    #[test]
    fn a_long_name_survives() {
        let name = format!("{}/{}", "d".repeat(90), "f".repeat(180));
        let entries = Entries::from([(name.clone(), Entry::program(vec![1, 2]))]);
        assert!(list(&archive(&entries).unwrap()).iter().any(|line| line.ends_with(&name)));
    }
}
