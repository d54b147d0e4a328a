//! The new file: what was there, with jumps; behind it the new segments, then tables that have become longer.

mod dynamic;
mod place;
mod tail;

use brawn_elf::{Graft, Piece};
use object::elf;
use object::{LittleEndian as LE, U16, U32, U64};

use crate::Error;
use crate::entry;
use crate::front::{Front, Room};
use crate::kit::Kit;
use crate::link::{Layout, Linked, Part};
use crate::plan::{Known, Plan};
use crate::program::{Program, Section, Segment, bytes_of};
use crate::report::Report;
use crate::table::{HEADER, Table};
use crate::tls::Block;
use place::{Patches, Places};
use tail::{NewSection, Tail};

pub(crate) fn write(
    program: &Program<'_>,
    kit: &Kit<'_>,
    known: &Known,
    plan: &Plan,
    report: &Report,
    room: Option<&Room>,
) -> Result<Vec<u8>, Error> {
    let layout = Layout::new(kit, plan, known, program, room)?;
    let mut tail = Tail::of(program)?;
    tail.move_thread_symbols(layout.block().map_or(0, |(block, _)| block.old_at));
    let mut graft = Graft {
        kit: brawn_kit::VERSION.to_owned(),
        original: report.original.clone(),
        functions: report.grafted().flat_map(|row| row.names.iter().cloned()).collect(),
        families: report.families(),
        pieces: Vec::new(),
    };
    graft.functions.sort();
    // Where everything is written over is known before what is written there.
    let table = layout.table();
    let mut over = table.over();
    for address in plan.entries.keys() {
        let first = known.places[address].beginning.as_ref().expect("the plan looked");
        let offset =
            program.offset(first.at).ok_or_else(|| Error::no_place("a function is not in the file"))?;
        over.push((offset, first.length as u64));
    }
    over.extend(dynamic::over(program, &layout));
    over.sort_unstable();
    if over.windows(2).any(|pair| pair[0].0 + pair[0].1 > pair[1].0)
        || over.iter().any(|(at, size)| at + size > tail.start)
    {
        return Err(Error::no_place("its functions and its headers overlap"));
    }
    let ahead = table.ahead();
    graft.pieces = pieces(program, &over, (ahead, tail.start), tail.pieces(program, 0));
    let note = graft.encode();
    let places = Places::new(program, &layout, tail.start, note.len() as u64)?;
    let mut linked = layout.place(places.bases(), program)?;
    let dynamic = dynamic::write(program, &layout, &places, &mut linked)?;
    if program.asks_for_marks() && has_indirect_jumps(&linked.text) {
        return Err(Error::no_place(
            "its code is marked for checked indirect branches (BTI), and the kit's is not",
        ));
    }

    let sections = new_sections(&places, &linked, &layout);
    if !program.sections.is_empty() {
        tail.add(program, &sections, &linked);
    }
    let mut old = program.sections.clone();
    for section in old.iter_mut().filter(|section| section.sh_type.get(LE) != elf::SHT_NULL) {
        section.sh_offset = U64::new(LE, section.sh_offset.get(LE).wrapping_add(ahead));
    }
    if let Some(front) = table.front() {
        let (offset, address) = distances(program, front, &places);
        old.iter_mut().for_each(|section| front.section(program, section, offset, address));
    }
    if let Some((block, at)) = layout.block() {
        move_block(&mut old, &places, &block, at);
    }
    let written = tail.write(old, places.end, &sections);
    graft.pieces = pieces(program, &over, (ahead, tail.start), tail.pieces(program, places.end));
    let note = graft.encode();

    let mut file = vec![0; ahead as usize];
    file.extend(&program.data[..tail.start as usize]);
    let segments = segments(program, &places, &layout);
    let headers = headers(program, (places.table, &segments), &written)?;
    let jumps = jumps(program, known, plan, &linked)?;
    let within = jumps.into_iter().chain(dynamic).map(|(offset, bytes)| (offset + ahead, bytes));
    for (offset, bytes) in headers.into_iter().chain(within) {
        let at = offset as usize;
        file.resize(file.len().max(at + bytes.len()), 0);
        file[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    let (from, to) = table.front().map_or((0, 0), |front| front.block);
    let block = program.bytes(from, to - from).unwrap_or_default().to_vec();
    for (offset, bytes) in [
        (places.note.offset, &note),
        (places.block.offset, &block),
        (places.constants.offset, &linked.constants),
        (places.text.offset, &linked.text),
        (places.data.offset, &linked.data),
        (places.end, &written.bytes),
    ] {
        let at = offset as usize;
        file.resize(file.len().max(at + bytes.len()), 0);
        file[at..at + bytes.len()].copy_from_slice(bytes);
    }
    Ok(file)
}

/// The file header and the program headers, by offset in the new file.
fn headers(
    program: &Program<'_>,
    (table, segments): (u64, &[Segment]),
    tail: &tail::Written,
) -> Result<Patches, Error> {
    let mut header = program.header;
    header.e_phoff = U64::new(LE, table);
    header.e_phnum =
        U16::new(LE, u16::try_from(segments.len()).map_err(|_| Error::no_place("it has too many segments"))?);
    if let Some(sections) = tail.headers {
        header.e_shoff = U64::new(LE, sections);
        header.e_shnum = U16::new(LE, tail.count);
    }
    Ok(vec![(0, bytes_of(&[header]).to_vec()), (table, bytes_of(segments).to_vec())])
}

/// The jumps at the beginnings of functions, by offset in the old file.
fn jumps(program: &Program<'_>, known: &Known, plan: &Plan, linked: &Linked) -> Result<Patches, Error> {
    let mut patches = Patches::new();
    for (address, name) in &plan.entries {
        let first = known.places[address].beginning.as_ref().expect("the plan looked");
        let to = linked.addresses.get(name).copied().unwrap_or_default();
        let jump = entry::jump(program.arch, first.at, to, first.length);
        let jump = jump.ok_or_else(|| Error::no_place("a jump does not reach from a function to the end"))?;
        let offset =
            program.offset(first.at).ok_or_else(|| Error::no_place("a function is not in the file"))?;
        patches.push((offset, jump));
    }
    Ok(patches)
}

/// The program headers: those that were there, and the new ones, which are loaded behind them.
fn segments(program: &Program<'_>, places: &Places, layout: &Layout<'_>) -> Vec<Segment> {
    let mut segments = program.segments.clone();
    let table = layout.table();
    let size = table.size();
    if let Some(front) = table.front() {
        let (offset, address) = distances(program, front, places);
        segments.iter_mut().for_each(|segment| front.segment(segment, offset, address));
    }
    let base = program.base().wrapping_sub(table.ahead());
    for own in segments.iter_mut().filter(|segment| segment.p_type.get(LE) == elf::PT_PHDR) {
        let address = U64::new(LE, base.wrapping_add(places.table));
        own.p_offset = U64::new(LE, places.table);
        (own.p_vaddr, own.p_paddr) = (address, address);
        (own.p_filesz, own.p_memsz) = (U64::new(LE, size), U64::new(LE, size));
    }
    let new = |kind, flags, at: place::Place, file: u64, memory: u64, align: u64| Segment {
        p_type: U32::new(LE, kind),
        p_flags: U32::new(LE, flags),
        p_offset: U64::new(LE, at.offset),
        p_vaddr: U64::new(LE, at.address),
        p_paddr: U64::new(LE, at.address),
        p_filesz: U64::new(LE, file),
        p_memsz: U64::new(LE, memory),
        p_align: U64::new(LE, align),
    };
    let page = program.page();
    if let Table::Ahead { by, .. } = *table {
        for old in &mut segments {
            let is_loaded = old.p_type.get(LE) == elf::PT_LOAD;
            if is_loaded {
                old.p_align = U64::new(LE, old.p_align.get(LE).min(by));
            }
            if (is_loaded || old.p_filesz.get(LE) > 0) && old.p_type.get(LE) != elf::PT_PHDR {
                old.p_offset = U64::new(LE, old.p_offset.get(LE).wrapping_add(by));
            }
        }
        let first = segments.iter().position(|segment| segment.p_type.get(LE) == elf::PT_LOAD).unwrap_or(0);
        let place = place::Place { offset: 0, address: base };
        segments.insert(first, new(elf::PT_LOAD, elf::PF_R, place, HEADER + size, HEADER + size, by));
    }
    let read = places.read_only;
    let mut loads = vec![new(elf::PT_LOAD, elf::PF_R, read.0, read.1, read.1, page)];
    loads.push(new(
        elf::PT_LOAD,
        elf::PF_R | elf::PF_X,
        places.text,
        places.text_size,
        places.text_size,
        page,
    ));
    if places.memory_size > 0 {
        let sizes = (places.data_size, places.memory_size);
        loads.push(new(elf::PT_LOAD, elf::PF_R | elf::PF_W, places.data, sizes.0, sizes.1, page));
    }
    if let Some((block, at)) = layout.block() {
        let place = within(places.data, at);
        let thread = new(elf::PT_TLS, elf::PF_R, place, block.file, block.memory, block.align);
        match segments.iter_mut().find(|segment| segment.p_type.get(LE) == elf::PT_TLS) {
            Some(own) => *own = thread,
            None => segments.push(thread),
        }
    }
    let last = segments.iter().rposition(|segment| segment.p_type.get(LE) == elf::PT_LOAD).unwrap_or(0);
    segments.splice(last + 1..last + 1, loads);
    segments.push(new(elf::PT_NOTE, elf::PF_R, places.note, places.note_size, places.note_size, 4));
    segments
}

fn within(place: place::Place, by: u64) -> place::Place {
    place::Place { offset: place.offset + by, address: place.address + by }
}

/// The sections of the program's own block for each thread, where it is now.
fn move_block(headers: &mut [Section], places: &Places, block: &Block, at: u64) {
    let start = within(places.data, at + block.old_at);
    for section in headers.iter_mut().filter(|section| section.sh_flags.get(LE).contains(elf::SHF_TLS)) {
        let by = section.sh_addr.get(LE).wrapping_sub(block.own.address);
        section.sh_addr = U64::new(LE, start.address.wrapping_add(by));
        section.sh_offset = U64::new(LE, start.offset.wrapping_add(by));
        // What is behind it in the file makes zeros bytes.
        if block.old_at < block.new_at {
            section.sh_type = U32::new(LE, elf::SHT_PROGBITS);
        }
    }
}

/// How far what stood behind the program headers moves, in the file and in memory.
fn distances(program: &Program<'_>, front: &Front, places: &Places) -> (u64, u64) {
    let (from, _) = front.block;
    let address = program.base().wrapping_add(from);
    (places.block.offset.wrapping_sub(from), places.block.address.wrapping_sub(address))
}

fn new_sections(places: &Places, linked: &Linked, layout: &Layout<'_>) -> Vec<NewSection> {
    let new = |name, kind, flags, place, size, align, part| NewSection {
        name,
        kind,
        flags,
        place,
        size,
        align,
        part,
    };
    let alloc = elf::SHF_ALLOC;
    let mut sections = vec![new(".note.brawn", elf::SHT_NOTE, alloc, places.note, places.note_size, 4, None)];
    let constants = linked.constants.len() as u64;
    if constants > 0 {
        let part = Some(Part::Constants);
        sections.push(new(".rodata.brawn", elf::SHT_PROGBITS, alloc, places.constants, constants, 64, part));
    }
    let flags = alloc | elf::SHF_EXECINSTR;
    sections.push(new(
        ".text.brawn",
        elf::SHT_PROGBITS,
        flags,
        places.text,
        places.text_size,
        64,
        Some(Part::Text),
    ));
    let flags = alloc | elf::SHF_WRITE;
    // The block for each thread is the last of the data.
    let data = layout.block().map_or(places.data_size, |(_, at)| at);
    if data > 0 {
        sections.push(new(".data.brawn", elf::SHT_PROGBITS, flags, places.data, data, 64, Some(Part::Data)));
    }
    if let Some((block, at)) = layout.block() {
        let place = within(places.data, at + block.new_at);
        let flags = flags | elf::SHF_TLS;
        sections.push(new(".tdata.brawn", elf::SHT_PROGBITS, flags, place, block.size, block.align, None));
    }
    let zero = layout.size(Part::Zero);
    if zero > 0 {
        sections.push(new(".bss.brawn", elf::SHT_NOBITS, flags, places.zero, zero, 64, Some(Part::Zero)));
    }
    sections
}

/// The original: what is kept of its beginning, which is `ahead` bytes later up to `start`, and of its tail.
fn pieces(
    program: &Program<'_>,
    over: &[(u64, u64)],
    (ahead, start): (u64, u64),
    tail: Vec<Piece>,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for &(offset, length) in over {
        if offset > done {
            pieces.push(Piece::Kept { start: ahead + done, length: offset - done });
        }
        let lost = program.bytes(offset, length).unwrap_or_default();
        pieces.push(Piece::Lost(lost.to_vec()));
        done = offset + length;
    }
    if start > done {
        pieces.push(Piece::Kept { start: ahead + done, length: start - done });
    }
    pieces.extend(tail);
    pieces
}

/// `br`, which leads to a place without a mark.
fn has_indirect_jumps(text: &[u8]) -> bool {
    text.chunks_exact(4)
        .any(|word| u32::from_le_bytes(word.try_into().expect("four")) & 0xffff_fc1f == 0xd61f_0000)
}
