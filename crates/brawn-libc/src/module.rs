//! What a shared library takes along that programs load at run time: the kit's string functions, for itself alone, and a
//! stand-in for the libc that it will find there.

use std::collections::BTreeMap;
use std::path::Path;

use brawn_elf::Arch;
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, ObjectSymbol as _, SymbolFlags, SymbolKind, SymbolScope, elf,
};

use crate::archive::{self, Archive};
use crate::choice::Choice;
use crate::{Error, overlay};

/// An archive of the string functions that `choice` wants, which no one sees outside of the library that they are linked
/// into. Those for one kind of processor are not among them: who loads the library decides where it runs.
///
/// # Errors
/// [`Error::NotForArchitecture`] for a level that there is not.
pub fn functions(arch: Arch, choice: &Choice) -> Result<Vec<u8>, Error> {
    let path = Path::new("the kit");
    let choice = Choice { cpu: None, ..choice.clone() };
    let mut members = Vec::new();
    for member in overlay::string_members(path, arch, &choice)? {
        let bytes = brawn_elf::hide_definitions(member.data).map_err(|source| Error::BadMember {
            path: path.to_owned(),
            member: member.name.clone(),
            what: format!("cannot be hidden: {source}"),
        })?;
        members.push((member.name, bytes));
    }
    archive::write(members.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())))
}

/// An object that defines, without any content, what the libc.a in `data` defines for programs. Linked as a shared library
/// it stands in for the libc that the program will bring.
///
/// # Errors
/// Those of [`Archive::parse`].
pub fn stand_in(path: &Path, data: &[u8], arch: Arch) -> Result<Vec<u8>, Error> {
    let mut symbols = BTreeMap::new();
    for member in Archive::parse(path, data)?.members {
        let Ok(file) = object::read::elf::ElfFile64::<Endianness>::parse(member.data) else { continue };
        for symbol in object::Object::symbols(&file) {
            let raw = symbol.elf_symbol();
            let seen = raw.st_other.0 & 3 == elf::STV_DEFAULT.0;
            if symbol.is_global() && !symbol.is_undefined() && seen {
                let name = symbol.name().unwrap_or_default().to_owned();
                symbols.entry(name).or_insert((symbol.kind(), symbol.size(), symbol.is_weak()));
            }
        }
    }
    let machine = match arch {
        Arch::X86_64 => Architecture::X86_64,
        Arch::Aarch64 => Architecture::Aarch64,
    };
    let mut object = Object::new(BinaryFormat::Elf, machine, object::Endianness::Little);
    let text = object.section_id(StandardSection::Text);
    object.append_section_data(text, &[0; 16], 16);
    let room = symbols.values().map(|(_, size, _)| *size).max().unwrap_or(0).max(16);
    let data = object.section_id(StandardSection::UninitializedData);
    object.append_section_bss(data, room, 16);
    for (name, (kind, size, weak)) in symbols {
        let section = if kind == SymbolKind::Text { text } else { data };
        object.add_symbol(Symbol {
            name: name.into_bytes(),
            value: 0,
            size: if kind == SymbolKind::Text { 1 } else { size },
            kind: if kind == SymbolKind::Text { kind } else { SymbolKind::Data },
            scope: SymbolScope::Dynamic,
            weak,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
    }
    object.write().map_err(|error| Error::Io(std::io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::Object as _;

    #[test]
    fn no_function_is_seen_outside() {
        let choice = Choice::default();
        for arch in Arch::ALL {
            let bytes = functions(arch, &choice).unwrap();
            let archive = Archive::parse(Path::new("x"), &bytes).unwrap();
            assert!(archive.mentions("memcpy") && archive.mentions("strlen"));
            for member in archive.members {
                let file = object::File::parse(member.data).unwrap();
                let seen = file.symbols().find(|symbol| {
                    symbol.is_global() && !symbol.is_undefined() && symbol.scope() != SymbolScope::Linkage
                });
                assert!(seen.is_none(), "{}: {seen:?}", member.name);
            }
        }
    }
}
