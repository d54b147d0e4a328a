use oci_spec::image::{Descriptor, ImageIndex, ImageIndexBuilder, MediaType};
use serde::Serialize;

/// The one JSON text of a value: keys sorted at every level, no blanks. OCI's types keep their maps in hash tables, and
/// a digest must not depend on the order in which those are walked.
pub(crate) fn canonical(value: &impl Serialize) -> Vec<u8> {
    let mut value = serde_json::to_value(value).expect("the types of this crate have string keys only");
    value.sort_all_objects();
    serde_json::to_vec(&value).expect("a JSON value can be written")
}

/// An index of these manifests.
pub(crate) fn index(manifests: Vec<Descriptor>) -> ImageIndex {
    ImageIndexBuilder::default()
        .schema_version(2u32)
        .media_type(MediaType::ImageIndex)
        .manifests(manifests)
        .build()
        .expect("every field that an index needs is set")
}
