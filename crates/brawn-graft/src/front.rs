//! Room for longer program headers where they are: what stands behind them moves.
//!
//! A program that moves as a whole has notes, the tables of its dynamic section and its relocations there. Nothing but headers
//! says where the first two are, and relocations may be applied in any order, so some of them go to another table. GNU `strip` and
//! `objcopy` write program headers at the beginning wherever they were, and older kernels look for them in the first segment.

use brawn_elf::Image;
use object::elf;
use object::read::elf::SectionHeader as _;
use object::{LittleEndian as LE, U64};

use crate::program::{Program, RELOCATION, Section, Segment};
use crate::reference::references;

/// The size of a program header.
pub(crate) const ENTRY: u64 = 56;

/// How many relocations may go elsewhere.
const MOST: usize = 16;

/// What may go out of the way of the program headers.
pub(crate) struct Room {
    /// Where the program headers begin, in the file.
    start: u64,
    /// Notes and small tables behind them: what moves as one, from here to there in the file.
    pub block: (u64, u64),
    /// The table of relocations behind those, and what its first entries do: where each writes, and what.
    table: Option<(u64, Vec<(u64, u64)>)>,
}

/// The program headers where they were, longer, and what this takes.
#[derive(Clone)]
pub(crate) struct Front {
    pub offset: u64,
    pub size: u64,
    pub block: (u64, u64),
    /// Relocations that another table has to have.
    pub displaced: Vec<(u64, u64)>,
}

impl Room {
    pub fn of(program: &Program<'_>, image: &Image<'_>) -> Option<Room> {
        let first = program.loads().next()?;
        let (base, start) = (program.base(), program.header.e_phoff.get(LE));
        let end = start + ENTRY * program.segments.len() as u64;
        let is_plain = first.p_offset.get(LE) == 0 && !first.p_flags.get(LE).contains(elf::PF_W);
        if !program.moves() || !is_plain {
            return None;
        }
        let mut sections: Vec<(u64, u64, &Section)> = (0..program.sections.len())
            .filter_map(|index| program.extent(index).map(|(from, to)| (from, to, &program.sections[index])))
            .filter(|(from, to, _)| *to > end && *from < first.p_filesz.get(LE))
            .collect();
        sections.sort_unstable_by_key(|(from, to, _)| (*from, *to));
        let mut room = Room { start, block: (end, end), table: None };
        // A program may read its own notes; the other tables have no readers.
        let mut notes = Vec::new();
        for (from, to, section) in sections {
            let padding = program.bytes(room.block.1, from.checked_sub(room.block.1)?)?;
            if padding.iter().any(|byte| *byte != 0) {
                break;
            }
            match section.sh_type.get(LE) {
                elf::SHT_NOTE => {
                    notes.push(base.wrapping_add(from)..base.wrapping_add(to));
                    room.block.1 = to;
                }
                elf::SHT_HASH | elf::SHT_GNU_HASH | elf::SHT_DYNSYM | elf::SHT_STRTAB => room.block.1 = to,
                elf::SHT_RELA => {
                    room.table = first_relocations(program, section).map(|first| (from, first));
                    break;
                }
                _ => break,
            }
        }
        let (from, to) = room.block;
        let may_move = |segment: &Segment| {
            let (start, size) = (segment.p_offset.get(LE), segment.p_filesz.get(LE));
            let kind = segment.p_type.get(LE);
            let is_apart = start >= to || start.saturating_add(size) <= from || size == 0;
            let is_within = start >= from && start + size <= to;
            kind == elf::PT_LOAD || kind == elf::PT_PHDR || is_apart || is_within
        };
        let place = base.wrapping_add(from)..base.wrapping_add(to);
        let is_read = |address: u64| place.contains(&address);
        let free = program.segments.iter().all(may_move)
            && !program.relocations().iter().any(|(at, value)| is_read(*at) || is_read(*value))
            && references(program.arch, image, &notes).is_empty();
        free.then_some(room)
    }

    /// The program headers where they are, with so many bytes.
    pub fn take(&self, program: &Program<'_>, size: u64) -> Option<Front> {
        let end = self.start + size;
        let displaced = match &self.table {
            _ if end <= self.block.1 => Vec::new(),
            Some((at, first)) => {
                let count = end.saturating_sub(*at).div_ceil(RELOCATION) as usize;
                let displaced = first.get(..count)?;
                // A program that takes all of a table needs none.
                if program.relocation_table()?.len() as u64 <= RELOCATION * count as u64 {
                    return None;
                }
                displaced.to_vec()
            }
            None => return None,
        };
        Some(Front { offset: self.start, size, block: self.block, displaced })
    }
}

/// The first entries of the table of relocations, up to one that is not a word in the data.
fn first_relocations(program: &Program<'_>, section: &Section) -> Option<Vec<(u64, u64)>> {
    let start = program.offset(program.dynamic_value(elf::DT_RELA)?)?;
    let (from, size) = section.file_range(LE)?;
    if from != start || Some(size) != program.dynamic_value(elf::DT_RELASZ) {
        return None;
    }
    let writable = |address: u64| {
        let mut loads = program.loads().filter(|load| load.p_flags.get(LE).contains(elf::PF_W));
        loads.any(|load| {
            let within = address.checked_sub(load.p_vaddr.get(LE));
            within.and_then(|within| within.checked_add(8)).is_some_and(|end| end <= load.p_filesz.get(LE))
        })
    };
    let kind = u64::from(program.relative().0);
    let words =
        program.relocation_table()?.chunks_exact(RELOCATION as usize).take(MOST).map(|entry| {
            [0, 8, 16].map(|at| u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight")))
        });
    let plain = words.take_while(|[at, info, _]| *info == kind && writable(*at));
    Some(plain.map(|[at, _, value]| (at, value)).collect())
}

impl Front {
    /// Whether something at this offset moves.
    pub fn moves(&self, offset: u64) -> bool {
        (self.block.0..self.block.1).contains(&offset)
    }

    /// The headers of a segment that moves, by the distances of offsets and of addresses.
    pub fn segment(&self, segment: &mut Segment, offset: u64, address: u64) {
        let apart = segment.p_type.get(LE) == elf::PT_LOAD || segment.p_type.get(LE) == elf::PT_PHDR;
        if !apart && segment.p_filesz.get(LE) > 0 && self.moves(segment.p_offset.get(LE)) {
            add(&mut segment.p_offset, offset);
            add(&mut segment.p_vaddr, address);
            add(&mut segment.p_paddr, address);
        }
    }

    /// The same of a section, or what is left of the relocations.
    pub fn section(&self, program: &Program<'_>, section: &mut Section, offset: u64, address: u64) {
        let is_loaded = section.sh_flags.get(LE).contains(elf::SHF_ALLOC);
        if is_loaded && self.moves(section.sh_offset.get(LE)) && section.file_range(LE).is_some() {
            add(&mut section.sh_offset, offset);
            add(&mut section.sh_addr, address);
        }
        let gone = RELOCATION * self.displaced.len() as u64;
        if section.sh_type.get(LE) == elf::SHT_RELA
            && Some(section.sh_addr.get(LE)) == program.dynamic_value(elf::DT_RELA)
        {
            add(&mut section.sh_offset, gone);
            add(&mut section.sh_addr, gone);
            add(&mut section.sh_size, gone.wrapping_neg());
        }
    }
}

fn add(field: &mut U64<LE>, by: u64) {
    *field = U64::new(LE, field.get(LE).wrapping_add(by));
}
