//! Executables, libraries and objects: everything that looks into one.

use brawn_elf::{add_note_section, fuzz, redirect_calls};

use super::compiled::{compiled, note};

pub fn seeds() -> Vec<Vec<u8>> {
    let files = compiled();
    files.linked.iter().chain(&files.objects).cloned().collect()
}

pub fn read(data: &[u8]) {
    if let Some(inspection) = fuzz::executable(data) {
        // What `--json` prints is read by others.
        serde_json::to_string(&inspection).expect("an inspection can be written");
    }
    let _ = add_note_section(data, &note());
    let _ = redirect_calls(data, &[("malloc", "__brawn_malloc")]);
}
