//! The readers of what comes from outside, for a fuzzer: bytes in, no panic out.

use std::io::Cursor;

use oci_spec::image::{ImageConfiguration, ImageIndex, ImageManifest};

/// Every document that a registry sends: index, manifest, configuration, token, errors.
pub fn registry_json(bytes: &[u8]) {
    let _ = serde_json::from_slice::<ImageIndex>(bytes);
    let _ = serde_json::from_slice::<ImageManifest>(bytes);
    let _ = serde_json::from_slice::<ImageConfiguration>(bytes);
    let _ = crate::registry::token(bytes);
    crate::registry::message(bytes);
}

/// A layer of a media type, of which at most `limit` bytes are unpacked; whether it is one.
pub fn layer(media_type: &str, bytes: &[u8], limit: u64) -> bool {
    crate::tarball::digest(media_type, bytes, limit).is_ok()
}

/// An archive of a layout; whether it is one.
pub fn archive(bytes: &[u8]) -> bool {
    crate::store::members(Cursor::new(bytes), bytes.len() as u64).is_ok()
}
