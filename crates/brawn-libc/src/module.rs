//! What a shared library takes along that programs load at run time: functions of the kit, for itself alone, and a stand-in
//! for the libc that it will find there.

mod carried;

use std::collections::BTreeMap;
use std::path::Path;

use brawn_elf::Arch;
use brawn_kit::Functions;
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, ObjectSymbol as _, SymbolFlags, SymbolKind, SymbolScope,
};

use self::carried::Libc;
use crate::archive::{self, Archive};
use crate::choice::Choice;
use crate::{Error, overlay};

/// Families that stay with the program: what its `regcomp` makes may come to the library's `regexec`.
const PASSED_ON: &[&str] = &["regex"];

/// Members that do: `setenv` is the program's, and remembers what it has allocated.
const WITH_SETENV: &[&str] = &["brawn-environment-putenv.o", "brawn-environment-unsetenv.o"];

/// An archive of the functions that `choice` wants, which no one sees outside of the library that they are linked into: those
/// of strings, and where `libc` has the libc.a that it is compiled against, what works there of the other families. Those
/// for one kind of processor are not among them: who loads the library decides where it runs.
///
/// # Errors
/// [`Error::NotForArchitecture`] for a level that there is not; those of [`Archive::parse`].
pub fn functions(arch: Arch, choice: &Choice, libc: Option<(&Path, &[u8])>) -> Result<Vec<u8>, Error> {
    let path = Path::new("the kit");
    let choice = Choice { cpu: None, ..choice.clone() };
    let mut strings = overlay::string_members(path, arch, &choice)?;
    let mut others = Vec::new();
    let mut musl = Libc::default();
    if let Some((path, bytes)) = libc {
        musl = Libc::read(Archive::parse(path, bytes)?.members);
        let families: Vec<_> = choice.families().filter(|one| !PASSED_ON.contains(&one.name)).collect();
        others = overlay::family_members(path, arch, &families)?;
        others.retain(|member| {
            Functions::attached(&member.name).is_none() && !WITH_SETENV.contains(&member.name.as_str())
        });
        if !choice.strings {
            // The levels that others choose their forms by.
            strings = overlay::string_members(path, arch, &Choice { strings: true, ..choice })?;
            strings.retain(|member| member.defined.iter().all(|one| one.name.starts_with("__brawn_")));
        }
    }
    let mut members = Vec::new();
    for (member, names) in carried::choose(strings, others, musl) {
        let names: Vec<_> = names.iter().map(|(name, behind)| (*name, behind.as_str())).collect();
        let bytes = brawn_elf::rename_definitions(member.data, &names)
            .and_then(|bytes| brawn_elf::hide_definitions(&bytes))
            .map_err(|source| Error::BadMember {
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
            if symbol.is_global() && !symbol.is_undefined() && carried::is_shown(symbol.flags()) {
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
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;
    use object::Object as _;

    /// The libc.a of the Rust toolchain's target.
    fn libc(arch: Arch) -> (PathBuf, Vec<u8>) {
        let root = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap().stdout;
        let root = PathBuf::from(String::from_utf8(root).unwrap().trim());
        let path = format!("lib/rustlib/{}/lib/self-contained/libc.a", arch.musl_triple());
        let path = root.join(path);
        let bytes = fs_err::read(&path).unwrap();
        (path, bytes)
    }

    fn made(arch: Arch, choice: &Choice) -> Vec<u8> {
        let (path, bytes) = libc(arch);
        functions(arch, choice, Some((&path, &bytes))).unwrap()
    }

    fn defined(archive: &[u8]) -> BTreeSet<String> {
        let members = Archive::parse(Path::new("x"), archive).unwrap().members;
        let names = members.iter().flat_map(|member| &member.defined);
        names.map(|definition| definition.name.to_owned()).collect()
    }

    #[test]
    fn no_function_is_seen_outside() {
        let choice = Choice::default();
        for arch in Arch::ALL {
            for bytes in [functions(arch, &choice, None).unwrap(), made(arch, &choice)] {
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

    #[test]
    fn what_shares_nothing_with_a_libc_comes_along() {
        for arch in Arch::ALL {
            let names = defined(&made(arch, &Choice::default()));
            for name in ["qsort", "log", "pow", "sinf", "strtol", "inet_aton", "getenv", "__brawn_musl_log"] {
                assert!(names.contains(name), "{name}");
            }
            // Their state, or the structures that they read, are the program's.
            let left = [
                "malloc",
                "printf",
                "vsnprintf",
                "strtod",
                "localtime_r",
                "tzset",
                "putenv",
                "unsetenv",
                "regcomp",
                "regexec",
                "iconv",
                "setlocale",
                "pthread_mutex_lock",
                "fread",
                "towlower",
                "_Unwind_RaiseException",
                "___errno_location",
                "__libc",
                "time",
            ];
            for name in left {
                assert!(!names.contains(name), "{name}");
            }
        }
    }

    /// What they need is in the archive, or shown by every libc.
    #[test]
    fn what_they_need_is_there() {
        for arch in Arch::ALL {
            let bytes = made(arch, &Choice::default());
            let names = defined(&bytes);
            let (path, base) = libc(arch);
            let stand_in = stand_in(&path, &base, arch).unwrap();
            let stand_in = object::File::parse(&*stand_in).unwrap();
            let shown: BTreeSet<&str> = stand_in.symbols().filter_map(|symbol| symbol.name().ok()).collect();
            for member in Archive::parse(Path::new("x"), &bytes).unwrap().members {
                for name in member.needed {
                    let is_public = !name.starts_with("__") || carried::SHOWN.contains(&name);
                    let known = names.contains(name) || shown.contains(name) && is_public;
                    assert!(known || name == "_GLOBAL_OFFSET_TABLE_", "{}: {name}", member.name);
                }
            }
        }
    }

    #[test]
    fn families_can_be_left_to_the_program() {
        let choice = Choice::default().with_musl(["math"]).unwrap();
        let names = defined(&made(Arch::X86_64, &choice));
        assert!(names.contains("qsort") && names.contains("memcpy") && !names.contains("log"));
        let choice = Choice::default().with_musl(["strings"]).unwrap();
        let names = defined(&made(Arch::X86_64, &choice));
        assert!(names.contains("log") && !names.contains("memcpy"));
        let choice = Choice::default().with_musl(["all"]).unwrap();
        assert_eq!(defined(&made(Arch::X86_64, &choice)).iter().find(|name| !name.starts_with("__")), None);
    }
}
