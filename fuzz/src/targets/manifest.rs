//! Manifests: of an overlay, and of a toolchain that was patched.

use std::collections::BTreeMap;
use std::path::Path;

use brawn_elf::Arch;
use brawn_libc::{Manifest, patch, sha256_hex};

use crate::{rarely, scratch};

const LIBC: &[u8] = b"!<arch>\n";

pub fn seeds() -> Vec<Vec<u8>> {
    let text = r#"{"member":"malloc.lo","symbols":["malloc"]}"#;
    let manifest = Manifest {
        format: 1,
        id: "0123".into(),
        kit: "0.1.0".into(),
        arch: Arch::X86_64,
        preset: Some("balanced".into()),
        malloc: "jemalloc".into(),
        malloc_version: Some("5.3.1".into()),
        strings: true,
        functions: vec!["sort".into()],
        unfit: BTreeMap::from([("time".into(), "__libc is missing".into())]),
        cpu: Some("x86-64-v3".into()),
        knobs: [("jemalloc.narenas".to_owned(), "2".to_owned())].into(),
        libc: "musl 1.2.5".into(),
        libc_sha256: sha256_hex(LIBC),
        sha256: sha256_hex(text.as_bytes()),
        size: 8,
        kept: 1,
        dropped: Vec::new(),
        added: Vec::new(),
    };
    let overlay = serde_json::to_value(&manifest).expect("a manifest has string keys");
    let record = serde_json::json!({ "format": 1, "original-sha256": "ab".repeat(32), "overlay": overlay });
    [overlay, record].map(|value| serde_json::to_vec_pretty(&value).expect("JSON can be written")).into()
}

pub fn read(data: &[u8]) {
    let _ = serde_json::from_slice::<Manifest>(data);
    let _ = patch::Record::parse(Path::new("libc.a.brawn.json"), data);
    if !rarely(data, 256) {
        return;
    }
    let libc = scratch::file("toolchain/libc.a", LIBC);
    fs_err::write(patch::manifest_path(&libc), data).expect("the folder is ours");
    let _ = patch::base_of(&libc);
    let _ = patch::restore(&libc, true);
}
