//! The image underneath, if it is not `scratch`.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use oci_spec::image::{Descriptor, ImageConfiguration, ImageIndex, ImageManifest, MediaType};
use serde::de::DeserializeOwned;

use crate::registry::{Access, Reference, Repository};
use crate::{Blob, Content, Error, Platform, Store, limits};

/// An image to build upon.
#[derive(Debug)]
pub struct Base {
    /// How it was named.
    pub name: String,
    source: Source,
    /// The manifests in it, each with its platform.
    manifests: Vec<(Option<Platform>, Descriptor)>,
    /// Digests of indexes that have been read, and how many entries they have together.
    read: (HashSet<String>, usize),
}

#[derive(Debug)]
enum Source {
    Store(Store),
    Remote(Arc<Repository>),
}

/// A base image for one platform.
#[derive(Debug)]
pub struct BaseImage {
    /// That of its manifest.
    pub digest: String,
    /// Its configuration.
    pub config: ImageConfiguration,
    /// Its layers, lowest first.
    pub layers: Vec<Blob>,
}

/// Docker's names for what OCI took over from it.
const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const DOCKER_INDEX: &str = "application/vnd.docker.distribution.manifest.list.v2+json";
const DOCKER_CONFIG: &str = "application/vnd.docker.container.image.v1+json";
const DOCKER_LAYER: &str = "application/vnd.docker.image.rootfs.diff.tar.gzip";

impl Base {
    /// Opens what `given` names: nothing for `scratch`, a layout or archive if there is a file of that name, with
    /// `@sha256:…` one of the images in it, and otherwise a reference to a registry, which must have a digest.
    pub fn open(given: &str, access: &Access) -> Result<Option<Base>, Error> {
        if given == "scratch" {
            return Ok(None);
        }
        let (path, digest) = match given.split_once("@sha256:") {
            Some((path, digest)) => (path, Some(format!("sha256:{digest}"))),
            None => (given, None),
        };
        if Path::new(path).exists() {
            return Base::of_store(given, Store::open(Path::new(path))?, digest.as_deref()).map(Some);
        }
        if given.starts_with(['.', '/', '~']) {
            return Err(Error::setting(
                format!("there is no base image {given}"),
                "name an OCI layout, an archive of one, or a reference with a digest",
            ));
        }
        let reference: Reference = given.parse()?;
        // The image may go to a registry on this machine, and its base come from one elsewhere.
        let mut access = access.clone();
        access.insecure &= reference.is_local();
        let repository = Arc::new(Repository::open(&reference, &access)?);
        let Some(digest) = &reference.digest else {
            let now = repository.resolve(reference.tag_or_latest()).ok();
            return Err(Error::Unpinned { reference: given.to_owned(), now });
        };
        let descriptor = repository.manifest(digest)?.descriptor;
        Base::of(given, Source::Remote(repository), &[descriptor]).map(Some)
    }

    /// What is in a layout: the image with this digest, or all.
    pub fn of_store(name: &str, store: Store, digest: Option<&str>) -> Result<Base, Error> {
        let mut top: Vec<Descriptor> = store.index()?.manifests().clone();
        if let Some(digest) = digest {
            top.retain(|descriptor| descriptor.digest().as_ref() == digest);
            if top.is_empty() {
                return Err(store.damaged(format!("its index does not list {digest}")));
            }
        }
        Base::of(name, Source::Store(store), &top)
    }

    fn of(name: &str, source: Source, top: &[Descriptor]) -> Result<Base, Error> {
        let mut base =
            Base { name: name.to_owned(), source, manifests: Vec::new(), read: Default::default() };
        for descriptor in top {
            base.collect(descriptor, 0)?;
        }
        Ok(base)
    }

    fn damaged(&self, what: String) -> Error {
        Error::damaged(self.place(), what)
    }

    fn place(&self) -> String {
        match &self.source {
            Source::Store(store) => store.place(),
            Source::Remote(repository) => repository.to_string(),
        }
    }

    /// Finds the manifests below an entry of an index.
    fn collect(&mut self, descriptor: &Descriptor, depth: usize) -> Result<(), Error> {
        match descriptor.media_type().as_ref() {
            "application/vnd.oci.image.index.v1+json" | DOCKER_INDEX => {
                // What is in an index is the same however often it is named.
                if !self.read.0.insert(descriptor.digest().to_string()) {
                    return Ok(());
                }
                if depth == limits::DEPTH {
                    return Err(self.damaged(format!("indexes are nested deeper than {}", limits::DEPTH)));
                }
                let index: ImageIndex = self.document(descriptor)?;
                self.read.1 += index.manifests().len();
                if self.read.1 > limits::ENTRIES {
                    let place = self.place();
                    return Err(Error::too_many(place, "an index", self.read.1, limits::ENTRIES, "entries"));
                }
                index.manifests().iter().try_for_each(|inner| self.collect(inner, depth + 1))
            }
            "application/vnd.oci.image.manifest.v1+json" | DOCKER_MANIFEST => {
                let platform = descriptor
                    .platform()
                    .as_ref()
                    .map(|platform| format!("{}/{}", platform.os(), platform.architecture()));
                // An attestation of BuildKit's is listed for `unknown/unknown`.
                match platform.as_deref().map(Platform::from_name) {
                    Some(None) => {}
                    Some(known) => self.manifests.push((known, descriptor.clone())),
                    None => self.manifests.push((None, descriptor.clone())),
                }
                Ok(())
            }
            other => {
                let digest = descriptor.digest();
                Err(self.damaged(format!("{digest} is of the type {other}, which is no image")))
            }
        }
    }

    /// The image for a platform.
    pub fn image(&self, platform: Platform) -> Result<BaseImage, Error> {
        let mut there = Vec::new();
        for (listed, descriptor) in &self.manifests {
            if listed.is_some_and(|listed| listed != platform) {
                there.extend(listed.map(|listed| listed.to_string()));
                continue;
            }
            let manifest: ImageManifest = self.document(descriptor)?;
            let type_ = manifest.config().media_type().as_ref();
            if type_ != MediaType::ImageConfig.as_ref() && type_ != DOCKER_CONFIG {
                continue;
            }
            let layers = manifest.layers().len();
            if layers > limits::LAYERS {
                return Err(Error::too_many(self.place(), "an image", layers, limits::LAYERS, "layers"));
            }
            let config: ImageConfiguration = self.document(manifest.config())?;
            let found = Platform::from_name(&format!("{}/{}", config.os(), config.architecture()));
            if found != Some(platform) {
                there.push(format!("{}/{}", config.os(), config.architecture()));
                continue;
            }
            if config.rootfs().diff_ids().len() != manifest.layers().len() {
                let digest = descriptor.digest();
                return Err(self
                    .damaged(format!("{digest} and its configuration disagree about the number of layers")));
            }
            let layers = manifest.layers().iter().map(|layer| self.layer(layer)).collect::<Result<_, _>>()?;
            return Ok(BaseImage { digest: descriptor.digest().to_string(), config, layers });
        }
        Err(Error::NoPlatform { base: self.name.clone(), platform: platform.to_string(), there })
    }

    /// A layer under OCI's name for its type: the bytes are the same.
    fn layer(&self, descriptor: &Descriptor) -> Result<Blob, Error> {
        limits::check(&self.place(), descriptor, limits::LAYER)?;
        let mut descriptor = descriptor.clone();
        if descriptor.media_type().as_ref() == DOCKER_LAYER {
            descriptor.set_media_type(MediaType::ImageLayerGzip);
        }
        match &self.source {
            Source::Store(store) => store.blob(&descriptor),
            Source::Remote(repository) => {
                Ok(Blob { descriptor, content: Content::Remote(repository.clone()) })
            }
        }
    }

    fn document<T: DeserializeOwned>(&self, descriptor: &Descriptor) -> Result<T, Error> {
        match &self.source {
            Source::Store(store) => store.document(descriptor),
            Source::Remote(repository) => {
                limits::check(&self.place(), descriptor, limits::DOCUMENT)?;
                let type_ = descriptor.media_type().as_ref();
                let bytes = if type_.contains("manifest") || type_.contains("index") {
                    repository.manifest(descriptor.digest().as_ref())?.read()?
                } else {
                    Blob { descriptor: descriptor.clone(), content: Content::Remote(repository.clone()) }
                        .read()?
                };
                serde_json::from_slice(&bytes)
                    .map_err(|error| self.damaged(format!("{}: {error}", descriptor.digest())))
            }
        }
    }
}
