//! A whole OCI layout in an archive, around one part that comes from a fuzzer.

use brawn_elf::Arch;
use brawn_image::{Base, Platform, Store, check};
use brawn_libc::sha256_hex;

use crate::scratch;

/// The documents of an image. Before they are written, `%m` and `%M` become the manifest's digest and size, `%c` and `%C` the
/// configuration's, `%l` and `%L` the layer's.
pub struct Documents<'a> {
    pub index: &'a str,
    pub manifest: &'a str,
    pub config: &'a str,
    pub layer: &'a [u8],
}

pub const INDEX: &str = r#"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%m","size":%M,"platform":{"architecture":"amd64","os":"linux"}}]}"#;
pub const CONFIG: &str = r#"{"architecture":"amd64","os":"linux","config":{"Env":["PATH=/"],"Cmd":["/app"],"Labels":{"a":"b"}},"rootfs":{"type":"layers","diff_ids":["sha256:%l"]},"history":[{"created_by":"brawn"}]}"#;

/// A manifest with one layer of this type.
pub fn manifest(layer: &str) -> String {
    format!(
        r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%c","size":%C}},"layers":[{{"mediaType":"{layer}","digest":"sha256:%l","size":%L}}],"annotations":{{"a":"b"}}}}"#
    )
}

fn fill(text: &str, [small, large]: [&str; 2], content: &[u8]) -> String {
    if text.contains(small) || text.contains(large) {
        text.replace(small, &sha256_hex(content)).replace(large, &content.len().to_string())
    } else {
        text.to_owned()
    }
}

/// Puts the image into an archive, and reads that back as a base image and as what is to be checked.
pub fn read(documents: &Documents<'_>) {
    let config = fill(documents.config, ["%l", "%L"], documents.layer);
    let manifest = fill(documents.manifest, ["%l", "%L"], documents.layer);
    let manifest = fill(&manifest, ["%c", "%C"], config.as_bytes());
    let index = fill(documents.index, ["%m", "%M"], manifest.as_bytes());
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |name: &str, content: &[u8]| {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, content).expect("memory takes it");
    };
    add("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#);
    add("index.json", index.as_bytes());
    for content in [config.as_bytes(), manifest.as_bytes(), documents.layer] {
        add(&format!("blobs/sha256/{}", sha256_hex(content)), content);
    }
    self::archive(&archive.into_inner().expect("memory takes it"));
}

/// Reads what may be an archive of a layout, with everything in it, as what is to be checked and as what is to be built
/// upon.
pub fn archive(bytes: &[u8]) {
    let Ok(store) = Store::open(&scratch::file("layout.tar", bytes)) else { return };
    let _ = check(&store);
    if let Ok(base) = Base::of_store("layout.tar", store, None) {
        for arch in Arch::ALL {
            let _ = base.image(Platform { arch });
        }
    }
}
