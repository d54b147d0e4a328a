//! Where the program headers of the new file are.

use object::LittleEndian as LE;

use crate::front::{ENTRY, Front, Room};
use crate::program::Program;

/// The size of the file header.
pub(crate) const HEADER: u64 = 64;

/// No page of a kernel is larger.
const LARGEST_PAGE: u64 = 0x1_0000;

/// Kernels let no program have less than this as its first address.
const FIRST_ADDRESS: u64 = 0x1_0000;

/// Where the program headers are.
pub(crate) enum Table {
    /// Where they were: what stood behind them moves.
    InFront(Front),
    /// In a page in front of the old file, behind a header of its own: everything is `by` bytes later in the file, and where
    /// it was in memory.
    Ahead { by: u64, size: u64 },
    /// At the beginning of the new segments.
    Moved { size: u64 },
}

impl Table {
    /// `writable` and `thread`: whether there is new data, and thread-local storage where the program had none.
    pub fn of(program: &Program<'_>, room: Option<&Room>, writable: bool, thread: bool) -> Table {
        let count = program.segments.len() as u64 + 3 + u64::from(writable) + u64::from(thread);
        let size = ENTRY * count;
        let in_front = room.and_then(|room| room.take(program, size)).map(Table::InFront);
        // The page is a segment itself.
        let ahead = || ahead(program, size + ENTRY).map(|by| Table::Ahead { by, size: size + ENTRY });
        in_front.or_else(ahead).unwrap_or(Table::Moved { size })
    }

    pub fn size(&self) -> u64 {
        match self {
            Table::InFront(Front { size, .. }) | Table::Ahead { size, .. } | Table::Moved { size } => *size,
        }
    }

    pub fn front(&self) -> Option<&Front> {
        match self {
            Table::InFront(front) => Some(front),
            _ => None,
        }
    }

    /// How much later in the new file is what it has of the old one.
    pub fn ahead(&self) -> u64 {
        match self {
            Table::Ahead { by, .. } => *by,
            _ => 0,
        }
    }

    /// What it takes of the file as it was.
    pub fn over(&self) -> Vec<(u64, u64)> {
        match self {
            Table::InFront(front) => vec![(0, HEADER), (front.offset, front.size)],
            Table::Ahead { .. } => Vec::new(),
            Table::Moved { .. } => vec![(0, HEADER)],
        }
    }
}

/// The size of a page for program headers of so many bytes in front of a program at a fixed address, if there is room.
fn ahead(program: &Program<'_>, size: u64) -> Option<u64> {
    let by = program.page().min(LARGEST_PAGE);
    let base = program.base();
    let is_first = program.loads().all(|load| load.p_vaddr.get(LE) >= base);
    let has_room = base >= FIRST_ADDRESS + by && base.is_multiple_of(by) && HEADER + size <= by;
    (!program.moves() && is_first && has_room).then_some(by)
}
