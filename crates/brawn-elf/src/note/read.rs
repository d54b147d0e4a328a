use std::collections::BTreeMap;

use object::read::elf::NoteIterator;
use object::{Endianness, elf};

use super::{
    Graft, HeapFacts, LinkId, NOTE_OWNER, NOTE_SECTION, NOTE_TYPE_GRAFT, NOTE_TYPE_HEAPS, NOTE_TYPE_KIT,
    NOTE_TYPE_LINK, Note,
};
use crate::{Error, Image};

/// Brawn's notes of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrawnNotes {
    /// What went into it, if it carries a note of type 1; with that of type 3.
    pub note: Option<Note>,
    /// The recorded link that made it, if it carries a note of type 2.
    pub link_id: Option<LinkId>,
    /// What was grafted onto it, if it carries a note of type 4.
    pub graft: Option<Graft>,
}

/// Reads Brawn's notes from an executable or an object file, through its sections and its `PT_NOTE` segments.
///
/// Notes of other owners and of unknown types are skipped. The same note may be there many times (it is, in
/// every file that has both sections and segments).
///
/// # Errors
/// [`Error::NotElf`] and [`Error::Damaged`] as [`Image::parse`]; [`Error::NoteDamaged`] for a note of ours that
/// cannot be read; [`Error::NotesDisagree`] when there are several of one type that differ.
pub fn read_notes(data: &[u8]) -> Result<BrawnNotes, Error> {
    notes_of_image(&Image::parse(data)?)
}

pub(crate) fn notes_of_image(image: &Image<'_>) -> Result<BrawnNotes, Error> {
    let mut reader = Reader {
        endian: image.endian,
        // Sound files hold each note twice at most, once by section and once by segment.
        bytes_left: image.data.len().saturating_mul(4),
        notes: BrawnNotes::default(),
        heaps: None,
    };
    for section in image.sections.iter().filter(|section| section.kind == elf::SHT_NOTE.0) {
        reader.read(section.align, section.data, section.name == NOTE_SECTION.as_bytes())?;
    }
    for segment in image.segments.iter().filter(|segment| segment.kind == elf::PT_NOTE.0) {
        reader.read(segment.align, segment.data, false)?;
    }
    if let (Some(note), Some(heaps)) = (&mut reader.notes.note, reader.heaps) {
        note.heaps = heaps;
    }
    Ok(reader.notes)
}

struct Reader {
    endian: Endianness,
    bytes_left: usize,
    notes: BrawnNotes,
    heaps: Option<HeapFacts>,
}

impl Reader {
    /// Reads one run of notes. `ours` says that the run is Brawn's by its section name, so a header that cannot
    /// be read is damage to our note; elsewhere it is some other tool's affair and ends the run.
    fn read(&mut self, align: u64, data: &[u8], ours: bool) -> Result<(), Error> {
        self.bytes_left = self.bytes_left.checked_sub(data.len()).ok_or_else(|| Error::Damaged {
            what: "notes",
            reason: "their headers cover the file many times over".to_owned(),
        })?;
        let damaged = |error: object::read::Error| Error::NoteDamaged { what: error.to_string() };
        // Note headers are the same in both ELF classes.
        let mut run = match NoteIterator::<elf::FileHeader64<Endianness>>::new(self.endian, align, data) {
            Ok(run) => run,
            Err(error) if ours => return Err(damaged(error)),
            Err(_) => return Ok(()),
        };
        loop {
            let note = match run.next() {
                Ok(Some(note)) => note,
                Ok(None) => return Ok(()),
                Err(error) if ours => return Err(damaged(error)),
                Err(_) => return Ok(()),
            };
            if note.name() != NOTE_OWNER {
                continue;
            }
            match note.n_type(self.endian).0 {
                NOTE_TYPE_KIT => {
                    let note = Note::from_description(note.desc())?;
                    let differ = |first: &Note, note: &Note| disagreement(&first.entries(), &note.entries());
                    keep(&mut self.notes.note, note, differ)?;
                }
                NOTE_TYPE_LINK => {
                    let id = LinkId::from_description(note.desc())?;
                    keep(&mut self.notes.link_id, id, |first, id| Error::NotesDisagree {
                        key: "link".to_owned(),
                        first: first.to_string(),
                        second: id.to_string(),
                    })?;
                }
                NOTE_TYPE_GRAFT => {
                    let graft = Graft::from_description(note.desc())?;
                    keep(&mut self.notes.graft, graft, |first, graft| {
                        disagreement(&first.entries(), &graft.entries())
                    })?;
                }
                NOTE_TYPE_HEAPS => {
                    let heaps = HeapFacts::from_description(note.desc())?;
                    keep(&mut self.heaps, heaps, |first, heaps| {
                        disagreement(&first.entries(), &heaps.entries())
                    })?;
                }
                _ => {}
            }
        }
    }
}

/// Keeps a note, of which there may be many that are the same.
fn keep<T: PartialEq>(
    place: &mut Option<T>,
    note: T,
    differ: impl FnOnce(&T, &T) -> Error,
) -> Result<(), Error> {
    match place {
        Some(first) if *first != note => Err(differ(first, &note)),
        _ => {
            *place = Some(note);
            Ok(())
        }
    }
}

/// Names the first entry in which two notes differ.
fn disagreement(first: &BTreeMap<String, String>, second: &BTreeMap<String, String>) -> Error {
    let key = first.keys().chain(second.keys()).find(|key| first.get(*key) != second.get(*key));
    let key = key.cloned().unwrap_or_default();
    let value = |entries: &BTreeMap<String, String>| entries.get(&key).cloned().unwrap_or_default();
    Error::NotesDisagree { first: value(first), second: value(second), key }
}
