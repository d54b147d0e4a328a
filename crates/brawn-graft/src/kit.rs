//! The objects of the kit, and what each defines and needs.

use std::collections::{BTreeMap, HashMap};

use brawn_elf::Arch;
use brawn_kit::{Functions, LEVEL_MEMBER};
use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSymbol as _, SymbolKind};

use crate::Error;
use crate::allocator::{HEAP, Heap, LIBC, ROOTS, STATELESS};

/// The family of the string functions.
pub(crate) const STRINGS: &str = "strings";

/// An object of the kit.
pub(crate) struct Member<'data> {
    pub name: String,
    pub family: &'static str,
    pub file: ElfFile64<'data>,
    /// What it defines for others.
    pub defines: Vec<Definition>,
    /// What it takes from others; true where it does without.
    pub needs: Vec<(String, bool)>,
}

pub(crate) struct Definition {
    pub name: String,
    /// Whether programs call it, or musl itself: not one of the kit's own names.
    pub of_libc: bool,
    pub function: bool,
}

pub(crate) struct Kit<'data> {
    pub members: Vec<Member<'data>>,
    /// Who defines a name.
    pub owners: HashMap<String, usize>,
}

impl<'data> Kit<'data> {
    /// The objects for an architecture, with the string functions held to a level if one is named.
    pub fn load(arch: Arch, level: Option<&str>, heap: Option<&'data Heap>) -> Result<Kit<'data>, Error> {
        let absent = || Error::NoKit { arch: arch.to_string() };
        let strings = brawn_kit::strings(arch, None).ok_or_else(absent)?;
        let functions = brawn_kit::functions(arch).ok_or_else(absent)?;
        let held = match level {
            None => None,
            Some(name) => {
                let unknown = || Error::NoLevel { name: name.to_owned(), arch: arch.to_string() };
                Some(strings.levels.iter().find(|level| level.name == name).ok_or_else(unknown)?)
            }
        };
        let mut kit = Kit { members: Vec::new(), owners: HashMap::new() };
        for (archive, of_strings) in [(strings.archive.bytes(), true), (functions.archive.bytes(), false)] {
            let damaged = |error: object::read::Error| Error::Link {
                member: "the archive".to_owned(),
                reason: error.to_string(),
            };
            for member in ArchiveFile::parse(archive).map_err(damaged)?.members() {
                let member = member.map_err(damaged)?;
                let name = String::from_utf8_lossy(member.name()).into_owned();
                let family = match Functions::family_of(&name) {
                    _ if of_strings => STRINGS,
                    Some(family) => family.name,
                    None => continue,
                };
                let data = match held {
                    Some(level) if of_strings && name == LEVEL_MEMBER => level.file.bytes(),
                    _ => member.data(archive).map_err(damaged)?,
                };
                kit.add(name, family, ElfFile64::parse(data).map_err(damaged)?);
            }
        }
        if let Some(heap) = heap {
            kit.add_heap(&heap.archive)?;
        }
        Ok(kit)
    }

    fn add_heap(&mut self, archive: &'data [u8]) -> Result<(), Error> {
        let damaged = |error: object::read::Error| Error::Link {
            member: "the archive with the heap".to_owned(),
            reason: error.to_string(),
        };
        let file = ArchiveFile::parse(archive).map_err(damaged)?;
        let mut members = BTreeMap::new();
        for symbol in file.symbols().map_err(damaged)?.into_iter().flatten() {
            let symbol = symbol.map_err(damaged)?;
            let is = |names: &[&str]| names.iter().any(|name| name.as_bytes() == symbol.name());
            match (is(ROOTS), is(STATELESS)) {
                (true, _) => _ = members.insert(symbol.offset().0, HEAP),
                (_, true) => _ = members.entry(symbol.offset().0).or_insert(LIBC),
                _ => {}
            }
        }
        for (offset, family) in members {
            let member = file.member(object::read::archive::ArchiveOffset(offset)).map_err(damaged)?;
            let name = String::from_utf8_lossy(member.name()).into_owned();
            self.add(
                name,
                family,
                ElfFile64::parse(member.data(archive).map_err(damaged)?).map_err(damaged)?,
            );
        }
        Ok(())
    }

    /// The functions that members of a family hold, also for themselves alone.
    pub fn functions_of(&self, family: &str) -> impl Iterator<Item = &str> {
        let members = self.members.iter().filter(move |member| member.family == family);
        let functions = members
            .flat_map(|member| member.file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text));
        functions.filter_map(|symbol| symbol.name().ok())
    }

    /// The size of what the kit defines by this name, in bytes.
    pub fn size(&self, name: &str) -> Option<u64> {
        let member = &self.members[*self.owners.get(name)?];
        let symbol = member.file.symbols().find(|symbol| symbol.name() == Ok(name))?;
        Some(symbol.size())
    }

    fn add(&mut self, name: String, family: &'static str, file: ElfFile64<'data>) {
        let mut member = Member { name, family, file, defines: Vec::new(), needs: Vec::new() };
        for symbol in member.file.symbols() {
            let Ok(name) = symbol.name().map(str::to_owned) else { continue };
            if symbol.is_local() || name.is_empty() {
                continue;
            }
            if symbol.is_undefined() {
                member.needs.push((name, symbol.is_weak()));
                continue;
            }
            self.owners.entry(name.clone()).or_insert(self.members.len());
            let function = symbol.kind() == SymbolKind::Text;
            member.defines.push(Definition { of_libc: !name.starts_with("__brawn_"), function, name });
        }
        self.members.push(member);
    }
}
