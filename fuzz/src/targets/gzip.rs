//! Compressed layers.

use brawn_image::{Compression, tarball};

use super::layout::{CONFIG, Documents, INDEX, manifest, read as read_layout};
use crate::rarely;

pub fn seeds() -> Vec<Vec<u8>> {
    let layer = super::tar::small();
    let compress = |with: Compression, bytes: Vec<u8>| with.compress(bytes).expect("memory takes it");
    let zip = compress(Compression::Gzip, layer.clone());
    vec![
        zip.clone(),
        [zip.clone(), zip].concat(),
        compress(Compression::Gzip, vec![0; 1 << 20]),
        compress(Compression::Zstd, layer),
        compress(Compression::Zstd, vec![0; 1 << 20]),
    ]
}

pub fn read(data: &[u8]) {
    let kind = if data.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) { "zstd" } else { "gzip" };
    let layer = format!("application/vnd.oci.image.layer.v1.tar+{kind}");
    // A few kilobytes can hold hundreds of megabytes, whose digest takes the time of thousands of inputs.
    let _ = tarball::digest(&layer, data, 64 << 10);
    if rarely(data, 1024) {
        read_layout(&Documents { index: INDEX, manifest: &manifest(&layer), config: CONFIG, layer: data });
    }
}
