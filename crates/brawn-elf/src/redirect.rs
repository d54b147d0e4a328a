use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _, SymbolTable};
use object::{Endianness, U32, U64, elf, pod};

use crate::Error;

/// A copy of a relocatable object file that calls other symbols: for each pair, what it needed by the first name, or has a
/// weak stand-in for, goes by the second. Its strong and local definitions stay as they are, and so do the bytes that were
/// there; a longer table of names follows them.
///
/// # Errors
/// [`Error::Damaged`]; [`Error::WrongKind`] when it is no relocatable 64-bit little-endian object.
pub fn redirect_calls(object: &[u8], names: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
    rename(object, names, |undefined, bind| match bind {
        elf::STB_LOCAL => false,
        elf::STB_WEAK => true,
        _ => undefined,
    })
}

/// A copy of a relocatable object file that defines symbols by other names. What it needs stays as it is.
///
/// # Errors
/// As [`redirect_calls`].
pub fn rename_definitions(object: &[u8], names: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
    rename(object, names, |undefined, bind| !undefined && bind != elf::STB_LOCAL)
}

/// A copy of a relocatable object file that has itself what it needed: `needed` is another name of its own definition `own`
/// from now on, and is called `name`. An object without one of the two stays as it is.
///
/// # Errors
/// As [`redirect_calls`].
pub fn define_needed(object: &[u8], needed: &str, own: &str, name: &str) -> Result<Vec<u8>, Error> {
    type Symbol = elf::Sym64<Endianness>;
    let endian = Endianness::Little;
    let (symbols, table) = symbols(object)?;
    let find = |wanted: &str, undefined: bool| {
        symbols.iter().position(|symbol| {
            symbol.is_undefined(endian) == undefined
                && symbol.name(endian, symbols.strings()).is_ok_and(|name| name == wanted.as_bytes())
        })
    };
    let (Some(needed_at), Some(own_at)) = (find(needed, true), find(own, false)) else {
        return Ok(object.to_vec());
    };
    let mut out = redirect_calls(object, &[(needed, name)])?;
    // All of a symbol but its name, which is the first field.
    let entry = |index: usize| table.sh_offset(endian) as usize + index * size_of::<Symbol>();
    let fields = std::mem::offset_of!(Symbol, st_info);
    out.copy_within(entry(own_at) + fields..entry(own_at) + size_of::<Symbol>(), entry(needed_at) + fields);
    Ok(out)
}

/// A copy of a relocatable object whose definitions only the file that it is linked into can see.
///
/// # Errors
/// As [`redirect_calls`].
pub fn hide_definitions(object: &[u8]) -> Result<Vec<u8>, Error> {
    type Symbol = elf::Sym64<Endianness>;
    let endian = Endianness::Little;
    let (symbols, table) = symbols(object)?;
    let mut out = object.to_vec();
    for (index, symbol) in symbols.iter().enumerate() {
        if !symbol.is_undefined(endian) && symbol.st_bind() != elf::STB_LOCAL {
            let at = table.sh_offset(endian) as usize + index * size_of::<Symbol>();
            out[at + std::mem::offset_of!(Symbol, st_other)] = elf::STV_HIDDEN.0;
        }
    }
    Ok(out)
}

type Header = elf::FileHeader64<Endianness>;

/// The symbols of a relocatable object, and the section that they are in.
fn symbols(object: &[u8]) -> Result<(SymbolTable<'_, Header>, &elf::SectionHeader64<Endianness>), Error> {
    let endian = Endianness::Little;
    let header = crate::note::relocatable_header(object)?;
    let sections = header.sections(endian, object).map_err(Error::damaged("section headers"))?;
    let symbols = sections.symbols(endian, object, elf::SHT_SYMTAB).map_err(Error::damaged("symbols"))?;
    let table = sections.section(symbols.section()).map_err(Error::damaged("symbols"))?;
    Ok((symbols, table))
}

fn rename(
    object: &[u8],
    names: &[(&str, &str)],
    applies: impl Fn(bool, elf::SymbolBind) -> bool,
) -> Result<Vec<u8>, Error> {
    type Section = elf::SectionHeader64<Endianness>;
    type Symbol = elf::Sym64<Endianness>;
    let endian = Endianness::Little;

    let header = crate::note::relocatable_header(object)?;
    let sections = header.sections(endian, object).map_err(Error::damaged("section headers"))?;
    let symbols = sections.symbols(endian, object, elf::SHT_SYMTAB).map_err(Error::damaged("symbols"))?;
    let strings_index = symbols.string_section();
    let table = sections.section(symbols.section()).map_err(Error::damaged("symbols"))?;
    let strings_header = sections.section(strings_index).map_err(Error::damaged("symbol names"))?;
    let strings = strings_header.data(endian, object).map_err(Error::damaged("symbol names"))?;

    let mut out = object.to_vec();
    let mut longer = strings.to_vec();
    for (index, symbol) in symbols.iter().enumerate() {
        if !applies(symbol.is_undefined(endian), symbol.st_bind()) {
            continue;
        }
        let name = symbol.name(endian, symbols.strings()).map_err(Error::damaged("symbol names"))?;
        let Some((_, new)) = names.iter().find(|(old, _)| old.as_bytes() == name) else { continue };
        // The name is the first field of a symbol.
        let at = table.sh_offset(endian) as usize + index * size_of::<Symbol>();
        let place = U32::new(endian, longer.len() as u32);
        out[at..at + 4].copy_from_slice(pod::bytes_of(&place));
        longer.extend_from_slice(new.as_bytes());
        longer.push(0);
    }
    let mut moved: Section = *strings_header;
    moved.sh_offset = U64::new(endian, out.len() as u64);
    moved.sh_size = U64::new(endian, longer.len() as u64);
    let at = Header::e_shoff(&header, endian) as usize + strings_index.0 * size_of::<Section>();
    out[at..at + size_of::<Section>()].copy_from_slice(pod::bytes_of(&moved));
    out.extend_from_slice(&longer);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use object::{Object as _, ObjectSymbol as _};

    use super::*;

    /// Two symbols that it needs, one that it defines, one with a stand-in, and one of its own by a name that others need.
    fn object() -> Vec<u8> {
        let mut builder = object::build::elf::Builder::new(Endianness::Little, true);
        builder.header.e_type = elf::ET_REL;
        builder.header.e_machine = elf::EM_X86_64;
        builder.header.e_phoff = 0;
        let symbol = |builder: &mut object::build::elf::Builder<'_>, name: &'static str, defined, bind| {
            let symbol = builder.symbols.add();
            symbol.name = name.as_bytes().into();
            symbol.st_shndx = if defined { elf::SHN_ABS } else { elf::SHN_UNDEF };
            symbol.set_st_info(bind, elf::STT_NOTYPE);
        };
        symbol(&mut builder, "mmap", true, elf::STB_LOCAL);
        symbol(&mut builder, "munmap", false, elf::STB_GLOBAL);
        symbol(&mut builder, "__munmap", false, elf::STB_GLOBAL);
        symbol(&mut builder, "free", true, elf::STB_GLOBAL);
        symbol(&mut builder, "handler", true, elf::STB_WEAK);
        for (name, data) in [
            (&b".symtab"[..], object::build::elf::SectionData::Symbol),
            (b".strtab", object::build::elf::SectionData::String),
            (b".shstrtab", object::build::elf::SectionData::SectionString),
        ] {
            let section = builder.sections.add();
            section.name = name.into();
            let is_symbols = matches!(data, object::build::elf::SectionData::Symbol);
            section.sh_type = if is_symbols { elf::SHT_SYMTAB } else { elf::SHT_STRTAB };
            section.sh_addralign = if is_symbols { 8 } else { 1 };
            section.data = data;
        }
        builder.set_section_sizes();
        let mut out = Vec::new();
        builder.write(&mut out).unwrap();
        out
    }

    fn names(object: &[u8]) -> Vec<(String, bool)> {
        let file = object::File::parse(object).unwrap();
        let mut names: Vec<_> =
            file.symbols().map(|s| (s.name().unwrap().to_owned(), s.is_undefined())).collect();
        names.retain(|(name, _)| !name.is_empty());
        names.sort();
        names
    }

    #[test]
    fn what_was_needed_is_there() {
        let after = define_needed(&object(), "munmap", "free", "my_unmap").unwrap();
        assert!(names(&after).contains(&("my_unmap".to_owned(), false)));
        let missing = define_needed(&object(), "nothing", "free", "my_unmap").unwrap();
        assert_eq!(names(&missing), names(&object()));
    }

    #[test]
    fn only_what_others_may_define_changes_and_only_by_that_very_name() {
        let before = object();
        let pairs = [("munmap", "my_unmap"), ("mmap", "x"), ("free", "y"), ("handler", "my_handler")];
        let after = redirect_calls(&before, &pairs).unwrap();
        let expected =
            [("__munmap", true), ("free", false), ("mmap", false), ("my_handler", false), ("my_unmap", true)];
        assert_eq!(names(&after), expected.map(|(name, needed)| (name.to_owned(), needed)));
    }

    #[test]
    fn a_definition_changes_its_name() {
        let after = rename_definitions(&object(), &[("free", "my_free")]).unwrap();
        let mut expected = names(&object());
        let renamed = expected.iter_mut().find(|(name, needed)| name == "free" && !needed).unwrap();
        renamed.0 = "my_free".to_owned();
        expected.sort();
        assert_eq!(names(&after), expected);
        assert_eq!(names(&rename_definitions(&object(), &[("munmap", "x")]).unwrap()), names(&object()));
    }

    #[test]
    fn what_is_no_object_file_is_refused() {
        assert!(redirect_calls(b"\x7fELF", &[]).is_err());
        let object = object();
        for length in 0..object.len() {
            let _ = redirect_calls(&object[..length], &[("munmap", "my_unmap")]);
        }
    }
}
