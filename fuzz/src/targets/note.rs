//! Brawn's own notes, in a file that has nothing else.

use brawn_elf::note::{NOTE_OWNER, NOTE_TYPE_KIT, NOTE_TYPE_LINK};
use brawn_elf::{BrawnNotes, read_notes};

use super::compiled::note;

/// Header, owner, text: as linkers hand it on.
fn one(kind: u32, text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [NOTE_OWNER.len() as u32 + 1, text.len() as u32, kind] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(NOTE_OWNER);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(text);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

pub fn seeds() -> Vec<Vec<u8>> {
    let lines: Vec<String> = note().entries().iter().map(|(key, value)| format!("{key}={value}\n")).collect();
    let kit = one(NOTE_TYPE_KIT, lines.concat().as_bytes());
    let link = one(NOTE_TYPE_LINK, b"0123456789abcdef");
    let both = [kit.clone(), link.clone()].concat();
    vec![kit.clone(), link, both, [kit.clone(), kit].concat()]
}

pub fn read(data: &[u8]) {
    const HEADER: usize = 64;
    const SEGMENT: usize = 56;
    let start = HEADER + SEGMENT;
    let mut file = vec![0; start];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"\x7fELF\x02\x01\x01");
    for (at, half) in [(16, 2u16), (18, 62), (20, 1), (52, 64), (54, 56), (56, 1)] {
        put(at, &half.to_le_bytes());
    }
    put(32, &(HEADER as u64).to_le_bytes());
    put(HEADER, &4u32.to_le_bytes());
    for (at, word) in [(8, start), (32, data.len()), (40, data.len()), (48, 4)] {
        put(HEADER + at, &(word as u64).to_le_bytes());
    }
    file.extend_from_slice(data);
    if let Ok(BrawnNotes { note: Some(note), link_id, .. }) = read_notes(&file) {
        // What was read can be written, and comes back as it is.
        let object = super::compiled::noted(&note);
        assert_eq!(read_notes(&object).expect("a note of ours").note, Some(note));
        drop(link_id);
    }
}
