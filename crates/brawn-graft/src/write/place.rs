//! Where in the file and in memory everything new is.

use crate::Error;
use crate::front::Front;
use crate::link::{ALIGN, Bases, Layout, Part};
use crate::program::Program;
use crate::table::{HEADER, Table};

/// Bytes of the new file that are others than the original's, by offset.
pub(crate) type Patches = Vec<(u64, Vec<u8>)>;

/// A place in the file, and in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub offset: u64,
    pub address: u64,
}

/// Most zeros that are put between the file and what is new, so that both have the same distance from their addresses.
const MOST_PADDING: u64 = 64 << 20;

pub(crate) struct Places {
    /// The offset of the program headers.
    pub table: u64,
    pub note: Place,
    pub note_size: u64,
    /// What stood behind the program headers, if it had to move.
    pub block: Place,
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
        start: u64,
        note_size: u64,
    ) -> Result<Places, Error> {
        let table = layout.table();
        let start = start + table.ahead();
        let base = program.base().wrapping_sub(table.ahead());
        let mut cursor = Cursor { offset: start, top: program.top(), page: program.page(), base };
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
            Table::InFront(Front { offset, .. }) => (*offset, first),
            Table::Ahead { .. } => (HEADER, first),
            Table::Moved { size } => (first.offset, within(first.offset + size)),
        };
        // As far from a multiple of the alignment as it was.
        let (from, to) = table.front().map_or((0, 0), |front| front.block);
        let rest = program.base().wrapping_add(from).wrapping_sub(note.address + note_size) % ALIGN;
        let block = within(note.offset + note_size + rest);
        let constants = within((block.offset + (to - from)).next_multiple_of(ALIGN));
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
            block,
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
