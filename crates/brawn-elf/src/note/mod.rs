//! The ELF notes that Brawn writes: what went into an executable, and which recorded link made it.
//!
//! Both live in a section `.note.brawn` of type `SHT_NOTE`, allocated and aligned to 4 bytes, with the owner
//! `Brawn`. Linkers put such a section into a `PT_NOTE` segment, so the notes survive `strip`, and even the
//! loss of the section headers. The type says which of the two it is:
//!
//! | type | content of the description |
//! |---|---|
//! | 1 | UTF-8 lines `key=value`, sorted by key: a [`Note`] |
//! | 2 | lowercase hexadecimal text: a [`LinkId`] |
//! | 3 | lines as in type 1: the [`HeapFacts`] of the link, if there are any; readers add them to the [`Note`] |
//! | 4 | lines as in type 1: a [`Graft`], in a finished executable that got functions of the kit afterwards |
//!
//! Readers skip keys and types that they do not know, so a later Brawn can add some.

mod graft;
mod object_file;
mod read;
mod text;

pub use graft::{Graft, Piece};
pub use object_file::{add_note_section, link_note_object};
pub use read::{BrawnNotes, read_notes};
pub use text::{FUNCTIONS, HeapFacts, KNOB, LinkId, Note, PROGRAM};

pub(crate) use object_file::relocatable_header;
pub(crate) use read::notes_of_image;

/// The section that holds the notes.
pub const NOTE_SECTION: &str = ".note.brawn";

/// The owner's name in each note, without the terminating zero.
pub const NOTE_OWNER: &[u8] = b"Brawn";

/// The type of the note that holds a [`Note`].
pub const NOTE_TYPE_KIT: u32 = 1;

/// The type of the note that holds a [`LinkId`].
pub const NOTE_TYPE_LINK: u32 = 2;

/// The type of the note that holds [`HeapFacts`].
pub const NOTE_TYPE_HEAPS: u32 = 3;

/// The type of the note that holds a [`Graft`].
pub const NOTE_TYPE_GRAFT: u32 = 4;

/// Linkers join `.note.brawn` sections of several objects; with this alignment no gap comes in between.
pub(crate) const NOTE_ALIGN: usize = 4;

/// One whole note: header, owner, description, each padded to [`NOTE_ALIGN`]. Little endian, as every
/// architecture that Brawn has a kit for.
pub(crate) fn encode_note(kind: u32, description: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(24 + description.len());
    let word = |length: usize| u32::try_from(length).expect("a note is far smaller than 4 GiB").to_le_bytes();
    out.extend_from_slice(&word(NOTE_OWNER.len() + 1));
    out.extend_from_slice(&word(description.len()));
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(NOTE_OWNER);
    out.push(0);
    out.resize(out.len().next_multiple_of(NOTE_ALIGN), 0);
    out.extend_from_slice(description);
    out.resize(out.len().next_multiple_of(NOTE_ALIGN), 0);
    out
}
