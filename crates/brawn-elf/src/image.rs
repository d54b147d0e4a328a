use object::read::elf::{FileHeader, ProgramHeader as _, SectionHeader as _, Sym as _};
use object::{Endianness, FileKind, elf};

use crate::Error;

/// The headers of an ELF file, the same for both classes and both byte orders.
///
/// Only the file header and the program headers must be sound, because the kernel runs a file on those alone.
/// Section headers may be absent, stripped or damaged: see [`Image::sections_damaged`].
#[derive(Clone, Debug)]
pub struct Image<'data> {
    /// The whole file.
    pub data: &'data [u8],
    /// Whether addresses have 64 bits.
    pub is_64: bool,
    /// Byte order of the file.
    pub endian: Endianness,
    /// `e_type`: one of the `ET_` constants.
    pub file_type: u16,
    /// `e_machine`: one of the `EM_` constants.
    pub machine: u16,
    /// Address of the first instruction, 0 when there is none.
    pub entry: u64,
    /// Program headers, in file order.
    pub segments: Vec<Segment<'data>>,
    /// Section headers, in file order, the null section included. Empty when there are none.
    pub sections: Vec<Section<'data>>,
    /// Why the section headers could not be read, if there are some that could not.
    pub sections_damaged: Option<String>,
}

/// A program header and the bytes that the file has for it.
#[derive(Clone, Debug)]
pub struct Segment<'data> {
    /// `p_type`: one of the `PT_` constants.
    pub kind: u32,
    /// `p_flags`: a combination of the `PF_` constants.
    pub flags: u32,
    /// Virtual address.
    pub address: u64,
    /// Size in memory, in bytes.
    pub memory_size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Offset of `data` in the file, in bytes.
    pub file_start: usize,
    /// Its content in the file, cut off where the file ends.
    pub data: &'data [u8],
    /// Whether the header promises more bytes than the file has.
    pub cut_off: bool,
}

/// A section header and the bytes that the file has for it.
#[derive(Clone, Debug)]
pub struct Section<'data> {
    /// Name, without the terminating zero.
    pub name: &'data [u8],
    /// `sh_type`: one of the `SHT_` constants.
    pub kind: u32,
    /// `sh_flags`: a combination of the `SHF_` constants.
    pub flags: u64,
    /// Virtual address.
    pub address: u64,
    /// Size in bytes; of a section without content in the file as well.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Its content; empty for `SHT_NOBITS` and for a section that lies outside the file.
    pub data: &'data [u8],
}

/// An entry of the static symbol table.
#[derive(Clone, Copy, Debug)]
pub struct Symbol<'data> {
    /// Name, without the terminating zero.
    pub name: &'data [u8],
    /// Value; an address in executables.
    pub value: u64,
    /// Size in bytes, 0 when unknown.
    pub size: u64,
    /// Index of the section that defines it; 0 means that it is undefined.
    pub section: u16,
    /// Whether it is a function.
    pub function: bool,
    /// Whether it is local to the object that it came from.
    pub local: bool,
    /// Whether it gives way to another definition of the same name.
    pub weak: bool,
    /// Whether it names the source file of the local symbols that follow it.
    pub file: bool,
}

impl<'data> Image<'data> {
    /// Reads the headers of an ELF file.
    ///
    /// # Errors
    /// [`Error::NotElf`], or [`Error::Damaged`] when the file header or the program headers cannot be read.
    pub fn parse(data: &'data [u8]) -> Result<Image<'data>, Error> {
        match FileKind::parse(data) {
            Ok(FileKind::Elf32) => parse::<elf::FileHeader32<Endianness>>(data),
            Ok(FileKind::Elf64) => parse::<elf::FileHeader64<Endianness>>(data),
            _ => Err(Error::NotElf),
        }
    }

    /// The first section of this name.
    pub fn section(&self, name: &str) -> Option<&Section<'data>> {
        self.sections.iter().find(|section| section.name == name.as_bytes())
    }

    /// The segments that are loaded.
    pub(crate) fn loaded(&self) -> impl Iterator<Item = &Segment<'data>> {
        self.segments.iter().filter(|segment| segment.kind == elf::PT_LOAD.0)
    }

    /// Those of them that hold code.
    pub(crate) fn code(&self) -> impl Iterator<Item = &Segment<'data>> {
        self.loaded().filter(|segment| segment.flags & elf::PF_X.0 != 0)
    }

    /// The first segment of this type.
    pub(crate) fn segment(&self, kind: elf::ProgramType) -> Option<&Segment<'data>> {
        self.segments.iter().find(|segment| segment.kind == kind.0)
    }

    /// The bytes of the file from the one that is loaded at `address` to the end of its segment.
    pub fn bytes_at_address(&self, address: u64) -> Option<&'data [u8]> {
        self.loaded().find_map(|segment| {
            let start = usize::try_from(address.checked_sub(segment.address)?).ok()?;
            segment.data.get(start..).filter(|rest| !rest.is_empty())
        })
    }

    /// The address at which the byte at `offset` of the file is loaded.
    pub(crate) fn address_of(&self, offset: usize) -> Option<u64> {
        self.loaded().find_map(|segment| {
            let within =
                offset.checked_sub(segment.file_start).filter(|within| *within < segment.data.len())?;
            segment.address.checked_add(within as u64)
        })
    }

    /// The static symbol table, `None` when the file has none or it is damaged. The result is not kept: a large
    /// table is worth reading once.
    pub fn symbols(&self) -> Option<Vec<Symbol<'data>>> {
        self.table(elf::SHT_SYMTAB)
    }

    /// The symbols that a loader resolves, `None` when the file has no table of them or no section headers.
    pub fn dynamic_symbols(&self) -> Option<Vec<Symbol<'data>>> {
        self.table(elf::SHT_DYNSYM)
    }

    fn table(&self, kind: elf::SectionType) -> Option<Vec<Symbol<'data>>> {
        match self.is_64 {
            true => symbols::<elf::FileHeader64<Endianness>>(self.data, self.endian, kind),
            false => symbols::<elf::FileHeader32<Endianness>>(self.data, self.endian, kind),
        }
    }
}

fn parse<Elf: FileHeader<Endian = Endianness>>(data: &[u8]) -> Result<Image<'_>, Error> {
    let header = Elf::parse(data).map_err(Error::damaged("file header"))?;
    let endian = header.endian().map_err(Error::damaged("file header"))?;
    let headers = header.program_headers(endian, data).map_err(Error::damaged("program headers"))?;
    let segments = headers
        .iter()
        .map(|segment| {
            let offset: u64 = segment.p_offset(endian).into();
            let size: u64 = segment.p_filesz(endian).into();
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(data.len());
            let end = usize::try_from(offset.saturating_add(size)).unwrap_or(usize::MAX).min(data.len());
            let content = &data[start..end];
            Segment {
                kind: segment.p_type(endian).0,
                flags: segment.p_flags(endian).0,
                address: segment.p_vaddr(endian).into(),
                memory_size: segment.p_memsz(endian).into(),
                align: segment.p_align(endian).into(),
                file_start: start,
                data: content,
                cut_off: (content.len() as u64) < size,
            }
        })
        .collect();
    let (sections, sections_damaged) = match sections(header, endian, data) {
        Ok(sections) => (sections, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    Ok(Image {
        data,
        is_64: header.is_type_64(),
        endian,
        file_type: header.e_type(endian).0,
        machine: header.e_machine(endian).0,
        entry: header.e_entry(endian).into(),
        segments,
        sections,
        sections_damaged,
    })
}

fn sections<'data, Elf: FileHeader<Endian = Endianness>>(
    header: &Elf,
    endian: Endianness,
    data: &'data [u8],
) -> object::read::Result<Vec<Section<'data>>> {
    let table = header.sections(endian, data)?;
    if table.is_empty() {
        return Ok(Vec::new());
    }
    let names = table.section(header.section_strings_index(endian, data)?)?.data(endian, data)?;
    Ok(table
        .iter()
        .map(|section| Section {
            name: name_at(names, section.sh_name(endian)),
            kind: section.sh_type(endian).0,
            flags: section.sh_flags(endian).0,
            address: section.sh_addr(endian).into(),
            size: section.sh_size(endian).into(),
            align: section.sh_addralign(endian).into(),
            data: section.data(endian, data).unwrap_or_default(),
        })
        .collect())
}

fn symbols<'data, Elf: FileHeader<Endian = Endianness>>(
    data: &'data [u8],
    endian: Endianness,
    kind: elf::SectionType,
) -> Option<Vec<Symbol<'data>>> {
    let header = Elf::parse(data).ok()?;
    let sections = header.sections(endian, data).ok()?;
    let table = sections.symbols(endian, data, kind).ok()?;
    if table.is_empty() {
        return None;
    }
    let names = sections.section(table.string_section()).ok()?.data(endian, data).ok()?;
    Some(
        table
            .iter()
            .map(|symbol| Symbol {
                name: name_at(names, symbol.st_name(endian)),
                value: symbol.st_value(endian).into(),
                size: symbol.st_size(endian).into(),
                section: symbol.st_shndx(endian).0,
                function: symbol.st_type() == elf::STT_FUNC,
                local: symbol.st_bind() == elf::STB_LOCAL,
                weak: symbol.st_bind() == elf::STB_WEAK,
                file: symbol.st_type() == elf::STT_FILE,
            })
            .collect(),
    )
}

/// The longest name that is distinguished. A file whose every name runs through the whole of a large string table
/// would else cost time by the square of its size.
const LONGEST_NAME: usize = 4096;

fn name_at(names: &[u8], offset: u32) -> &[u8] {
    let rest = names.get(offset as usize..).unwrap_or_default();
    let rest = &rest[..rest.len().min(LONGEST_NAME)];
    &rest[..memchr::memchr(0, rest).unwrap_or(rest.len())]
}
