//! Packs the texts that the suites are made of, so that the executable carries a quarter of their bytes.

use std::collections::BTreeMap;
use std::path::Path;

/// The folders of this crate that hold texts and nothing else.
const FOLDERS: &[&str] = &["suites", "workloads", "published"];

fn main() {
    let mut texts = BTreeMap::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        read(Path::new(folder), &mut texts);
    }
    let json = serde_json::to_vec(&texts).expect("texts by their names");
    let packed = zstd::bulk::compress(&json, 19).expect("zstd compresses what it is given");
    let file = Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets it")).join("texts.zst");
    fs_err::write(file, packed).expect("the folder that cargo gives can be written");
}

fn read(folder: &Path, texts: &mut BTreeMap<String, String>) {
    for entry in fs_err::read_dir(folder).expect("a folder of this crate") {
        let path = entry.expect("a folder of this crate").path();
        if path.is_dir() {
            read(&path, texts);
        } else {
            let name = path.to_str().expect("a name of this crate").to_owned();
            texts.insert(name, fs_err::read_to_string(&path).expect("a text"));
        }
    }
}
