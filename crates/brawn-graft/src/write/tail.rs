//! The end of the file: symbols, names, section headers. No program reads them, so they move behind the new segments.

use std::collections::BTreeMap;

use brawn_elf::Piece;
use object::elf;
use object::{LittleEndian as LE, U16, U32, U64, pod};

use super::place::Place;
use crate::Error;
use crate::link::{Linked, Part};
use crate::program::{Program, Section, bytes_of};

type Symbol = elf::Sym64<LE>;

/// A section that is added.
pub(super) struct NewSection {
    pub name: &'static str,
    pub kind: elf::SectionType,
    pub flags: elf::SectionFlags,
    pub place: Place,
    pub size: u64,
    pub align: u64,
    pub part: Option<Part>,
}

pub(super) struct Tail {
    /// Where the file is cut: all that is behind is written anew.
    pub start: u64,
    /// The sections that are written anew, by their index, with what they become.
    tables: BTreeMap<usize, Vec<u8>>,
    symbols: Option<usize>,
    /// Where in the table of symbols a value is another than in the original.
    moved: Vec<u64>,
    /// Offsets of the new sections' names.
    names: Vec<u32>,
}

/// What the tail has become.
pub(super) struct Written {
    pub bytes: Vec<u8>,
    /// Where the section headers are, if there are any.
    pub headers: Option<u64>,
    pub count: u16,
}

const HEADER: u64 = 64;
/// A symbol, and where its value is in it.
const SYMBOL: usize = 24;
const VALUE: usize = 8;

impl Tail {
    pub fn of(program: &Program<'_>) -> Result<Tail, Error> {
        let end = program.data.len() as u64;
        let (tables, moved, names) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut tail = Tail { start: end, tables, symbols: None, moved, names };
        let loaded =
            program.segments.iter().map(|it| it.p_offset.get(LE).saturating_add(it.p_filesz.get(LE)));
        let mut used = loaded.max().unwrap_or(0);
        if program.sections.is_empty() {
            return if used < end { Err(payload(end - used)) } else { Ok(tail) };
        }
        let headers = program.header.e_shoff.get(LE);
        let headers_end = headers + HEADER * program.sections.len() as u64;
        if program.sections.len() > 0xfe00 || headers_end > end {
            return Err(Error::no_place("it has too many sections"));
        }
        let symbols = program.sections.iter().position(|section| section.sh_type.get(LE) == elf::SHT_SYMTAB);
        let names = usize::from(program.header.e_shstrndx.get(LE).0);
        let texts = symbols.map(|index| program.sections[index].sh_link.get(LE) as usize);
        let tables: Vec<usize> = [symbols, texts, Some(names)].into_iter().flatten().collect();
        let others = (0..program.sections.len()).filter(|index| !tables.contains(index));
        used = others.filter_map(|index| program.extent(index)).map(|(_, end)| end).fold(used, u64::max);
        for &index in &tables {
            let Some((from, to)) = program.extent(index) else {
                return Err(Error::no_place("its tables of names are empty"));
            };
            tail.tables.insert(index, program.bytes(from, to - from).unwrap_or_default().to_vec());
        }
        let extents = tail.tables.keys().filter_map(|index| program.extent(*index));
        let all: Vec<(u64, u64)> = extents.chain([(headers, headers_end)]).collect();
        let last = all.iter().map(|(_, to)| *to).fold(used, u64::max);
        if program.bytes(last, end.saturating_sub(last)).is_none_or(|rest| rest.iter().any(|byte| *byte != 0))
        {
            return Err(payload(end - last.min(end)));
        }
        // Where they stand among others, the old ones stay behind, unused.
        let first = all.iter().map(|(from, _)| *from).min().unwrap_or(end);
        if first >= used {
            tail.start = first;
        }
        // Indices beyond the usual have a table of their own, and relocations that are kept count symbols.
        let plain = program.sections.iter().all(|section| section.sh_type.get(LE) != elf::SHT_SYMTAB_SHNDX);
        tail.symbols = symbols.filter(|_| plain);
        Ok(tail)
    }

    /// The program's own thread-local variables begin so much later in the longer block: symbols count from where that begins.
    pub fn move_thread_symbols(&mut self, by: u64) {
        let Some(table) = self.symbols.and_then(|index| self.tables.get_mut(&index)) else { return };
        for (at, symbol) in (0..).step_by(SYMBOL).zip(table.chunks_exact_mut(SYMBOL)) {
            if by > 0 && symbol[4] & 15 == elf::STT_TLS.0 && symbol[6..8] != [0, 0] {
                let value = &mut symbol[VALUE..VALUE + 8];
                let old = u64::from_le_bytes((&*value).try_into().expect("eight"));
                value.copy_from_slice(&old.wrapping_add(by).to_le_bytes());
                self.moved.push(at + VALUE as u64);
            }
        }
    }

    /// What is needed of the original's tail, which is written anew at `at`.
    pub fn pieces(&self, program: &Program<'_>, at: u64) -> Vec<Piece> {
        let end = program.data.len() as u64;
        if self.start == end {
            return Vec::new();
        }
        let mut extents: Vec<(u64, u64, u64, &[u64])> = Vec::new();
        let mut offset = at;
        for (index, table) in &self.tables {
            let (from, to) = program.extent(*index).unwrap_or_default();
            let moved = if self.symbols == Some(*index) { &self.moved[..] } else { &[] };
            extents.push((from, to, offset, moved));
            offset = (offset + table.len() as u64).next_multiple_of(8);
        }
        extents.sort_unstable();
        let mut pieces = Vec::new();
        let mut done = self.start;
        let lost = |from: u64, to: u64, pieces: &mut Vec<Piece>| {
            if from < to {
                pieces.push(Piece::Lost(program.bytes(from, to - from).unwrap_or_default().to_vec()));
            }
        };
        for (begin, to, start, moved) in extents {
            // Headers that someone damaged may let tables overlap.
            let from = begin.max(done);
            lost(done, from, &mut pieces);
            done = from;
            let keep = |from: u64, to: u64, pieces: &mut Vec<Piece>| {
                if from < to {
                    pieces.push(Piece::Kept { start: start + (from - begin), length: to - from });
                }
            };
            for value in moved.iter().map(|at| begin + at) {
                let (first, end) = (value.clamp(done, to.max(done)), (value + 8).clamp(done, to.max(done)));
                keep(done, first, &mut pieces);
                lost(first, end, &mut pieces);
                done = end;
            }
            keep(done, to, &mut pieces);
            done = done.max(to);
        }
        lost(done, end, &mut pieces);
        pieces
    }

    /// Adds sections, and the symbols in them where there are others.
    pub fn add(&mut self, program: &Program<'_>, sections: &[NewSection], linked: &Linked) {
        let names = usize::from(program.header.e_shstrndx.get(LE).0);
        for section in sections {
            let name = self.text(names, section.name);
            self.names.push(name);
        }
        let Some(symbols) = self.symbols else { return };
        let texts = program.sections[symbols].sh_link.get(LE) as usize;
        for named in &linked.symbols {
            let at = sections.iter().position(|section| section.part == Some(named.part));
            let Some(section) = at.and_then(|at| u16::try_from(program.sections.len() + at).ok()) else {
                continue;
            };
            // musl's functions keep their names.
            let name = match named.name.starts_with("__brawn_") {
                true => named.name.clone(),
                false => format!("{}.brawn", named.name),
            };
            let kind = if named.function { elf::STT_FUNC } else { elf::STT_OBJECT };
            let symbol = Symbol {
                st_name: U32::new(LE, self.text(texts, &name)),
                st_info: elf::SymbolInfo::new(elf::STB_GLOBAL, kind),
                st_other: elf::SymbolOther::from(elf::STV_HIDDEN),
                st_shndx: U16::new(LE, elf::SymbolSection(section)),
                st_value: U64::new(LE, named.address),
                st_size: U64::new(LE, named.size),
            };
            if let Some(table) = self.tables.get_mut(&symbols) {
                table.extend(pod::bytes_of(&symbol));
            }
        }
    }

    fn text(&mut self, table: usize, text: &str) -> u32 {
        let Some(table) = self.tables.get_mut(&table) else { return 0 };
        let at = table.len() as u32;
        table.extend(text.as_bytes());
        table.push(0);
        at
    }

    /// Everything from `at` on, with the headers that the program has.
    pub fn write(&self, mut headers: Vec<Section>, at: u64, sections: &[NewSection]) -> Written {
        if headers.is_empty() {
            return Written { bytes: Vec::new(), headers: None, count: 0 };
        }
        let mut bytes = Vec::new();
        for (index, table) in &self.tables {
            headers[*index].sh_offset = U64::new(LE, at + bytes.len() as u64);
            headers[*index].sh_size = U64::new(LE, table.len() as u64);
            bytes.extend(table);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        for (section, name) in sections.iter().zip(&self.names) {
            headers.push(Section {
                sh_name: U32::new(LE, *name),
                sh_type: U32::new(LE, section.kind),
                sh_flags: U64::new(LE, section.flags),
                sh_addr: U64::new(LE, section.place.address),
                sh_offset: U64::new(LE, section.place.offset),
                sh_size: U64::new(LE, section.size),
                sh_link: U32::new(LE, 0),
                sh_info: U32::new(LE, 0),
                sh_addralign: U64::new(LE, section.align),
                sh_entsize: U64::new(LE, 0),
            });
        }
        let place = at + bytes.len() as u64;
        bytes.extend(bytes_of(&headers));
        Written { bytes, headers: Some(place), count: headers.len() as u16 }
    }
}

fn payload(length: u64) -> Error {
    Error::Payload { length }
}
