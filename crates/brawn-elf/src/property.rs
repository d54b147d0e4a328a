//! What the linker notes of all objects together: `.note.gnu.property`.

use object::read::elf::NoteIterator;
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

const X86_FEATURE_1_AND: u32 = 0xc000_0002;
const X86_ISA_1_NEEDED: u32 = 0xc000_8002;
const AARCH64_FEATURE_1_AND: u32 = 0xc000_0000;

/// Notes and properties after this many are not read.
const MOST: usize = 64;

pub(crate) fn read(image: &Image<'_>) -> Properties {
    let mut properties = Properties::default();
    let align = if image.is_64 { 8 } else { 4 };
    let place = (elf::PT_GNU_PROPERTY, &b".note.gnu.property"[..]);
    for note in gnu_notes(image, place, align as u64, elf::NT_GNU_PROPERTY_TYPE_0) {
        read_all(note, image, align, &mut properties);
    }
    properties
}

/// The descriptions of GNU's notes of one type, in segments of a type and in sections of a name.
pub(crate) fn gnu_notes<'data>(
    image: &Image<'data>,
    (segments, sections): (elf::ProgramType, &[u8]),
    align: u64,
    kind: elf::NoteType,
) -> Vec<&'data [u8]> {
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
                found.push(note.desc());
            }
        }
    }
    found
}

fn read_all(mut rest: &[u8], image: &Image<'_>, align: usize, properties: &mut Properties) {
    let number = |bytes: &[u8]| -> Option<u32> {
        let bytes = bytes.get(..4)?.try_into().ok()?;
        Some(match image.endian {
            Endianness::Little => u32::from_le_bytes(bytes),
            Endianness::Big => u32::from_be_bytes(bytes),
        })
    };
    let machine = elf::Machine(image.machine);
    for _ in 0..MOST {
        let (Some(kind), Some(size)) = (number(rest), rest.get(4..).and_then(number)) else { return };
        let Some(data) = rest.get(8..).and_then(|data| data.get(..size as usize)) else { return };
        let bits = number(data).unwrap_or(0);
        match (machine, kind) {
            (elf::EM_X86_64, X86_FEATURE_1_AND) | (elf::EM_AARCH64, AARCH64_FEATURE_1_AND) => {
                properties.branch_targets = bits & 1 != 0;
                properties.return_addresses = bits & 2 != 0;
            }
            (elf::EM_X86_64, X86_ISA_1_NEEDED) => {
                let needed = CpuLevel::ALL.into_iter().enumerate().filter(|(bit, _)| bits & 1 << bit != 0);
                properties.isa_needed = needed.map(|(_, level)| level).max();
            }
            _ => {}
        }
        let next = 8 + (size as usize).next_multiple_of(align);
        rest = rest.get(next..).unwrap_or_default();
    }
}
