//! How much is believed of what may have been made by anybody. Each limit is checked before the bytes are read.

use oci_spec::image::{Descriptor, DigestAlgorithm};

use crate::Error;

/// The longest manifest, index or configuration, in bytes: 4 MiB, as registries have it.
pub const DOCUMENT: u64 = 4 << 20;
/// The longest answer to a login, in bytes.
pub const TOKEN: u64 = 64 << 10;
/// The most that is read of an error's text, in bytes.
pub const MESSAGE: u64 = 64 << 10;
/// The largest layer as it is stored, in bytes.
pub const LAYER: u64 = 16 << 30;
/// The largest layer when it is unpacked, in bytes.
pub const UNPACKED: u64 = 16 << 30;
/// The most layers of an image.
pub const LAYERS: usize = 512;
/// The most entries of an index and of the indexes in it, together.
pub const ENTRIES: usize = 1000;
/// How deep indexes may hold indexes.
pub const DEPTH: usize = 4;
/// The most files of an archive.
pub const MEMBERS: usize = 100_000;
/// The longest header of a tar archive that describes the next file, in bytes.
pub const TAR_EXTENSION: u64 = 1 << 20;

/// Refuses a descriptor of something larger than `limit` bytes, or with a digest that is not computed here.
pub(crate) fn check(place: &str, descriptor: &Descriptor, limit: u64) -> Result<(), Error> {
    let digest = descriptor.digest();
    if digest.algorithm() != &DigestAlgorithm::Sha256 {
        return Err(Error::damaged(place, format!("{digest} is not a sha256 digest")));
    }
    if descriptor.size() > limit {
        return Err(Error::too_large(place, digest.as_ref(), Some(descriptor.size()), limit));
    }
    Ok(())
}
