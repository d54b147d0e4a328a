//! The file that something is grafted onto: whether it can be, and what is where in it.

use std::collections::BTreeMap;

use brawn_elf::inspection::{Kind, LibcName};
use brawn_elf::{Arch, Image};
use brawn_identify::{Evidence, Identification};
use object::elf;
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{LittleEndian as LE, pod};

use crate::Error;
use crate::callees;
use crate::entry;
use crate::families;
use crate::plan::{Known, Place};

pub(crate) type Header = elf::FileHeader64<LE>;
pub(crate) type Segment = elf::ProgramHeader64<LE>;
pub(crate) type Section = elf::SectionHeader64<LE>;

/// The headers of the file, which can be written again.
pub(crate) struct Program<'data> {
    pub data: &'data [u8],
    pub arch: Arch,
    pub header: Header,
    pub segments: Vec<Segment>,
    pub sections: Vec<Section>,
}

/// The size of a relocation with an addend.
pub(crate) const RELOCATION: u64 = 24;

/// How much of a file is looked at for the mark of a packer.
const PACKER: usize = 4096;

/// How far code may be from other code on aarch64 without longer jumps, in bytes; a branch reaches 128 MiB.
const NEAR: u64 = 120 << 20;

impl<'data> Program<'data> {
    pub fn read(data: &'data [u8]) -> Result<(Self, Image<'data>), Error> {
        let image = Image::parse(data)?;
        let inspection = brawn_elf::overview(&image)?;
        let arch = inspection.format.arch.clone();
        if image.segments.iter().any(|segment| segment.cut_off) {
            return Err(Error::CutOff);
        }
        if memchr::memmem::find(&data[..data.len().min(PACKER)], b"UPX!").is_some() {
            return Err(Error::Packed);
        }
        let arch = match Arch::from_elf_machine(image.machine) {
            Some(arch) if image.is_64 && image.endian == object::Endianness::Little => arch,
            _ => return Err(Error::OtherArch { arch }),
        };
        if !matches!(inspection.kind, Kind::Static | Kind::StaticPie) {
            return Err(Error::NotStatic { kind: inspection.kind.to_string() });
        }
        if inspection.graft.is_some() {
            return Err(Error::AlreadyGrafted);
        }
        if inspection.note.is_some() {
            return Err(Error::MadeByBrawn);
        }
        if inspection.libc.name != LibcName::Musl {
            let name = inspection.libc.name;
            let libc = if name == LibcName::Unknown { "not known".to_owned() } else { name.to_string() };
            return Err(Error::OtherLibc { libc });
        }
        let damaged = |what| {
            move |error: object::read::Error| brawn_elf::Error::Damaged { what, reason: error.to_string() }
        };
        let header = Header::parse(data).map_err(damaged("file header"))?;
        let segments = header.program_headers(LE, data).map_err(damaged("program headers"))?.to_vec();
        let sections = header.section_headers(LE, data).map_err(damaged("section headers"))?.to_vec();
        if let Some(reason) = &image.sections_damaged {
            return Err(brawn_elf::Error::Damaged { what: "section headers", reason: reason.clone() }.into());
        }
        Ok((Program { data, arch, header: *header, segments, sections }, image))
    }

    pub fn loads(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(|segment| segment.p_type.get(LE) == elf::PT_LOAD)
    }

    /// The end of all that is loaded.
    pub fn top(&self) -> u64 {
        self.loads().map(|load| load.p_vaddr.get(LE).saturating_add(load.p_memsz.get(LE))).max().unwrap_or(0)
    }

    /// What the program is moved by as a whole is added to this: the address of the file's first byte.
    pub fn base(&self) -> u64 {
        self.loads().next().map_or(0, |first| first.p_vaddr.get(LE).wrapping_sub(first.p_offset.get(LE)))
    }

    pub fn page(&self) -> u64 {
        self.loads().map(|load| load.p_align.get(LE)).fold(0x1000, u64::max)
    }

    /// Whether jumps from the end of the file to its code, and back, have to be long.
    pub fn is_far(&self) -> bool {
        self.arch == Arch::Aarch64 && self.top().saturating_sub(self.base()) + self.data.len() as u64 > NEAR
    }

    /// Whether its code may be marked for checked indirect branches.
    pub fn asks_for_marks(&self) -> bool {
        let property = |segment: &Segment| segment.p_type.get(LE) == elf::PT_GNU_PROPERTY;
        self.arch == Arch::Aarch64 && self.segments.iter().any(property)
    }

    /// Where in the file the byte at an address is.
    pub fn offset(&self, address: u64) -> Option<u64> {
        self.loads().find_map(|load| {
            let within = address.checked_sub(load.p_vaddr.get(LE))?;
            (within < load.p_filesz.get(LE)).then(|| load.p_offset.get(LE) + within)
        })
    }

    /// What is known about functions and data.
    pub fn known(&self, image: &Image<'data>) -> Known {
        let far = self.is_far();
        let mut known = Known {
            names: BTreeMap::new(),
            named: false,
            places: BTreeMap::new(),
            strangers: BTreeMap::new(),
            found: Identification::default(),
        };
        let code = |address: u64| {
            self.loads().any(|load| {
                let start = load.p_vaddr.get(LE);
                let here = (start..start.saturating_add(load.p_filesz.get(LE))).contains(&address);
                here && load.p_flags.get(LE).contains(elf::PF_X)
            })
        };
        let found = brawn_identify::identify(image);
        known.named = found.functions.iter().any(|function| function.evidence == Evidence::Symbol);
        // Functions in assembly may have no size: they end where anything else begins.
        let symbols = image.symbols().unwrap_or_default();
        let defined =
            symbols.iter().filter(|symbol| symbol.section != 0 && !symbol.file).map(|symbol| symbol.value);
        let mut starts: Vec<u64> =
            found.functions.iter().map(|function| function.address).chain(defined).collect();
        starts.sort_unstable();
        for function in found.functions.iter().filter(|function| code(function.address)) {
            for name in &function.names {
                // Of two of one name, none is certain.
                if known
                    .names
                    .insert(name.clone(), function.address)
                    .is_some_and(|other| other != function.address)
                {
                    known.names.insert(name.clone(), u64::MAX);
                }
            }
            let next = starts.get(starts.partition_point(|start| *start <= function.address));
            let most = next.map(|next| next - function.address);
            let size = if function.size == 0 {
                most.unwrap_or(0)
            } else {
                function.size.min(most.unwrap_or(u64::MAX))
            };
            let code = image.bytes_at_address(function.address).unwrap_or_default();
            let (code, behind) = code.split_at(usize::try_from(size).unwrap_or(usize::MAX).min(code.len()));
            let beginning =
                if function.evidence == Evidence::Symbol && !families::is_musls(function, &symbols, &found) {
                    Err("the program may have brought its own".to_owned())
                } else {
                    entry::beginning(self.arch, code, behind, function.address, far)
                };
            let calls = entry::calls(self.arch, code, function.address);
            known.places.insert(function.address, Place { size: code.len() as u64, beginning, calls });
        }
        known.names.retain(|_, address| *address != u64::MAX);
        let data = found.data.iter().map(|datum| (datum.name.clone(), datum.address));
        // What the symbol table says of data, such as __environ.
        let named = symbols.iter().filter(|symbol| symbol.section != 0 && !symbol.function && !symbol.local);
        let named = named.map(|symbol| (String::from_utf8_lossy(symbol.name).into_owned(), symbol.value));
        for (name, address) in data.chain(named) {
            known.names.entry(name).or_insert(address);
        }
        if !known.named {
            known.strangers = callees::strangers(self.arch, image, &found);
        }
        known.found = found;
        known
    }

    /// Whether it is loaded wherever there is room.
    pub fn moves(&self) -> bool {
        self.header.e_type.get(LE) == elf::ET_DYN
    }

    /// The entries of the dynamic section, with where each is in the file.
    pub fn dynamic(&self) -> Vec<(u64, [u64; 2])> {
        let dynamic = self.segments.iter().find(|segment| segment.p_type.get(LE) == elf::PT_DYNAMIC);
        let Some(start) = dynamic.map(|dynamic| dynamic.p_offset.get(LE)) else { return Vec::new() };
        let bytes =
            dynamic.and_then(|dynamic| self.bytes(start, dynamic.p_filesz.get(LE))).unwrap_or_default();
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight"));
        let entry = |(index, entry): (usize, &[u8])| {
            (start + 16 * index as u64, [word(&entry[..8]), word(&entry[8..])])
        };
        bytes.chunks_exact(16).enumerate().map(entry).collect()
    }

    /// What the dynamic section says of this.
    pub fn dynamic_value(&self, tag: elf::DynamicTag) -> Option<u64> {
        self.dynamic().iter().find(|(_, entry)| entry[0] == tag.0 as u64).map(|(_, entry)| entry[1])
    }

    /// The kind of relocation that adds where the program is.
    pub fn relative(&self) -> elf::RelocationType {
        match self.arch {
            Arch::X86_64 => elf::R_X86_64_RELATIVE,
            Arch::Aarch64 => elf::R_AARCH64_RELATIVE,
        }
    }

    /// The table that an entry of the dynamic section points to, with the size that another says.
    fn table(&self, at: elf::DynamicTag, size: elf::DynamicTag) -> Option<&'data [u8]> {
        self.bytes(self.offset(self.dynamic_value(at)?)?, self.dynamic_value(size)?)
    }

    /// The table of relocations with addends, if it is whole.
    pub fn relocation_table(&self) -> Option<&'data [u8]> {
        let whole = |table: &&[u8]| (table.len() as u64).is_multiple_of(RELOCATION);
        self.table(elf::DT_RELA, elf::DT_RELASZ).filter(whole)
    }

    /// Relocations that the program applies to itself when it starts: where each writes, and what.
    pub fn relocations(&self) -> Vec<(u64, u64)> {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight"));
        let mut found = Vec::new();
        for entry in self.relocation_table().unwrap_or_default().chunks_exact(RELOCATION as usize) {
            found.push((word(&entry[..8]), word(&entry[16..])));
        }
        let stored = |at: u64| self.offset(at).and_then(|offset| self.bytes(offset, 8)).map_or(0, word);
        let mut next = 0_u64;
        for entry in self.table(elf::DT_RELR, elf::DT_RELRSZ).unwrap_or_default().chunks_exact(8).map(word) {
            if entry & 1 == 0 {
                found.push((entry, stored(entry)));
                next = entry.wrapping_add(8);
            } else {
                for bit in (1..64).filter(|bit| entry >> bit & 1 == 1) {
                    let at = next.wrapping_add(8 * (bit - 1));
                    found.push((at, stored(at)));
                }
                next = next.wrapping_add(8 * 63);
            }
        }
        found
    }

    pub fn bytes(&self, offset: u64, length: u64) -> Option<&'data [u8]> {
        let start = usize::try_from(offset).ok()?;
        self.data.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    }

    /// What a section has in the file.
    pub fn extent(&self, index: usize) -> Option<(u64, u64)> {
        let section = self.sections.get(index)?;
        let (start, length) = section.file_range(LE)?;
        (length > 0).then_some((start, start.checked_add(length)?))
    }
}

/// A header's bytes.
pub(crate) fn bytes_of<T: object::Pod>(headers: &[T]) -> &[u8] {
    pod::bytes_of_slice(headers)
}
