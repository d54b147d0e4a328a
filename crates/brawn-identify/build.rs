//! Packs the signatures, which are kept as text.

use std::path::Path;

fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    for arch in ["x86_64", "aarch64"] {
        let text = format!("signatures/{arch}.txt");
        println!("cargo::rerun-if-changed={text}");
        let packed = zstd::bulk::compress(&fs_err::read(&text).expect("signatures"), 19).expect("in memory");
        fs_err::write(Path::new(&out).join(format!("{arch}.zst")), packed).expect("OUT_DIR is writable");
    }
}
