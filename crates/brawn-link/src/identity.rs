//! What an object file adds to an executable, apart from what its compiler called things on the way.

use brawn_libc::sha256_hex;
use object::elf::SHF_ALLOC;
use object::{
    Object as _, ObjectKind, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget,
    SectionFlags,
};

/// A digest that two object files share when they add the same to an executable: what their sections hold in memory, where
/// these refer to what, and what they define for others. With ThinLTO, names of former locals end in a hash of
/// the compiler's intermediate code, which is another one in every folder; the linker forgets them, and so does this.
///
/// Of a file of another kind it is the digest of its bytes.
pub(crate) fn digest(bytes: &[u8]) -> String {
    described(bytes).map_or_else(|| sha256_hex(bytes), |description| sha256_hex(&description))
}

/// Everything that counts in an object file, or nothing of another file.
fn described(bytes: &[u8]) -> Option<Vec<u8>> {
    let file = object::File::parse(bytes).ok()?;
    if file.kind() != ObjectKind::Relocatable {
        return None;
    }
    let mut text = Vec::new();
    let section_name = |index| file.section_by_index(index).ok().and_then(|section| section.name().ok());
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return None };
        if sh_flags.0 & SHF_ALLOC.0 == 0 {
            continue;
        }
        part(&mut text, stable(section.name().ok()?).as_bytes());
        part(&mut text, &[sh_flags.0, section.size(), section.align()].map(u64::to_le_bytes).concat());
        part(&mut text, section.data().ok()?);
        for (offset, relocation) in section.relocations() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { return None };
            let name = match relocation.target() {
                RelocationTarget::Symbol(index) => {
                    let symbol = file.symbol_by_index(index).ok()?;
                    let own = symbol.name().ok().filter(|name| !name.is_empty());
                    own.or_else(|| section_name(symbol.section_index()?)).unwrap_or_default()
                }
                _ => "",
            };
            part(&mut text, stable(name).as_bytes());
            part(&mut text, format!("{offset} {} {}", r_type.0, relocation.addend()).as_bytes());
        }
    }
    let mut definitions = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
        let section = symbol.section_index().and_then(section_name).unwrap_or_default();
        let (name, section) = (stable(symbol.name().ok()?), stable(section));
        definitions.push(format!(
            "{name} {section} {} {} {}",
            symbol.address(),
            symbol.size(),
            symbol.is_weak()
        ));
    }
    definitions.sort_unstable();
    for definition in definitions {
        part(&mut text, definition.as_bytes());
    }
    Some(text)
}

/// Adds a part and its length, so that no two rows of parts make the same text.
fn part(text: &mut Vec<u8>, part: &[u8]) {
    text.extend((part.len() as u64).to_le_bytes());
    text.extend(part);
}

/// A name without the hash at its end.
fn stable(name: &str) -> &str {
    match name.rsplit_once(".llvm.") {
        Some((stem, hash)) if !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::{Object, Relocation, StandardSection, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

    /// A function of this name, which calls another.
    fn object(name: &str, called: &str, code: u8) -> Vec<u8> {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let symbol = |name: &str, section| Symbol {
            name: name.into(),
            value: 0,
            size: 0,
            kind: SymbolKind::Text,
            scope: SymbolScope::Dynamic,
            weak: false,
            section,
            flags: SymbolFlags::None,
        };
        let (own, other) = (symbol(name, SymbolSection::Undefined), symbol(called, SymbolSection::Undefined));
        let text = object.section_id(StandardSection::Text);
        let own = object.add_symbol(own);
        object.add_symbol_data(own, text, &[0xe8, 0, 0, 0, 0, code], 1);
        let symbol = object.add_symbol(other);
        let flags = RelocationFlags::Elf { r_type: object::elf::R_X86_64_PLT32 };
        object.add_relocation(text, Relocation { offset: 1, symbol, addend: -4, flags }).unwrap();
        object.write().unwrap()
    }

    #[test]
    fn names_that_a_linker_forgets_do_not_count() {
        let one = object("main.llvm.14721768219692383286", "puts", 0xc3);
        let other = object("main.llvm.643819398067291971", "puts", 0xc3);
        assert_ne!(one, other);
        assert_eq!(digest(&one), digest(&other));
    }

    #[test]
    fn code_and_whatever_it_refers_to_and_defines_count() {
        let digests = [
            object("main", "puts", 0xc3),
            object("main", "gets", 0xc3),
            object("start", "puts", 0xc3),
            object("main", "puts", 0xcc),
            object("main", "puts.llvm.x", 0xc3),
            b"no object file".to_vec(),
        ]
        .map(|bytes| digest(&bytes));
        for (place, one) in digests.iter().enumerate() {
            assert!(!digests[..place].contains(one), "{place}");
        }
    }
}
