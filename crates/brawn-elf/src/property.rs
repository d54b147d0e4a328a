//! What the linker notes of all objects together: `.note.gnu.property`.

use object::read::elf::{Note, NoteIterator};
use object::{Endianness, elf};

use crate::Image;
use crate::cpu::CpuLevel;

/// The properties that matter here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Properties {
    /// x86: every indirect branch lands on a mark (CET IBT). aarch64: the same (BTI).
    pub branch_targets: bool,
    /// x86: return addresses are kept on a second stack (CET SHSTK). aarch64: they are signed (PAC).
    pub return_addresses: bool,
    /// x86: the level that all code needs.
    pub isa_needed: Option<CpuLevel>,
}

/// Notes and properties after this many are not read.
const MOST: usize = 64;

/// Those of a 64-bit file.
pub(crate) fn read(image: &Image<'_>) -> Properties {
    let mut properties = Properties::default();
    let place = (elf::PT_GNU_PROPERTY, &b".note.gnu.property"[..]);
    for note in gnu_notes(image, place, 8, elf::NT_GNU_PROPERTY_TYPE_0).iter().filter(|_| image.is_64) {
        for property in note.gnu_properties(image.endian).into_iter().flatten().flatten().take(MOST) {
            let bits = property.data_u32(image.endian).unwrap_or(0);
            match (elf::Machine(image.machine), property.pr_type()) {
                (elf::EM_X86_64, elf::GNU_PROPERTY_X86_FEATURE_1_AND)
                | (elf::EM_AARCH64, elf::GNU_PROPERTY_AARCH64_FEATURE_1_AND) => {
                    properties.branch_targets = bits & 1 != 0;
                    properties.return_addresses = bits & 2 != 0;
                }
                (elf::EM_X86_64, elf::GNU_PROPERTY_X86_ISA_1_NEEDED) => {
                    let needed =
                        CpuLevel::ALL.into_iter().enumerate().filter(|(bit, _)| bits & 1 << bit != 0);
                    properties.isa_needed = needed.map(|(_, level)| level).max();
                }
                _ => {}
            }
        }
    }
    properties
}

/// GNU's notes of one type, in segments of a type and in sections of a name.
pub(crate) fn gnu_notes<'data>(
    image: &Image<'data>,
    (segments, sections): (elf::ProgramType, &[u8]),
    align: u64,
    kind: elf::NoteType,
) -> Vec<Note<'data, elf::FileHeader64<Endianness>>> {
    let segments = image.segments.iter().filter(|segment| segment.kind == segments.0);
    let sections = image.sections.iter().filter(|section| section.name == sections);
    let areas = segments.map(|segment| segment.data).chain(sections.map(|section| section.data));
    let mut found = Vec::new();
    for area in areas.take(MOST) {
        let notes = NoteIterator::<elf::FileHeader64<Endianness>>::new(image.endian, align, area);
        let Ok(mut notes) = notes else { continue };
        for _ in 0..MOST {
            let Ok(Some(note)) = notes.next() else { break };
            if note.name() == b"GNU" && note.n_type(image.endian) == kind {
                found.push(note);
            }
        }
    }
    found
}
