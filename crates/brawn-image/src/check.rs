//! Reads an image back, and believes nothing.

use std::collections::HashSet;

use oci_spec::image::{Descriptor, ImageConfiguration, ImageIndex, ImageManifest, MediaType};

use crate::tarball::{self, Unpack};
use crate::{Error, Store, limits};

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
    let index = store.index()?;
    if index.manifests().is_empty() {
        return Err(store.damaged("its index is empty"));
    }
    let mut walk = Walk { store, report: Report::default(), seen: HashSet::new(), entries: 0 };
    walk.index(&index, 0)?;
    if let Some(bytes) = store.optional("manifest.json")? {
        docker(store, &bytes)?;
    }
    Ok(walk.report)
}

struct Walk<'a> {
    store: &'a Store,
    report: Report,
    /// Digests of what has been checked already.
    seen: HashSet<String>,
    entries: usize,
}

impl Walk<'_> {
    fn index(&mut self, index: &ImageIndex, depth: usize) -> Result<(), Error> {
        self.entries += index.manifests().len();
        if self.entries > limits::ENTRIES {
            let place = self.store.place();
            return Err(Error::too_many(place, "its index", self.entries, limits::ENTRIES, "entries"));
        }
        index.manifests().iter().try_for_each(|inner| self.entry(inner, depth))
    }

    fn entry(&mut self, descriptor: &Descriptor, depth: usize) -> Result<(), Error> {
        if !self.seen.insert(descriptor.digest().to_string()) {
            return Ok(());
        }
        let store = self.store;
        // Sizes are sums only of what is there.
        limits::check(&store.place(), descriptor, limits::DOCUMENT)?;
        self.report.blobs += 1;
        self.report.bytes += descriptor.size();
        match descriptor.media_type() {
            MediaType::ImageIndex if depth < limits::DEPTH => {
                let index: ImageIndex = store.document(descriptor)?;
                if index.schema_version() != 2 || index.media_type().as_ref() != Some(&MediaType::ImageIndex)
                {
                    return Err(
                        store.damaged(format!("{} does not say that it is an index", descriptor.digest()))
                    );
                }
                self.index(&index, depth + 1)
            }
            MediaType::ImageIndex => {
                Err(store.damaged(format!("indexes are nested deeper than {}", limits::DEPTH)))
            }
            MediaType::ImageManifest => {
                self.report.images += 1;
                manifest(store, descriptor, &mut self.report)
            }
            other => {
                Err(store
                    .damaged(format!("{} is of the type {other}, which is no image", descriptor.digest())))
            }
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
    if diff_ids.len() > limits::LAYERS {
        return Err(Error::too_many(store.place(), "an image", diff_ids.len(), limits::LAYERS, "layers"));
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
    limits::check(&store.place(), layer, limits::LAYER)?;
    let media_type = layer.media_type().as_ref();
    tarball::digest(media_type, store.blob(layer)?.open()?, limits::UNPACKED).map_err(|problem| {
        let name = format!("layer {}", layer.digest());
        match problem {
            Unpack::NoLayer => {
                store.damaged(format!("{} is a layer of the type {media_type}", layer.digest()))
            }
            Unpack::Damaged(error) => store.damaged(format!("{name}: {error}")),
            Unpack::TooLarge => Error::too_large(store.place(), &name, None, limits::UNPACKED),
        }
    })
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::blob::sha256;

    #[test]
    fn sizes_that_no_sum_can_hold_are_refused() {
        const INDEX: &str = "application/vnd.oci.image.index.v1+json";
        let index = |entries: &str| {
            format!(r#"{{"schemaVersion":2,"mediaType":"{INDEX}","manifests":[{entries}]}}"#).into_bytes()
        };
        let entry = |digest: &str, size: u64| {
            format!(r#"{{"mediaType":"{INDEX}","digest":"{digest}","size":{size}}}"#)
        };
        let inner = index("");
        let digest = sha256(&inner);
        let there = entry(&digest, inner.len() as u64);
        let absent = entry(&sha256(b""), u64::MAX);
        let mut archive = tar::Builder::new(Vec::new());
        let mut add = |name: &str, content: &[u8]| {
            let mut header = tar::Header::new_ustar();
            header.set_size(content.len() as u64);
            archive.append_data(&mut header, name, content).unwrap();
        };
        add("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#);
        add("index.json", &index(&format!("{there},{absent}")));
        add(&format!("blobs/sha256/{}", &digest["sha256:".len()..]), &inner);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&archive.into_inner().unwrap()).unwrap();
        let error = check(&Store::open(file.path()).unwrap()).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    }
}
