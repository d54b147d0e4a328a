//! What a registry answers: index, manifest and configuration; and how an image is named there.

use brawn_image::registry::Reference;
use oci_spec::image::{ImageConfiguration, ImageIndex, ImageManifest};

use super::layout::{CONFIG, Documents, INDEX, manifest, read as read_layout};
use crate::rarely;

/// Between the three documents of an input; it is no UTF-8.
const BETWEEN: u8 = 0xff;

pub fn seeds() -> Vec<Vec<u8>> {
    let manifest = manifest("application/vnd.oci.image.layer.v1.tar");
    let all = [INDEX.as_bytes(), manifest.as_bytes(), CONFIG.as_bytes()].join(&BETWEEN);
    let docker = INDEX.replace("oci.image.index.v1+json", "docker.distribution.manifest.list.v2+json");
    let docker = [docker.as_bytes(), manifest.as_bytes(), CONFIG.as_bytes()].join(&BETWEEN);
    vec![all, docker, b"ghcr.io:443/owner/name:tag@sha256:0123".to_vec(), b"[::1]:5000/name".to_vec()]
}

pub fn read(data: &[u8]) {
    let mut texts = data.split(|byte| *byte == BETWEEN).map(String::from_utf8_lossy);
    let index = texts.next().unwrap_or_default();
    let _ = index.parse::<Reference>();
    let (Some(manifest), Some(config)) = (texts.next(), texts.next()) else { return };
    let all = serde_json::from_str::<ImageIndex>(&index).is_ok()
        & serde_json::from_str::<ImageManifest>(&manifest).is_ok()
        & serde_json::from_str::<ImageConfiguration>(&config).is_ok();
    // A layout is read up to the first document that is none.
    if !all && !rarely(data, 16) {
        return;
    }
    read_layout(&Documents { index: &index, manifest: &manifest, config: &config, layer: &[0; 1024] });
}
