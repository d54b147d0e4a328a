//! Archives of tar: of a layout, and of a layer.

use brawn_image::tarball;

use super::layout::{CONFIG, Documents, INDEX, archive as read_archive, manifest, read as read_layout};
use crate::rarely;

/// An archive with one entry of every sort that layers have.
pub fn small() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(5);
    header.set_mode(0o755);
    archive.append_data(&mut header, "app", &b"hello"[..]).expect("memory takes it");
    header.set_size(2);
    archive.append_data(&mut header, format!("d/{}", "n".repeat(120)), &b"{}"[..]).expect("memory takes it");
    header.set_size(0);
    header.set_entry_type(tar::EntryType::Symlink);
    archive.append_link(&mut header, "link", "app").expect("memory takes it");
    archive.append_pax_extensions([("size", &b"1"[..])]).expect("memory takes it");
    header.set_entry_type(tar::EntryType::Directory);
    archive.append_data(&mut header, "d/", std::io::empty()).expect("memory takes it");
    archive.into_inner().expect("memory takes it")
}

fn layout() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in [("oci-layout", r#"{"imageLayoutVersion":"1.0.0"}"#), ("./index.json", INDEX)] {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, content.as_bytes()).expect("memory takes it");
    }
    archive.into_inner().expect("memory takes it")
}

pub fn seeds() -> Vec<Vec<u8>> {
    vec![small(), layout(), vec![0; 1024]]
}

pub fn read(data: &[u8]) {
    const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
    read_archive(data);
    let _ = tarball::digest(LAYER, data, u64::MAX);
    if rarely(data, 64) {
        read_layout(&Documents { index: INDEX, manifest: &manifest(LAYER), config: CONFIG, layer: data });
    }
}
