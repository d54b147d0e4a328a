//! Reads an image back, and believes nothing.

use std::io::Read;

use oci_spec::image::{Descriptor, ImageConfiguration, ImageIndex, ImageManifest, MediaType};

use crate::blob::Hashing;
use crate::compress::decompress;
use crate::{Error, Store};

/// What was found in a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Images, each for one platform.
    pub images: usize,
    /// Blobs, each counted once for every image that uses it.
    pub blobs: usize,
    /// Bytes of these blobs.
    pub bytes: u64,
}

/// Checks every image in a layout or archive: digests, sizes, media types, configuration, and that each layer unpacks
/// to the diff ID that the configuration names.
pub fn check(store: &Store) -> Result<Report, Error> {
    let mut report = Report::default();
    let index = store.index()?;
    if index.manifests().is_empty() {
        return Err(store.damaged("its index is empty"));
    }
    for descriptor in index.manifests() {
        entry(store, descriptor, 0, &mut report)?;
    }
    if let Some(bytes) = store.optional("manifest.json")? {
        docker(store, &bytes)?;
    }
    Ok(report)
}

/// Indexes may hold indexes; nobody nests them deeper than this.
const DEEPEST: usize = 4;

fn entry(store: &Store, descriptor: &Descriptor, depth: usize, report: &mut Report) -> Result<(), Error> {
    report.blobs += 1;
    report.bytes += descriptor.size();
    match descriptor.media_type() {
        MediaType::ImageIndex if depth < DEEPEST => {
            let index: ImageIndex = store.document(descriptor)?;
            if index.schema_version() != 2 || index.media_type().as_ref() != Some(&MediaType::ImageIndex) {
                return Err(
                    store.damaged(format!("{} does not say that it is an index", descriptor.digest()))
                );
            }
            index.manifests().iter().try_for_each(|inner| entry(store, inner, depth + 1, report))
        }
        MediaType::ImageManifest => {
            report.images += 1;
            manifest(store, descriptor, report)
        }
        other => {
            Err(store.damaged(format!("{} is of the type {other}, which is no image", descriptor.digest())))
        }
    }
}

fn manifest(store: &Store, descriptor: &Descriptor, report: &mut Report) -> Result<(), Error> {
    let digest = descriptor.digest();
    let manifest: ImageManifest = store.document(descriptor)?;
    if manifest.schema_version() != 2 || manifest.media_type().as_ref() != Some(&MediaType::ImageManifest) {
        return Err(store.damaged(format!("{digest} does not say that it is a manifest")));
    }
    if manifest.config().media_type() != &MediaType::ImageConfig {
        return Err(store.damaged(format!(
            "{digest} has a configuration of the type {}",
            manifest.config().media_type()
        )));
    }
    let config: ImageConfiguration = store.document(manifest.config())?;
    if let Some(platform) = descriptor.platform()
        && (platform.architecture() != config.architecture() || platform.os() != config.os())
    {
        return Err(store.damaged(format!(
            "{digest} is listed for {}/{}, and its configuration says {}/{}",
            platform.os(),
            platform.architecture(),
            config.os(),
            config.architecture()
        )));
    }
    let diff_ids = config.rootfs().diff_ids();
    if diff_ids.len() != manifest.layers().len() {
        return Err(store.damaged(format!(
            "{digest} has {} layers, and its configuration names {}",
            manifest.layers().len(),
            diff_ids.len()
        )));
    }
    for (layer, diff_id) in manifest.layers().iter().zip(diff_ids) {
        let found = unpacked_digest(store, layer)?;
        if &found != diff_id {
            return Err(Error::Digest {
                place: store.place(),
                what: format!("the unpacked layer {}", layer.digest()),
                expected: diff_id.clone(),
                found,
            });
        }
        report.blobs += 1;
        report.bytes += layer.size();
    }
    report.blobs += 1;
    report.bytes += manifest.config().size();
    Ok(())
}

/// The digest of a layer's tar archive, which must be one from beginning to end.
fn unpacked_digest(store: &Store, layer: &Descriptor) -> Result<String, Error> {
    let media_type = layer.media_type().as_ref();
    let reader = store.blob(layer)?.open()?;
    let unpacked = decompress(media_type, reader)
        .ok_or_else(|| store.damaged(format!("{} is a layer of the type {media_type}", layer.digest())))??;
    let damaged = |error: std::io::Error| store.damaged(format!("layer {}: {error}", layer.digest()));
    let mut archive = tar::Archive::new(Hashing::new(unpacked));
    for entry in archive.entries().map_err(damaged)? {
        std::io::copy(&mut entry.map_err(damaged)?, &mut std::io::sink()).map_err(damaged)?;
    }
    // What follows the archive's end counts as well.
    let mut rest = archive.into_inner();
    std::io::copy(&mut rest.by_ref(), &mut std::io::sink()).map_err(damaged)?;
    Ok(rest.finish().0)
}

/// Docker's own list must name files that are there.
fn docker(store: &Store, bytes: &[u8]) -> Result<(), Error> {
    let images: Vec<crate::sink::DockerImage> = store.json("manifest.json", bytes)?;
    for image in images {
        for name in image.layers.iter().chain([&image.config]) {
            if !store.has(name) {
                return Err(store.damaged(format!("manifest.json names {name}, which is not there")));
            }
        }
    }
    Ok(())
}
