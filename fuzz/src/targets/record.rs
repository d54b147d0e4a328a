//! Records of links.

use std::path::{Path, PathBuf};

use brawn_elf::Arch;
use brawn_link::line::Flavor;
use brawn_link::record::{FORMAT, Input, OUTPUT, OVERLAY, Record, Store};

use crate::{rarely, scratch};

pub fn seeds() -> Vec<Vec<u8>> {
    let record = Record {
        format: FORMAT,
        id: "0123456789abcdef".into(),
        output: PathBuf::from("/tmp/a"),
        arch: Arch::X86_64,
        linker: vec!["rust-lld".into(), "-flavor".into(), "gnu".into()],
        flavor: Flavor::Linker,
        args: vec!["-o".into(), OUTPUT.into(), format!("-L{OVERLAY}"), "main.o".into()],
        cwd: PathBuf::from("/tmp"),
        env: vec![("LANG".into(), "C".into())],
        base: PathBuf::from("/tmp/libc.a"),
        package: None,
        inputs: vec![Input { path: "main.o".into(), size: 12, sha256: "ab".repeat(32), modified: 1 }],
        serves: vec!["mimalloc".into()],
    };
    vec![serde_json::to_vec(&record).expect("a record has string keys")]
}

pub fn read(data: &[u8]) {
    if let Ok(record) = Record::parse(Path::new("links/one"), data) {
        for input in record.inputs.iter().take(4) {
            let _ = input.check(Path::new("/absent"), &record.output);
        }
    }
    if rarely(data, 256) {
        scratch::file("links/one/record.json", data);
        scratch::folder(|folder| drop(Store::new(folder).read(&folder.join("links/one"))));
    }
}
