use oci_spec::image::{ANNOTATION_REF_NAME, Descriptor, OciLayoutBuilder};
use serde::{Deserialize, Serialize};

use crate::registry::Reference;
use crate::{Bundle, json};

/// One image in the `manifest.json` of an archive of `docker save`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct DockerImage {
    /// The file that holds the configuration.
    pub config: String,
    /// The names that the image gets.
    #[serde(default)]
    pub repo_tags: Option<Vec<String>>,
    /// The files that hold the layers, lowest first.
    pub layers: Vec<String>,
}

/// The file of a blob in a layout.
pub(super) fn path_of(descriptor: &Descriptor) -> String {
    format!("blobs/{}/{}", descriptor.digest().algorithm(), descriptor.digest().digest())
}

/// The small files of a layout: the version, and the index that names the image.
pub(super) fn heads(bundle: &Bundle, name: &Reference) -> [(&'static str, Vec<u8>); 2] {
    let layout =
        OciLayoutBuilder::default().image_layout_version("1.0.0").build().expect("the version is set");
    let mut descriptor = bundle.descriptor();
    let annotations =
        [(ANNOTATION_REF_NAME, name.tag_or_latest().to_owned()), ("io.containerd.image.name", name.full())];
    descriptor
        .set_annotations(Some(annotations.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()));
    let index = json::canonical(&json::index(vec![descriptor]));
    [("oci-layout", json::canonical(&layout)), ("index.json", index)]
}

/// The `manifest.json` for Docker before version 25 and for `skopeo copy docker-archive:`, which know one platform only:
/// the first.
pub(super) fn manifest(bundle: &Bundle, name: &Reference) -> Vec<u8> {
    let image = &bundle.images[0];
    json::canonical(&[DockerImage {
        config: path_of(&image.config.descriptor),
        repo_tags: Some(vec![name.familiar()]),
        layers: image.layers.iter().map(|layer| path_of(&layer.descriptor)).collect(),
    }])
}
