//! A small linker: sections of the kit's objects side by side, and what refers to what.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use brawn_elf::Arch;
use object::read::elf::ElfFile64;
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget, SectionIndex,
    SectionKind, SymbolKind,
};

use crate::Error;
use crate::entry::{self, Moved};
use crate::front::Room;
use crate::heap;
use crate::kit::{Kit, Member};
use crate::plan::{Known, Plan, Target};
use crate::program::Program;
use crate::relocate::{self, Spot};
use crate::table::Table;
use crate::tls::{Block, Own};

/// What a part of the new code is loaded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Constants,
    Text,
    Data,
    /// Data that is zero in the beginning, behind the other.
    Zero,
    /// What each thread has of its own; its bytes stand in the data.
    Thread,
}

/// A place in a part.
#[derive(Clone, Copy, Debug)]
struct At(Part, u64);

/// Something in the new code that has a name.
pub(crate) struct Named {
    pub name: String,
    pub part: Part,
    pub address: u64,
    pub size: u64,
    pub function: bool,
}

/// The new code before it has its place.
pub(crate) struct Layout<'a> {
    kit: &'a Kit<'a>,
    plan: &'a Plan,
    arch: Arch,
    /// By object and section.
    sections: BTreeMap<(usize, usize), At>,
    definitions: HashMap<String, At>,
    /// Beginnings of functions that were moved here, by the function's address.
    moved: BTreeMap<u64, (At, &'a Moved)>,
    /// Words that say whether something is there.
    slots: BTreeMap<String, At>,
    /// Jumps to functions of the file that a call does not reach.
    stubs: BTreeMap<u64, At>,
    /// A function that fails.
    fails: Option<At>,
    /// A word that is zero.
    empty: Option<At>,
    /// The longer block for each thread, and where it is in the data.
    block: Option<(Block, u64)>,
    /// Where the program headers go.
    table: Table,
    /// Where a table of relocations without addends is in the constants, if the program needs one, and how many entries it has.
    relocations: Option<(u64, u64)>,
    sizes: [u64; 5],
    /// Of what is each thread's own.
    thread_align: u64,
    absolute: u64,
}

/// The new code at its place.
pub(crate) struct Linked {
    pub text: Vec<u8>,
    pub constants: Vec<u8>,
    pub data: Vec<u8>,
    pub symbols: Vec<Named>,
    /// The address of each definition that others can name.
    pub addresses: HashMap<String, u64>,
    /// Words that hold addresses: where they are, and which.
    pub absolute: Vec<(u64, u64)>,
}

/// Where each part begins: constants, text, data, zeros.
pub(crate) type Bases = [u64; 4];

/// The size of a relocation without an addend.
pub(crate) const REL: u64 = 16;

/// The largest alignment of a section.
pub(crate) const ALIGN: u64 = 64;

impl<'a> Layout<'a> {
    pub fn new(
        kit: &'a Kit<'a>,
        plan: &'a Plan,
        known: &'a Known,
        program: &Program<'_>,
        room: Option<&Room>,
    ) -> Result<Self, Error> {
        let (arch, far) = (program.arch, program.is_far());
        let mut layout = Layout {
            kit,
            plan,
            arch,
            sections: BTreeMap::new(),
            definitions: HashMap::new(),
            moved: BTreeMap::new(),
            slots: BTreeMap::new(),
            stubs: BTreeMap::new(),
            fails: None,
            empty: None,
            block: None,
            table: Table::Moved { size: 0 },
            relocations: None,
            sizes: [0; 5],
            thread_align: 1,
            absolute: 0,
        };
        for &index in &plan.members {
            layout.add(index)?;
        }
        for address in plan.behind() {
            let moved = known.places[&address].beginning.as_ref().ok().and_then(|first| first.moved.as_ref());
            let moved = moved.expect("the plan looked");
            let at = layout.reserve(Part::Text, entry::room(moved) as u64, 16);
            layout.moved.insert(address, (at, moved));
        }
        if far {
            let outside: BTreeSet<u64> = plan.outside().collect();
            for address in outside {
                let at = layout.reserve(Part::Text, entry::MOST as u64, 4);
                layout.stubs.insert(address, at);
            }
        }
        if plan.has_failing() {
            layout.fails = Some(layout.reserve(Part::Text, entry::failing(arch).len() as u64, 16));
        }
        if plan.has_empty() {
            layout.empty = Some(layout.reserve(Part::Zero, 8, 8));
        }
        if plan.fork().is_some() {
            let at = layout.reserve(Part::Text, entry::FORK, 16);
            layout.definitions.insert(heap::FORK.to_owned(), at);
        }
        if plan.has_no() {
            let at = layout.reserve(Part::Text, entry::no(arch).len() as u64, 16);
            layout.definitions.insert(heap::NO.to_owned(), at);
        }
        layout.make_block(program)?;
        let writable = layout.size(Part::Data) + layout.size(Part::Zero) > 0;
        layout.table = Table::of(program, room, writable, layout.block.is_some() && !Own::is_in(program));
        layout.make_relocations(program);
        Ok(layout)
    }

    /// Room for the threads' block.
    fn make_block(&mut self, program: &Program<'_>) -> Result<(), Error> {
        let own = Own::of(program);
        let size = self.size(Part::Thread);
        if size > 0 {
            let block = Block::new(self.arch, own, size, self.thread_align);
            let block = block.map_err(Error::no_place)?;
            if block.align > ALIGN {
                return Err(Error::no_place("its thread-local storage is aligned to whole pages"));
            }
            let At(_, at) = self.reserve(Part::Data, block.file, block.align);
            self.block = Some((block, at));
        }
        Ok(())
    }

    /// Room for the relocations that are new in a program that moves.
    fn make_relocations(&mut self, program: &Program<'_>) {
        let own = Own::of(program);
        let is_copied = |(at, _): &&(u64, u64)| self.block.is_some() && own.holds(*at);
        let copied = program.relocations().iter().filter(is_copied).count() as u64;
        let displaced = self.table.front().map_or(0, |front| front.displaced.len() as u64);
        let count = copied + displaced + self.absolute;
        if program.moves() && count > 0 {
            let At(_, at) = self.reserve(Part::Constants, REL * count, 8);
            self.relocations = Some((at, count));
        }
    }

    /// Where the program headers go.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The longer block for each thread, and where it is in the data.
    pub fn block(&self) -> Option<(Block, u64)> {
        self.block
    }

    /// Where the new table of relocations is in the constants, and how many entries it has.
    pub fn relocations(&self) -> Option<(u64, u64)> {
        self.relocations
    }

    /// How many bytes a part takes.
    pub fn size(&self, part: Part) -> u64 {
        self.sizes[part as usize]
    }

    fn reserve(&mut self, part: Part, size: u64, align: u64) -> At {
        let end = &mut self.sizes[part as usize];
        let start = end.next_multiple_of(align.clamp(1, ALIGN));
        *end = start + size;
        At(part, start)
    }

    fn add(&mut self, index: usize) -> Result<(), Error> {
        let kit = self.kit;
        let member = &kit.members[index];
        for section in member.file.sections() {
            let Some(part) = part_of(&section) else { continue };
            if section.align() > ALIGN {
                return Err(fault(member, format!("a section is aligned to {} bytes", section.align())));
            }
            let at = self.reserve(part, section.size(), section.align());
            if part == Part::Thread {
                self.thread_align = self.thread_align.max(section.align());
            }
            self.sections.insert((index, section.index().0), at);
            for (offset, relocation) in section.relocations() {
                self.absolute += u64::from(relocate::is_absolute(self.arch, kind(&relocation)));
                let data = section.data().map_err(|error| fault(member, error.to_string()))?;
                if relocate::wants_slot(kind(&relocation), data, offset)
                    && let RelocationTarget::Symbol(symbol) = relocation.target()
                    && let Ok(name) = member.file.symbol_by_index(symbol).and_then(|symbol| symbol.name())
                    && !self.slots.contains_key(name)
                {
                    let at = self.reserve(Part::Constants, 8, 8);
                    self.slots.insert(name.to_owned(), at);
                }
            }
        }
        for symbol in member.file.symbols().filter(|symbol| symbol.is_common()) {
            if let Ok(name) = symbol.name()
                && kit.owners.get(name) == Some(&index)
            {
                // Its value is its alignment.
                let at = self.reserve(Part::Zero, symbol.size(), symbol.address());
                self.definitions.insert(name.to_owned(), at);
            }
        }
        for symbol in member.file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
            if let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index())
                && let Some(At(part, start)) = self.sections.get(&(index, section.0))
            {
                let at = At(*part, start + symbol.address());
                // The first to define it is the one that the plan means.
                if kit.owners.get(name) == Some(&index) {
                    self.definitions.insert(name.to_owned(), at);
                }
            }
        }
        Ok(())
    }

    /// Puts the parts to their addresses.
    pub fn place(&self, bases: Bases, program: &Program<'_>) -> Result<Linked, Error> {
        let (block, block_at) = self.block.unzip();
        let thread = block
            .zip(block_at)
            .map_or(0, |(block, at): (Block, u64)| bases[Part::Data as usize] + at + block.new_at);
        let base = move |part: Part| if part == Part::Thread { thread } else { bases[part as usize] };
        let address = move |At(part, offset): At| base(part) + offset;
        let mut absolute = Vec::new();
        let filled = |part: Part, byte: u8| vec![byte; self.size(part) as usize];
        // What is between functions is never run: int3, and on aarch64 an undefined instruction.
        let between = if self.arch == Arch::X86_64 { 0xcc } else { 0 };
        let mut parts =
            [filled(Part::Constants, 0), filled(Part::Text, between), filled(Part::Data, 0), Vec::new()];
        if let (Some(block), Some(at)) = (block, block_at) {
            let at = (at + block.old_at) as usize;
            let own =
                program.offset(block.own.address).and_then(|offset| program.bytes(offset, block.own.file));
            let own = own.unwrap_or_default();
            parts[Part::Data as usize][at..at + own.len()].copy_from_slice(own);
        }
        let mut symbols = Vec::new();
        for (&(index, number), &At(part, start)) in &self.sections {
            let member = &self.kit.members[index];
            let broken = |error: object::read::Error| fault(member, error.to_string());
            let section = member.file.section_by_index(SectionIndex(number)).map_err(broken)?;
            let is_zero = part == Part::Zero || section.kind() == SectionKind::UninitializedTls;
            if !is_zero {
                let mut data = section.data().map_err(broken)?.to_vec();
                for (offset, relocation) in section.relocations() {
                    let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                    let target = self.target(index, &member.file, symbol, &address)?;
                    let spot = Spot {
                        kind: kind(&relocation),
                        offset,
                        address: base(part) + start + offset,
                        addend: relocation.addend(),
                    };
                    if relocate::is_absolute(self.arch, spot.kind) {
                        let value = target.address.unwrap_or(0).wrapping_add_signed(spot.addend);
                        absolute.push((spot.address, value));
                    }
                    relocate::apply(self.arch, &mut data, &spot, &target)
                        .map_err(|reason| fault(member, reason))?;
                }
                let (into, start) = match (part, block, block_at) {
                    (Part::Thread, Some(block), Some(at)) => {
                        (Part::Data, (at + block.new_at + start) as usize)
                    }
                    _ => (part, start as usize),
                };
                parts[into as usize][start..start + data.len()].copy_from_slice(&data);
            }
            if part != Part::Thread {
                symbols.extend(names(&member.file, number, part, base(part) + start));
            }
        }
        let out_of_reach =
            || Error::NoPlace { reason: "a jump does not reach from the end to the code".to_owned() };
        let text = bases[Part::Text as usize];
        for (at, bytes) in self.jumps(text) {
            let bytes = bytes.ok_or_else(out_of_reach)?;
            parts[Part::Text as usize][at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
        }
        for (name, At(_, at)) in &self.slots {
            let there =
                self.definitions.contains_key(name) || matches!(self.plan.target(name), Some(Target::At(_)));
            parts[Part::Constants as usize][*at as usize] = u8::from(there);
        }
        let [constants, text, data, _] = parts;
        let addresses = self.definitions.iter().map(|(name, at)| (name.clone(), address(*at))).collect();
        Ok(Linked { text, constants, data, symbols, addresses, absolute })
    }

    /// The code that no object holds, by its offset in the text.
    fn jumps(&self, text: u64) -> impl Iterator<Item = (u64, Option<Vec<u8>>)> {
        let moved = self
            .moved
            .values()
            .map(move |(At(_, at), moved)| (*at, entry::placed(self.arch, moved, text + at)));
        let stub =
            move |(to, At(_, at)): (&u64, &At)| (*at, entry::jump(self.arch, text + at, *to, entry::MOST));
        let fails = self.fails.iter().map(|At(_, at)| (*at, Some(entry::failing(self.arch).to_vec())));
        let before = self.definitions.get(heap::BEFORE_FORK).map_or(0, |At(_, at)| text + at);
        let fork = self.definitions.get(heap::FORK).zip(self.plan.fork()).map(move |(At(_, at), fork)| {
            let At(_, moved) = self.moved[&fork].0;
            (*at, entry::fork(self.arch, text + at, before, text + moved))
        });
        let no = self.definitions.get(heap::NO).map(|At(_, at)| (*at, Some(entry::no(self.arch).to_vec())));
        moved.chain(self.stubs.iter().map(stub)).chain(fails).chain(no).chain(fork)
    }

    fn target(
        &self,
        index: usize,
        file: &ElfFile64<'_>,
        symbol: object::SymbolIndex,
        address: &impl Fn(At) -> u64,
    ) -> Result<relocate::Target, Error> {
        let member = &self.kit.members[index];
        let symbol = file.symbol_by_index(symbol).map_err(|error| fault(member, error.to_string()))?;
        let direct =
            |address| relocate::Target { address: Some(address), slot: None, stub: None, of_thread: None };
        if symbol.is_common() {
            let at = symbol.name().ok().and_then(|name| self.definitions.get(name));
            return Ok(direct(address(
                *at.ok_or_else(|| fault(member, "it shares data that is not linked".to_owned()))?,
            )));
        }
        if let Some(section) = symbol.section_index() {
            let at = self.sections.get(&(index, section.0));
            let At(part, start) =
                at.ok_or_else(|| fault(member, "it refers to what is not loaded".to_owned()))?;
            let slot = symbol.name().ok().and_then(|name| self.slots.get(name)).map(|at| address(*at));
            let offset = start + symbol.address();
            let of_thread =
                self.block.filter(|_| *part == Part::Thread).map(|(block, _)| block.distance + offset as i64);
            return Ok(relocate::Target { slot, of_thread, ..direct(address(At(*part, offset))) });
        }
        let name = symbol.name().map_err(|error| fault(member, error.to_string()))?;
        let target = match self.plan.target(name) {
            Some(Target::Kit(_)) => {
                let at = self.definitions.get(name);
                Some(address(*at.ok_or_else(|| fault(member, format!("{name} is not linked")))?))
            }
            Some(Target::At(at)) => Some(*at),
            Some(Target::Behind(at)) => Some(address(self.moved[at].0)),
            Some(Target::Empty) => Some(address(self.empty.expect("the plan was looked at"))),
            Some(Target::Fails) => Some(address(self.fails.expect("the plan was looked at"))),
            Some(Target::Nothing) => None,
            None => return Err(fault(member, format!("{name} was not planned"))),
        };
        let stub = target.and_then(|target| self.stubs.get(&target)).map(|at| address(*at));
        let slot = self.slots.get(name).map(|at| address(*at));
        Ok(relocate::Target { address: target, slot, stub, of_thread: None })
    }
}

fn part_of<'data>(section: &impl object::ObjectSection<'data>) -> Option<Part> {
    let object::SectionFlags::Elf { sh_flags, sh_type, .. } = section.flags() else { return None };
    let has = |flag: object::elf::SectionFlags| sh_flags.contains(flag);
    let name = section.name().unwrap_or_default();
    if !has(object::elf::SHF_ALLOC) || section.size() == 0 || name == ".eh_frame" || name.starts_with(".note")
    {
        return None;
    }
    Some(match () {
        () if has(object::elf::SHF_TLS) => Part::Thread,
        () if has(object::elf::SHF_EXECINSTR) => Part::Text,
        () if !has(object::elf::SHF_WRITE) => Part::Constants,
        () if sh_type == object::elf::SHT_NOBITS => Part::Zero,
        () => Part::Data,
    })
}

fn kind(relocation: &object::Relocation) -> u32 {
    match relocation.flags() {
        RelocationFlags::Elf { r_type } => r_type.0,
        _ => u32::MAX,
    }
}

fn names<'a>(
    file: &'a ElfFile64<'_>,
    section: usize,
    part: Part,
    start: u64,
) -> impl Iterator<Item = Named> + 'a {
    let here = move |symbol: &object::read::elf::ElfSymbol64<'_, '_>| {
        symbol.section_index() == Some(SectionIndex(section))
    };
    file.symbols().filter(here).filter_map(move |symbol| {
        let function = match symbol.kind() {
            SymbolKind::Text => true,
            SymbolKind::Data => false,
            _ => return None,
        };
        let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_owned();
        Some(Named { name, part, address: start + symbol.address(), size: symbol.size(), function })
    })
}

fn fault(member: &Member<'_>, reason: String) -> Error {
    Error::Link { member: member.name.clone(), reason }
}
