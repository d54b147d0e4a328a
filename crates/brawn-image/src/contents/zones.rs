use std::io::Read;

use crate::layer::{Entries, Entry, Kind};

/// The version of the time zone database, such as `2026a`.
pub fn version() -> &'static str {
    env!("BRAWN_ZONES")
}

/// More than the archive is unpacked.
const LIMIT: usize = 8 << 20;

/// The compiled zones that `build.rs` packed. One with several names is one file with several hard links.
pub(super) fn add(entries: &mut Entries) {
    let packed = include_bytes!(concat!(env!("OUT_DIR"), "/zones.tar.zst"));
    let archive = zstd::bulk::decompress(packed, LIMIT).expect("build.rs compressed it");
    let mut archive = tar::Archive::new(&archive[..]);
    for zone in archive.entries().expect("build.rs wrote it") {
        let mut zone = zone.expect("build.rs wrote it");
        let place = |name: &[u8]| format!("usr/share/zoneinfo/{}", String::from_utf8_lossy(name));
        let path = place(&zone.path_bytes());
        let entry = match zone.link_name_bytes() {
            Some(target) => Entry { kind: Kind::HardLink(place(&target)), mode: 0o644, owner: 0 },
            None => {
                let mut data = Vec::new();
                zone.read_to_end(&mut data).expect("it is in memory");
                Entry::file(data)
            }
        };
        entries.insert(path, entry);
    }
}
