//! The objects of the kit, and what each defines and needs.

use std::collections::HashMap;

use brawn_elf::Arch;
use brawn_kit::{Functions, LEVEL_MEMBER};
use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSymbol as _, SymbolKind};

use crate::Error;

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

impl Kit<'static> {
    /// The objects for an architecture, with the string functions held to a level if one is named.
    pub fn load(arch: Arch, level: Option<&str>) -> Result<Kit<'static>, Error> {
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
        Ok(kit)
    }

    fn add(&mut self, name: String, family: &'static str, file: ElfFile64<'static>) {
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
