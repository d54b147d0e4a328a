use oci_spec::image::{ANNOTATION_TITLE, ImageManifestBuilder, MediaType};

use crate::registry::{Reference, Repository, is_repository};
use crate::{Blob, Bundle, Content, Error, Image, json};

/// Pushes to a repository under the tag of a reference. Blobs that the repositories `mount_from` of the same registry have
/// need not be sent again.
pub fn push(
    bundle: &Bundle,
    repository: &Repository,
    reference: &Reference,
    mount_from: &[String],
) -> Result<String, Error> {
    if let Some(wrong) = mount_from.iter().find(|name| !is_repository(name)) {
        let hint = "say its path in the same registry, without host and tag: team/app";
        return Err(Error::setting(format!("'{wrong}' is not the path of a repository"), hint));
    }
    let mut sent = Vec::new();
    for image in &bundle.images {
        for blob in image.blobs() {
            if !sent.contains(&blob.digest()) {
                send(blob, repository, mount_from)?;
                sent.push(blob.digest());
            }
        }
    }
    // A manifest may only be put when all that it names is there, and the tag comes last of all.
    if bundle.index.is_some() {
        for image in &bundle.images {
            repository.put_manifest(&image.manifest, image.manifest.digest())?;
        }
    }
    repository.put_manifest(bundle.top(), reference.tag_or_latest())?;
    for image in &bundle.images {
        attach(image, repository)?;
    }
    Ok(format!("{}@{}", reference.repository_name(), bundle.digest()))
}

fn send(blob: &Blob, repository: &Repository, mount_from: &[String]) -> Result<(), Error> {
    let mut sources = mount_from.to_vec();
    if let Content::Remote(other) = &blob.content
        && other.same_registry(repository)
    {
        sources.insert(0, other.name().to_owned());
    }
    repository.send(blob, &sources)
}

/// Attaches what is inside an image to it, as referrers.
fn attach(image: &Image, repository: &Repository) -> Result<(), Error> {
    let Some(sbom) = &image.sbom else { return Ok(()) };
    let empty = Blob::new(MediaType::EmptyJSON, b"{}".to_vec());
    repository.send(&empty, &[])?;
    for (media_type, ending, bytes) in sbom.documents() {
        let document = Blob::new(MediaType::Other(media_type.to_owned()), bytes.to_vec());
        repository.send(&document, &[])?;
        let mut layer = document.descriptor.clone();
        let title = (ANNOTATION_TITLE.to_owned(), format!("sbom.{ending}"));
        layer.set_annotations(Some([title].into()));
        let manifest = ImageManifestBuilder::default()
            .schema_version(2u32)
            .media_type(MediaType::ImageManifest)
            .artifact_type(MediaType::Other(media_type.to_owned()))
            .config(empty.descriptor.clone())
            .layers(vec![layer])
            .subject(image.manifest.descriptor.clone())
            .build()
            .expect("every field that a manifest needs is set");
        let manifest = Blob::new(MediaType::ImageManifest, json::canonical(&manifest));
        repository.refer(&manifest, media_type, image.manifest.digest())?;
    }
    Ok(())
}
