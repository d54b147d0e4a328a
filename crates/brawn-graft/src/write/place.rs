//! Where in the file and in memory everything new is.

use object::LittleEndian as LE;
use object::elf;

use crate::Error;
use crate::link::{ALIGN, Bases, Layout, Part};
use crate::program::Program;

/// A place in the file, and in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub offset: u64,
    pub address: u64,
}

/// Where the program headers are.
pub(crate) enum Table {
    /// Behind the first segment, where the linker left room up to the next.
    InGap { offset: u64, size: u64 },
    /// At the beginning of the new segments.
    Moved { size: u64 },
}

const ENTRY: u64 = 56;

/// Most zeros that are put between the file and what is new, so that both have the same distance from their addresses.
const MOST_PADDING: u64 = 64 << 20;

impl Table {
    pub fn of(program: &Program<'_>, layout: &Layout<'_>) -> Table {
        let writable = layout.size(Part::Data) + layout.size(Part::Zero) > 0;
        let has_own = program.segments.iter().any(|segment| segment.p_type.get(LE) == elf::PT_TLS);
        let thread = layout.block().is_some() && !has_own;
        let size = ENTRY * (program.segments.len() as u64 + 3 + u64::from(writable) + u64::from(thread));
        match gap(program, size) {
            Some(offset) => Table::InGap { offset, size },
            None => Table::Moved { size },
        }
    }

    pub fn size(&self) -> u64 {
        let (Table::InGap { size, .. } | Table::Moved { size }) = self;
        *size
    }

    /// What it takes of the file as it was.
    pub fn over(&self, program: &Program<'_>) -> Option<(u64, u64)> {
        match self {
            Table::InGap { offset, size } if offset + size <= program.data.len() as u64 => {
                Some((*offset, *size))
            }
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

pub(crate) struct Places {
    /// The offset of the program headers.
    pub table: u64,
    pub note: Place,
    pub note_size: u64,
    pub constants: Place,
    /// What of this is loaded as one, and its size.
    pub read_only: (Place, u64),
    pub text: Place,
    pub text_size: u64,
    pub data: Place,
    pub data_size: u64,
    pub zero: Place,
    /// Data and zeros.
    pub memory_size: u64,
    /// Where the file goes on.
    pub end: u64,
}

/// Where the next segment may begin.
struct Cursor {
    offset: u64,
    /// The end of what is loaded so far.
    top: u64,
    page: u64,
    base: u64,
}

impl Cursor {
    /// Begins a segment, on a page of its own in memory. In `step` with the file, addresses are as far from offsets as those of the first segment:
    /// older kernels look for the program headers there.
    fn segment(&mut self, step: bool) -> Place {
        self.offset = self.offset.next_multiple_of(ALIGN);
        let free = self.top.next_multiple_of(self.page);
        if step && self.base.wrapping_add(self.offset) < free {
            self.offset = free - self.base;
        }
        // Never nearer to the offset, or emulators take that for the distance of all.
        let address = (free + self.offset % self.page).max(self.base.wrapping_add(self.offset));
        Place { offset: self.offset, address }
    }

    fn end(&mut self, place: Place, file: u64, memory: u64) {
        self.offset = place.offset + file;
        self.top = place.address + memory;
    }
}

impl Places {
    pub fn new(
        program: &Program<'_>,
        layout: &Layout<'_>,
        table: &Table,
        start: u64,
        note_size: u64,
    ) -> Result<Places, Error> {
        let mut cursor =
            Cursor { offset: start, top: program.top(), page: program.page(), base: program.base() };
        if cursor.top > 1 << 46 || !cursor.page.is_power_of_two() || cursor.page > 1 << 21 {
            return Err(Error::no_place("its segments have addresses or alignments that are not usual"));
        }
        let moved = matches!(table, Table::Moved { .. });
        let first = cursor.segment(moved);
        if first.offset - start > MOST_PADDING {
            return Err(Error::no_place("what is zero in the beginning takes too much room"));
        }
        let within = |offset: u64| Place { offset, address: first.address + (offset - first.offset) };
        let (place, note) = match table {
            Table::InGap { offset, .. } => (*offset, first),
            Table::Moved { size } => (first.offset, within(first.offset + size)),
        };
        let constants = within((note.offset + note_size).next_multiple_of(ALIGN));
        // An alignment of addresses as well.
        let constants =
            within(constants.offset + constants.address.next_multiple_of(ALIGN) - constants.address);
        let read_only = constants.offset + layout.size(Part::Constants) - first.offset;
        cursor.end(first, read_only, read_only);
        let text = cursor.segment(false);
        let text_size = layout.size(Part::Text);
        cursor.end(text, text_size, text_size);
        let data = cursor.segment(false);
        let (data_size, zero_size) = (layout.size(Part::Data), layout.size(Part::Zero));
        let zero = (data.address + data_size).next_multiple_of(ALIGN);
        let memory_size = match zero_size {
            0 => data_size,
            size => zero + size - data.address,
        };
        cursor.end(data, data_size, memory_size);
        Ok(Places {
            table: place,
            note,
            note_size,
            constants,
            read_only: (first, read_only),
            text,
            text_size,
            data,
            data_size,
            zero: Place { offset: data.offset + data_size, address: zero },
            memory_size,
            end: cursor.offset.next_multiple_of(8),
        })
    }

    pub fn bases(&self) -> Bases {
        [self.constants.address, self.text.address, self.data.address, self.zero.address]
    }
}
