use oci_spec::image::{Descriptor, ImageManifest};

use crate::sbom::Sbom;
use crate::{Blob, Platform};

/// An image for one platform.
#[derive(Clone, Debug)]
pub struct Image {
    /// What it runs on.
    pub platform: Platform,
    /// The manifest, which names all that follows.
    pub manifest: Blob,
    /// The configuration.
    pub config: Blob,
    /// The layers, lowest first.
    pub layers: Vec<Blob>,
    /// How many of the layers are the base image's.
    pub base_layers: usize,
    /// What is inside, in the words of two standards; none if that is not wanted.
    pub sbom: Option<Sbom>,
}

/// One image, or several for as many platforms under one index.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The images.
    pub images: Vec<Image>,
    /// The index, if there are several images.
    pub index: Option<Blob>,
}

impl Image {
    /// The blobs that a manifest needs, in the order in which a registry should get them.
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        self.layers.iter().chain(std::iter::once(&self.config))
    }

    /// Bytes of everything: manifest, configuration and compressed layers.
    pub fn size(&self) -> u64 {
        self.manifest.size() + self.blobs().map(Blob::size).sum::<u64>()
    }

    /// The manifest, read.
    pub fn read_manifest(&self) -> ImageManifest {
        let bytes = self.manifest.read().expect("the manifest is in memory");
        serde_json::from_slice(&bytes).expect("this crate wrote the manifest")
    }
}

impl Bundle {
    /// What a reference to the bundle points to: the index, or the only manifest.
    pub fn top(&self) -> &Blob {
        self.index.as_ref().unwrap_or_else(|| &self.images[0].manifest)
    }

    /// The digest of [`Bundle::top`].
    pub fn digest(&self) -> &str {
        self.top().digest()
    }

    /// Every blob once, whatever uses it.
    pub fn blobs(&self) -> Vec<&Blob> {
        let mut blobs: Vec<&Blob> = Vec::new();
        let manifests = self.images.iter().map(|image| &image.manifest);
        for blob in self.images.iter().flat_map(Image::blobs).chain(manifests).chain(&self.index) {
            if !blobs.iter().any(|known| known.digest() == blob.digest()) {
                blobs.push(blob);
            }
        }
        blobs
    }

    /// The descriptor of [`Bundle::top`] for an `index.json`.
    pub(crate) fn descriptor(&self) -> Descriptor {
        let mut descriptor = self.top().descriptor.clone();
        if self.index.is_none() {
            descriptor.set_platform(Some(self.images[0].platform.oci()));
        }
        descriptor
    }
}
