//! Reading tar archives that may have been made by anybody.

use std::io::{self, Read};

use tar::{Archive, Entries, Entry, PaxExtensions};

use crate::blob::Hashing;
use crate::compress::decompress;
use crate::limits;

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Calls `each` for every file of an archive, as its own header describes it. Nothing is read into memory but headers for
/// the next file, and those are short.
pub(crate) fn walk<'a, R: Read>(
    entries: Entries<'a, R>,
    mut each: impl FnMut(&mut Entry<'a, R>) -> io::Result<()>,
) -> io::Result<()> {
    let mut announced = None;
    for entry in entries.raw(true) {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        let names = kind.is_gnu_longname() || kind.is_gnu_longlink();
        if names || kind.is_pax_local_extensions() || kind.is_pax_global_extensions() {
            if entry.size() > limits::TAR_EXTENSION {
                return Err(damaged("a header of it is longer than any name or attribute"));
            }
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            if kind.is_pax_local_extensions() {
                announced = size(&bytes)?;
            }
            continue;
        }
        // Readers differ about which of two sizes counts, so they would see two archives.
        if announced.take().is_some_and(|announced| announced != entry.size()) {
            return Err(damaged("a file of it has two sizes"));
        }
        if kind.is_gnu_sparse() && entry.header().as_gnu().is_some_and(|header| header.is_extended()) {
            return Err(damaged("it holds sparse files, which images should not"));
        }
        each(&mut entry)?;
    }
    Ok(())
}

/// The size that an extended header announces for the next file, in bytes.
fn size(extensions: &[u8]) -> io::Result<Option<u64>> {
    let mut found = None;
    for extension in PaxExtensions::new(extensions) {
        let extension = extension?;
        if extension.key_bytes() == b"size" {
            let text = extension.value().ok().and_then(|value| value.parse().ok());
            found = Some(text.ok_or_else(|| damaged("a size in it is no number"))?);
        }
    }
    Ok(found)
}

/// Why a layer cannot be unpacked.
#[derive(Debug)]
pub enum Unpack {
    /// Its media type is no layer's.
    NoLayer,
    /// It is damaged.
    Damaged(io::Error),
    /// It holds more bytes than it may.
    TooLarge,
}

/// The digest of the tar archive in a layer, which must be one from beginning to end and have at most `limit` bytes.
pub fn digest(media_type: &str, reader: impl Read, limit: u64) -> Result<String, Unpack> {
    let unpacked = decompress(media_type, reader).ok_or(Unpack::NoLayer)?.map_err(Unpack::Damaged)?;
    let mut archive = Archive::new(Hashing::new(unpacked.take(limit.saturating_add(1))));
    let copy = |entry: &mut Entry<'_, _>| io::copy(entry, &mut io::sink()).map(drop);
    let walked = archive.entries().and_then(|entries| walk(entries, copy));
    // What follows the archive's end counts as well.
    let mut rest = archive.into_inner();
    let walked = walked.and_then(|()| io::copy(&mut rest, &mut io::sink()));
    let (digest, length) = rest.finish();
    if length > limit {
        return Err(Unpack::TooLarge);
    }
    walked.map_err(Unpack::Damaged)?;
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compression, blob::sha256};
    use tar::{EntryType, Header};

    fn archive(kind: EntryType, bytes: &[u8], more: &[u8]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (kind, bytes) in [(kind, bytes), (EntryType::Regular, more)] {
            let mut header = Header::new_gnu();
            header.set_entry_type(kind);
            header.set_path("file").unwrap();
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            builder.append(&header, bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn unpack(archive: &[u8], compression: Compression, limit: u64) -> Result<String, Unpack> {
        let bytes = compression.compress(archive.to_vec()).unwrap();
        digest(compression.media_type().as_ref(), &*bytes, limit)
    }

    #[test]
    fn a_layer_that_unpacks_to_more_than_it_may_is_refused() {
        let bytes = archive(EntryType::Regular, &vec![0; 8 << 20], b"more");
        let length = bytes.len() as u64;
        for compression in Compression::ALL {
            let name = compression.name();
            assert_eq!(unpack(&bytes, compression, length).unwrap(), sha256(&bytes), "{name}");
            for limit in [0, 511, 512, 1 << 20, length - 1] {
                let result = unpack(&bytes, compression, limit);
                assert!(matches!(result, Err(Unpack::TooLarge)), "{name} {limit}: {result:?}");
            }
        }
        assert!(matches!(digest("text/plain", &b""[..], 1), Err(Unpack::NoLayer)));
    }

    #[test]
    fn headers_for_the_next_file_are_short_and_agree_with_it() {
        let refused = |kind, bytes: &[u8], more: &[u8]| match unpack(
            &archive(kind, bytes, more),
            Compression::Zstd,
            u64::MAX,
        ) {
            Err(Unpack::Damaged(error)) => error.to_string(),
            other => panic!("{other:?}"),
        };
        let long = vec![b'a'; 2 << 20];
        for kind in
            [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader, EntryType::XGlobalHeader]
        {
            assert_eq!(refused(kind, &long, b""), "a header of it is longer than any name or attribute");
        }
        assert_eq!(refused(EntryType::XHeader, b"10 size=7\n", b"more"), "a file of it has two sizes");
        assert_eq!(refused(EntryType::XHeader, b"10 size=x\n", b"more"), "a size in it is no number");
        for fine in [&b"10 size=4\n"[..], b"15 mtime=12345\n"] {
            unpack(&archive(EntryType::XHeader, fine, b"more"), Compression::None, u64::MAX).unwrap();
        }
    }
}
