//! Whether a `libc.a` has the mallocng that the hardened Brawn heap was written for.
//!
//! That front reads the headers of mallocng's blocks (`crates/brawn-kit/libc/malloc/brawn/layout.h`), and musl promises no one that they
//! stay as they are. So before an overlay is made, what can be told from the archive is held against what is known:
//! the version, the table of size classes, the sizes of mallocng's state, of its lock and of musl's own record of the
//! process, and by whose functions that lock is taken.

use std::path::Path;

use brawn_kit::Family;

use crate::Error;
use crate::archive::{Archive, Member};
use crate::musl::{Musl, parse_version};

/// The symbol that tells an object which needs mallocng from one that replaces it.
const NEEDS_MALLOCNG: &str = "__malloc_context";

/// The versions whose sources were read.
const KNOWN: std::ops::RangeInclusive<(u32, u32, u32)> = (1, 2, 2)..=(1, 2, 6);

/// musl's record of the process, and its size in bytes on every 64-bit architecture.
pub const PROCESS: (&str, u64) = ("__libc", 104);

/// The same of all hidden structures that a front reads.
const STRUCTURES: [(&str, u64); 3] = [("__malloc_context", 928), PROCESS, ("__malloc_lock", 4)];

/// Those who change mallocng's state, which the front does as well and under the same lock.
const LOCKING: [&str; 2] = ["__libc_malloc_impl", "__libc_free"];

/// Refuses an archive with another heap than the one that a front among `kit` was written for.
pub fn check(path: &Path, archive: &Archive<'_>, musl: &Musl, kit: &[Member<'_>]) -> Result<(), Error> {
    if !kit.iter().any(|member| member.needed.contains(&NEEDS_MALLOCNG)) {
        return Ok(());
    }
    let unknown = |what: String| Error::UnknownHeapLayout { path: path.to_owned(), what };
    if let Some(version) = unread_version(musl) {
        return Err(unknown(format!("musl {version} is newer than the last one that is known, 1.2.6")));
    }
    let table: Vec<u8> =
        brawn_elf::mallocng_size_classes().iter().flat_map(|class| class.to_le_bytes()).collect();
    match find(archive, "__malloc_size_classes") {
        None if !archive.mentions("malloc") => {
            return Err(Error::HeapElsewhere { path: path.to_owned(), arch: musl.arch });
        }
        None => return Err(unknown("it has no mallocng".to_owned())),
        Some((size, content)) if content.get(..size as usize) != Some(table.as_slice()) => {
            return Err(unknown("mallocng's size classes are not the known ones".to_owned()));
        }
        Some(_) => {}
    }
    for (name, size) in STRUCTURES {
        match find(archive, name) {
            Some((found, _)) if found == size => {}
            Some((found, _)) => return Err(unknown(format!("{name} has {found} bytes instead of {size}"))),
            None => return Err(unknown(format!("{name} is missing"))),
        }
    }
    for function in LOCKING {
        let locks =
            |member: &Member<'_>| ["__lock", "__unlock"].iter().all(|name| member.needed.contains(name));
        if !archive.owner(function).is_some_and(locks) {
            return Err(unknown(format!("{function} does not take musl's lock")));
        }
    }
    Ok(())
}

/// musl's version, if no one has read its sources.
fn unread_version(musl: &Musl) -> Option<&str> {
    let known = |version: &&str| parse_version(version).is_some_and(|numbers| KNOWN.contains(&numbers));
    musl.version.as_deref().filter(|version| !known(version))
}

/// Whether musl's record of the process is the known one, by which a heap learns that there are no other threads.
pub fn knows_process(archive: &Archive<'_>, musl: &Musl) -> bool {
    unread_version(musl).is_none() && find(archive, PROCESS.0).is_some_and(|(size, _)| size == PROCESS.1)
}

/// Why a family's functions cannot take the place of musl's in this archive: it has another structure than the one that
/// they were written for, or a version that no one has read.
pub fn unfit(archive: &Archive<'_>, musl: &Musl, family: &Family) -> Option<String> {
    if let Some(name) = family.behind.iter().find(|name| !archive.mentions(name)) {
        return Some(format!("{name} is in another archive"));
    }
    for (member, call, _) in family.instead {
        if !archive.owner(member).is_some_and(|owner| owner.needed.contains(call)) {
            return Some(format!("{member} does not call {call}"));
        }
    }
    if family.structures.is_empty() {
        return None;
    }
    if let Some(version) = unread_version(musl) {
        return Some(format!("musl {version} is newer than the last one that is known, 1.2.6"));
    }
    family.structures.iter().find_map(|(name, size)| match find(archive, name) {
        Some((found, _)) if found == *size => None,
        Some((found, _)) => Some(format!("{name} has {found} bytes instead of {size}")),
        None => Some(format!("{name} is missing")),
    })
}

/// [`Member::data_of`] a symbol, in the member that defines it.
fn find<'data>(archive: &Archive<'data>, name: &str) -> Option<(u64, &'data [u8])> {
    archive.owner(name)?.data_of(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_that_reads_a_structure_needs_the_known_one() {
        let mut object = object::write::Object::new(
            object::BinaryFormat::Elf,
            object::Architecture::X86_64,
            object::Endianness::Little,
        );
        let section = object.section_id(object::write::StandardSection::Data);
        let symbol = object::write::Symbol {
            name: b"__libc".to_vec(),
            value: 0,
            size: 104,
            kind: object::SymbolKind::Data,
            scope: object::SymbolScope::Linkage,
            weak: false,
            section: object::write::SymbolSection::Section(section),
            flags: object::SymbolFlags::None,
        };
        let symbol = object.add_symbol(symbol);
        object.add_symbol_data(symbol, section, &[0; 104], 8);
        let bytes = object.write().unwrap();
        let member = Member::parse(Path::new("libc.a"), "libc.lo".into(), &bytes).unwrap();
        let archive = Archive { members: vec![member] };
        let why = |version: &str, structures| {
            let musl = Musl { arch: brawn_elf::Arch::X86_64, version: Some(version.into()) };
            let family = Family {
                name: "x",
                title: "",
                structures,
                behind: &[],
                instead: &[],
                attached: None,
                attached_objects: &[],
            };
            unfit(&archive, &musl, &family)
        };
        assert_eq!(why("1.2.5", &[("__libc", 104)]), None);
        assert_eq!(why("1.2.5", &[("__libc", 96)]).unwrap(), "__libc has 104 bytes instead of 96");
        assert_eq!(why("1.2.5", &[("__stdout_FILE", 1)]).unwrap(), "__stdout_FILE is missing");
        assert!(why("1.3.0", &[("__libc", 104)]).unwrap().contains("newer"));
        assert_eq!(why("1.3.0", &[]), None);
    }
}
