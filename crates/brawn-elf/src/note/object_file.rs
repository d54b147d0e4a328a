use object::build::elf::{Builder, SectionData};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{Endianness, U16, U32, U64, elf, pod};

use super::{HeapFacts, LinkId, NOTE_ALIGN, NOTE_SECTION, Note};
use crate::{Arch, Error};

/// An object file that holds nothing but the identity of a recorded link, and what this link decides about heaps. Given to the linker among the other
/// objects, it puts that into the executable.
///
/// It also carries an empty `.note.GNU-stack`: without one, a linker would make the program's stack executable.
pub fn link_note_object(arch: Arch, id: &LinkId, heaps: &HeapFacts) -> Vec<u8> {
    let mut notes = id.encode();
    if !heaps.is_empty() {
        notes.extend(heaps.encode());
    }
    let mut builder = Builder::new(Endianness::Little, true);
    builder.header.e_type = elf::ET_REL;
    builder.header.e_machine = elf::Machine(arch.elf_machine());
    builder.header.e_phoff = 0;

    let note = builder.sections.add();
    note.name = NOTE_SECTION.as_bytes().into();
    note.sh_type = elf::SHT_NOTE;
    note.sh_flags = elf::SHF_ALLOC;
    note.sh_addralign = NOTE_ALIGN as u64;
    note.data = SectionData::Note(notes.into());

    let stack = builder.sections.add();
    stack.name = b".note.GNU-stack"[..].into();
    stack.sh_type = elf::SHT_PROGBITS;
    stack.sh_addralign = 1;
    stack.data = SectionData::Data(Vec::new().into());

    let names = builder.sections.add();
    names.name = b".shstrtab"[..].into();
    names.sh_type = elf::SHT_STRTAB;
    names.sh_addralign = 1;
    names.data = SectionData::SectionString;

    builder.set_section_sizes();
    let mut out = Vec::new();
    builder.write(&mut out).expect("the content is fixed but for a short text");
    out
}

/// The file header of a relocatable 64-bit little-endian object file.
pub(crate) fn relocatable_header(object: &[u8]) -> Result<elf::FileHeader64<Endianness>, Error> {
    const WANTED: &str = "a relocatable 64-bit little-endian object file";
    type Header = elf::FileHeader64<Endianness>;
    let endian = Endianness::Little;
    let wrong = |found| Error::WrongKind { found, wanted: WANTED };

    let image = crate::Image::parse(object)?;
    if !image.is_64 || image.endian != endian {
        return Err(wrong("an ELF file of another class or byte order"));
    }
    let header =
        *<Header as object::read::elf::FileHeader>::parse(object).map_err(Error::damaged("file header"))?;
    if header.e_type(endian) != elf::ET_REL {
        return Err(wrong("an executable or shared library"));
    }
    Ok(header)
}

/// A copy of a relocatable object file with a `.note.brawn` section added that holds `note`.
///
/// The bytes that were there stay as they are; the note, a longer table of section names and a new table of
/// section headers follow them. The `object` crate's own builder would re-encode everything, and refuses section
/// types that are common in libc.a files made by clang (`SHT_LLVM_ADDRSIG`) and C++ compilers (`SHT_GROUP`).
///
/// # Errors
/// [`Error::NotElf`], [`Error::Damaged`]; [`Error::WrongKind`] when it is no relocatable 64-bit little-endian
/// object; [`Error::AlreadyNoted`].
pub fn add_note_section(object: &[u8], note: &Note) -> Result<Vec<u8>, Error> {
    let endian = Endianness::Little;
    let mut header = relocatable_header(object)?;
    let table = header.sections(endian, object).map_err(Error::damaged("section headers"))?;
    if table.iter().any(|section| table.section_name(endian, section) == Ok(NOTE_SECTION.as_bytes())) {
        return Err(Error::AlreadyNoted);
    }
    let mut sections: Vec<elf::SectionHeader64<Endianness>> = table.iter().copied().collect();
    let names_index =
        header.section_strings_index(endian, object).map_err(Error::damaged("section names"))?.0;
    // From 0xff00 sections on, their number moves out of the file header; a libc.a member has a dozen.
    if sections.len() + 1 >= usize::from(elf::SHN_LORESERVE) || names_index >= sections.len() {
        return Err(Error::Damaged {
            what: "section headers",
            reason: format!("{} sections, names in number {names_index}", sections.len()),
        });
    }
    let names = sections[names_index].data(endian, object).map_err(Error::damaged("section names"))?;

    let mut out = object.to_vec();
    let note_offset = pad(&mut out, NOTE_ALIGN);
    let encoded = note.encode();
    out.extend_from_slice(&encoded);

    let names_offset = out.len();
    out.extend_from_slice(names);
    let note_name = out.len() - names_offset;
    out.extend_from_slice(NOTE_SECTION.as_bytes());
    out.push(0);
    sections[names_index].sh_offset = U64::new(endian, names_offset as u64);
    sections[names_index].sh_size = U64::new(endian, (out.len() - names_offset) as u64);

    let zero = U64::new(endian, 0);
    sections.push(elf::SectionHeader64 {
        sh_name: U32::new(endian, note_name as u32),
        sh_type: U32::new(endian, elf::SHT_NOTE),
        sh_flags: U64::new(endian, elf::SHF_ALLOC),
        sh_addr: zero,
        sh_offset: U64::new(endian, note_offset as u64),
        sh_size: U64::new(endian, encoded.len() as u64),
        sh_link: U32::new(endian, 0),
        sh_info: U32::new(endian, 0),
        sh_addralign: U64::new(endian, NOTE_ALIGN as u64),
        sh_entsize: zero,
    });
    let headers_offset = pad(&mut out, 8);
    out.extend_from_slice(pod::bytes_of_slice(&sections));
    header.e_shoff = U64::new(endian, headers_offset as u64);
    header.e_shnum = U16::new(endian, sections.len() as u16);
    let start = pod::bytes_of(&header);
    out[..start.len()].copy_from_slice(start);
    Ok(out)
}

/// Fills up with zeros to a multiple of `align` bytes; returns the length.
fn pad(out: &mut Vec<u8>, align: usize) -> usize {
    out.resize(out.len().next_multiple_of(align), 0);
    out.len()
}
