//! Keeps of an object's table for unwinding (`.eh_frame`) the part that describes code which stays.

use anyhow::{Error, Result, anyhow};
use object::build::Id as _;
use object::build::elf::{Builder, Relocation, SectionData, SectionId};
use std::collections::{BTreeMap, BTreeSet};

/// The section that debuggers, profilers and unwinders read.
pub const SECTION: &[u8] = b".eh_frame";

/// The bytes of an entry before its contents: its length, and what kind it is.
const HEADER: usize = 8;

fn strange() -> Error {
    anyhow!("the table for unwinding is not one that assemblers write")
}

/// One entry of the table: what several functions share (CIE), or one function (FDE).
struct Entry {
    start: usize,
    end: usize,
    /// Where an FDE's CIE begins.
    shared: Option<usize>,
}

/// Drops the entries of functions in sections other than `kept`, and the table if none is left. Returns the sections that
/// it has decided about: tables and their relocations.
pub fn keep(builder: &mut Builder<'_>, kept: &BTreeSet<usize>) -> Result<Vec<SectionId>> {
    let tables = builder.sections.iter().filter(|section| section.name.as_slice() == SECTION);
    let tables: Vec<SectionId> = tables.map(|section| section.id()).collect();
    let mut decided = tables.clone();
    for table in tables {
        let SectionData::Data(data) = &builder.sections.get(table).data else { return Err(strange()) };
        let data = data.as_slice().to_vec();
        let list = builder.sections.iter().find(|section| section.sh_info_section == Some(table));
        let list = list.map(|section| section.id());
        let relocations = match list.map(|id| &builder.sections.get(id).data) {
            Some(SectionData::Relocation(relocations)) => relocations.clone(),
            _ => Vec::new(),
        };
        let stays = |relocation: &Relocation| {
            let section = relocation.symbol.and_then(|id| builder.symbols.get(id).section);
            section.is_some_and(|id| kept.contains(&id.index()))
        };
        let (data, relocations) = rewrite(&data, &relocations, stays)?;
        let is_empty = data.is_empty();
        builder.sections.get_mut(table).delete = is_empty;
        builder.sections.get_mut(table).data = SectionData::Data(data.into());
        if let Some(list) = list {
            decided.push(list);
            builder.sections.get_mut(list).delete = is_empty;
            builder.sections.get_mut(list).data = SectionData::Relocation(relocations);
        }
    }
    Ok(decided)
}

/// The table and its relocations without the functions that do not stay.
fn rewrite(
    data: &[u8],
    relocations: &[Relocation],
    stays: impl Fn(&Relocation) -> bool,
) -> Result<(Vec<u8>, Vec<Relocation>)> {
    let all = entries(data)?;
    let inside = |entry: &Entry, relocation: &&Relocation| {
        (entry.start as u64..entry.end as u64).contains(&relocation.r_offset)
    };
    // The first field of an FDE is where its function begins.
    let of_kept = |entry: &&Entry| {
        let start = (entry.start + HEADER) as u64;
        relocations.iter().any(|relocation| relocation.r_offset == start && stays(relocation))
    };
    let shared: BTreeSet<usize> = all.iter().filter(of_kept).filter_map(|entry| entry.shared).collect();
    let mut bytes = Vec::new();
    let mut moved = Vec::new();
    // From where each entry began to where it does now.
    let mut places = BTreeMap::new();
    for entry in all.iter().filter(|entry| shared.contains(&entry.start) || of_kept(entry)) {
        let place = bytes.len();
        places.insert(entry.start, place);
        bytes.extend_from_slice(&data[entry.start..entry.end]);
        if let Some(shared) = entry.shared {
            let distance = place + HEADER / 2 - places.get(&shared).ok_or_else(strange)?;
            let distance = u32::try_from(distance).map_err(|_| strange())?;
            bytes[place + HEADER / 2..place + HEADER].copy_from_slice(&distance.to_le_bytes());
        }
        for relocation in relocations.iter().filter(|relocation| inside(entry, relocation)) {
            let r_offset = relocation.r_offset - entry.start as u64 + place as u64;
            moved.push(Relocation { r_offset, ..*relocation });
        }
    }
    Ok((bytes, moved))
}

/// The entries in their order, up to the end of the table or the mark of it.
fn entries(data: &[u8]) -> Result<Vec<Entry>> {
    let number = |at: usize| -> Result<usize> {
        let bytes = data.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).ok_or_else(strange)?;
        Ok(u32::from_le_bytes(bytes) as usize)
    };
    let mut entries = Vec::new();
    let mut start = 0;
    while start < data.len() {
        let length = number(start)?;
        if length == 0 {
            break;
        }
        let end = start + HEADER / 2 + length;
        // A length of all ones would begin one of 64 bits, which 4 GB of tables need.
        if length < HEADER / 2 || end > data.len() {
            return Err(strange());
        }
        let shared = match number(start + HEADER / 2)? {
            0 => None,
            back => Some((start + HEADER / 2).checked_sub(back).ok_or_else(strange)?),
        };
        entries.push(Entry { start, end, shared });
        start = end;
    }
    Ok(entries)
}
