//! Where the program headers of the new file are.

use object::LittleEndian as LE;
use object::elf;

use crate::front::{ENTRY, Front, Room};
use crate::program::Program;

/// Where the program headers are.
pub(crate) enum Table {
    /// Behind the first segment, where the linker left room up to the next.
    InGap { offset: u64, size: u64 },
    /// Where they were: what stood behind them moves.
    InFront(Front),
    /// At the beginning of the new segments.
    Moved { size: u64 },
}

impl Table {
    /// `writable` and `thread`: whether there is new data, and thread-local storage where the program had none.
    pub fn of(program: &Program<'_>, room: Option<&Room>, writable: bool, thread: bool) -> Table {
        let size = ENTRY * (program.segments.len() as u64 + 3 + u64::from(writable) + u64::from(thread));
        let in_front = room.and_then(|room| room.take(program, size)).map(Table::InFront);
        let in_gap = || gap(program, size).map(|offset| Table::InGap { offset, size });
        in_front.or_else(in_gap).unwrap_or(Table::Moved { size })
    }

    pub fn size(&self) -> u64 {
        match self {
            Table::InGap { size, .. } | Table::InFront(Front { size, .. }) | Table::Moved { size } => *size,
        }
    }

    pub fn front(&self) -> Option<&Front> {
        match self {
            Table::InFront(front) => Some(front),
            _ => None,
        }
    }

    /// What it takes of the file as it was.
    pub fn over(&self, program: &Program<'_>) -> Option<(u64, u64)> {
        match self {
            Table::InGap { offset, size } if offset + size <= program.data.len() as u64 => {
                Some((*offset, *size))
            }
            Table::InFront(front) => Some((front.offset, front.size)),
            _ => None,
        }
    }
}

/// Room for so many bytes that belongs to nothing, behind the first segment.
fn gap(program: &Program<'_>, size: u64) -> Option<u64> {
    let mut loads = program.loads();
    let (first, next) = (loads.next()?, loads.next()?);
    let length = first.p_filesz.get(LE);
    if first.p_offset.get(LE) != 0
        || first.p_memsz.get(LE) != length
        || first.p_flags.get(LE).contains(elf::PF_W)
    {
        return None;
    }
    let start = length.next_multiple_of(8);
    let end = start + size;
    let meets = |from: u64, to: u64| from < end && to > length;
    let segments = program.segments.iter().map(|other| (other.p_offset.get(LE), other.p_filesz.get(LE)));
    let sections = (0..program.sections.len()).filter_map(|index| program.extent(index));
    let others = segments.map(|(from, size)| (from, from.saturating_add(size))).chain(sections);
    let headers = program.header.e_shoff.get(LE);
    let taken =
        others.into_iter().any(|(from, to)| meets(from, to)) || (headers > 0 && meets(headers, headers + 1));
    let page = next.p_vaddr.get(LE) / program.page() * program.page();
    let is_zero = program.bytes(length, end - length)?.iter().all(|byte| *byte == 0);
    (!taken && is_zero && first.p_vaddr.get(LE) + end <= page).then_some(start)
}
