//! Makes signatures of a static library.

use std::collections::{BTreeMap, HashMap};

use brawn_elf::Arch;
use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget, SectionIndex, elf,
};

use crate::field::Field;
use crate::signature::{Link, Name, Signature, Signatures, Source, digest};
use crate::{Error, anchor};

type Elf<'data> = ElfFile64<'data, object::Endianness>;
/// A section and an offset in it.
type Key = (usize, u64);

/// The signatures of all functions in a static library; `label` says whose it is.
///
/// # Errors
/// [`Error::Archive`] for what is none, is empty, or is for several architectures.
pub fn extract(data: &[u8], label: &str) -> Result<Signatures, Error> {
    let bad = |what: String| Error::Archive { what };
    let file = ArchiveFile::parse(data).map_err(|error| bad(error.to_string()))?;
    let mut members: Vec<(String, Elf<'_>)> = Vec::new();
    for member in file.members() {
        let member = member.map_err(|error| bad(error.to_string()))?;
        let bytes = member.data(data).map_err(|error| bad(error.to_string()))?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let file = Elf::parse(bytes).map_err(|error| bad(format!("its member {name}: {error}")))?;
        let stem = name.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
        let again = members.iter().filter(|(other, _)| other.split('+').next() == Some(stem)).count();
        members.push((if again == 0 { stem.to_owned() } else { format!("{stem}+{again}") }, file));
    }
    let machine = |file: &Elf<'_>| file.elf_header().e_machine.get(file.endian()).0;
    let first = members.first().map(|(_, file)| machine(file)).ok_or_else(|| bad("it is empty".into()))?;
    let arch = Arch::from_elf_machine(first).ok_or_else(|| bad(format!("it is for ELF machine {first}")))?;
    if members.iter().any(|(_, file)| machine(file) != first) {
        return Err(bad("it is for several architectures".into()));
    }
    let version = members.iter().find_map(|(_, file)| version(file)).unwrap_or_else(|| "-".into());
    let mut signatures = Signatures::empty(arch);
    signatures.archives.push(Source { version, label: label.to_owned() });
    let mut numbers = HashMap::new();
    let mut functions = Vec::new();
    for (stem, file) in &members {
        let mut member = Member { stem, file, arch, numbers: &mut numbers, names: &mut signatures.names };
        functions.extend(member.functions().map_err(|error| bad(format!("{stem}: {error}")))?);
    }
    anchor::choose(&mut functions, arch);
    signatures.functions = functions.into_iter().map(|(function, _)| function).collect();
    Ok(signatures)
}

fn is_code<'data>(section: &impl object::ObjectSection<'data>) -> bool {
    section.kind() == object::SectionKind::Text
}

fn version(file: &Elf<'_>) -> Option<String> {
    let symbol =
        file.symbols().find(|symbol| symbol.name() == Ok("__libc_version") && !symbol.is_undefined())?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let text = section.data().ok()?.get(usize::try_from(symbol.address()).ok()?..)?;
    let text = std::str::from_utf8(text.split(|byte| *byte == 0).next()?).ok()?;
    text.starts_with(|first: char| first.is_ascii_digit())
        .then(|| text.split(' ').next().unwrap_or_default().to_owned())
}

struct Member<'a, 'data> {
    stem: &'a str,
    file: &'a Elf<'data>,
    arch: Arch,
    numbers: &'a mut HashMap<String, u32>,
    names: &'a mut Vec<String>,
}

/// A place in a member with its names.
#[derive(Default)]
struct Place {
    global: Vec<(String, bool)>,
    local: Option<String>,
    size: u64,
}

impl<'data> Member<'_, 'data> {
    fn number(&mut self, name: String) -> u32 {
        *self.numbers.entry(name.clone()).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }

    fn functions(&mut self) -> object::Result<Vec<(Signature, &'data [u8])>> {
        let mut places: BTreeMap<Key, Place> = BTreeMap::new();
        for symbol in self.file.symbols() {
            let Some(section) = symbol.section_index().filter(|_| symbol.kind() == object::SymbolKind::Text)
            else {
                continue;
            };
            let place = places.entry((section.0, symbol.address())).or_default();
            place.size = place.size.max(symbol.size());
            let name = symbol.name()?.to_owned();
            if symbol.is_global() {
                place.global.push((name, symbol.is_weak()))
            } else {
                place.local = Some(name)
            }
        }
        // A second name that assembly gives no type, as `__memcpy_fwd_alias_1`.
        for symbol in self.file.symbols().filter(|symbol| symbol.is_global()) {
            if symbol.kind() != object::SymbolKind::Text
                && let Some(section) = symbol.section_index()
                && let Some(place) = places.get_mut(&(section.0, symbol.address()))
            {
                place.global.push((symbol.name()?.to_owned(), symbol.is_weak()));
            }
        }
        let ends: Vec<Key> = places.keys().copied().collect();
        let names: HashMap<Key, String> =
            places.iter().map(|(at, place)| (*at, self.name_of(place))).collect();
        let member = self.number(format!("{}/", self.stem));
        let mut functions = Vec::new();
        for (at, (key, place)) in places.iter().enumerate() {
            let section = self.file.section_by_index(SectionIndex(key.0))?;
            let code = section.data()?;
            // Assembly states no sizes: a function goes on to the next one.
            let next =
                ends.get(at + 1).filter(|next| next.0 == key.0).map_or(code.len() as u64, |next| next.1);
            let end = if place.size == 0 { next } else { key.1 + place.size };
            let (Ok(start), Ok(end)) = (usize::try_from(key.1), usize::try_from(end)) else { continue };
            let Some(code) = code.get(start..end).filter(|code| !code.is_empty()) else { continue };
            let links = self.links(&section, key.1..end as u64, &names)?;
            let mut own: Vec<Name> = if place.global.is_empty() {
                vec![Name { id: self.number(self.name_of(place)), weak: false }]
            } else {
                place
                    .global
                    .iter()
                    .map(|(name, weak)| Name { id: self.number(name.clone()), weak: *weak })
                    .collect()
            };
            own.sort();
            let mut masked = vec![false; code.len()];
            for link in &links {
                let range = link.field.bytes(self.arch, link.offset as usize);
                masked[range.start.min(code.len())..range.end.min(code.len())].fill(true);
            }
            let aligned = section.align().trailing_zeros().min(start.trailing_zeros()).min(12);
            let signature = Signature {
                names: own,
                place: (member, at as u32),
                size: code.len() as u32,
                fixed: masked.iter().filter(|masked| !**masked).count() as u32,
                align: aligned as u8,
                anchor: None,
                digest: digest(self.arch, code, &links),
                links,
                archives: 1,
            };
            functions.push((signature, code));
        }
        Ok(functions)
    }

    /// The name by which other places refer to one: a global one if there is any.
    fn name_of(&self, place: &Place) -> String {
        match (place.global.iter().map(|(name, _)| name).min(), &place.local) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) => format!("{}/{name}", self.stem),
            (None, None) => format!("{}/?", self.stem),
        }
    }

    fn links<'d>(
        &mut self,
        section: &impl object::ObjectSection<'d>,
        range: std::ops::Range<u64>,
        places: &HashMap<Key, String>,
    ) -> object::Result<Vec<Link>> {
        let mut links = Vec::new();
        for (offset, relocation) in section.relocations().filter(|(offset, _)| range.contains(offset)) {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let field = Field::of(self.arch, r_type.0);
            let mut addend = relocation.addend();
            let name = match relocation.target() {
                _ if field == Field::Opaque => None,
                RelocationTarget::Symbol(index) => {
                    let symbol = self.file.symbol_by_index(index)?;
                    let home =
                        symbol.section_index().and_then(|index| self.file.section_by_index(index).ok());
                    self.target(&symbol, home.as_ref(), field, &mut addend, places)?
                }
                _ => None,
            };
            let target = name.map(|name| self.number(name));
            let addend = if target.is_some() { addend } else { field.usual_addend() };
            links.push(Link { offset: (offset - range.start) as u32, field, target, addend });
        }
        links.sort_by_key(|link| link.offset);
        Ok(links)
    }

    /// The name of what a field refers to, with the addend that goes with it.
    fn target<'d, S: object::ObjectSection<'d>>(
        &self,
        symbol: &impl object::ObjectSymbol<'d>,
        home: Option<&S>,
        field: Field,
        addend: &mut i64,
        places: &HashMap<Key, String>,
    ) -> object::Result<Option<String>> {
        if symbol.is_global() {
            return Ok(Some(symbol.name()?.to_owned()));
        }
        let (Some(home), Some(index)) = (home, symbol.section_index()) else { return Ok(None) };
        // Text that equals another's is kept once: its place is not the section's.
        let object::SectionFlags::Elf { sh_flags, .. } = home.flags() else { return Ok(None) };
        if sh_flags.0 & elf::SHF_MERGE.0 != 0 {
            return Ok(None);
        }
        let at = symbol.address().wrapping_add_signed(*addend - field.usual_addend());
        if is_code(home)
            && let Some(name) = places.get(&(index.0, at))
        {
            *addend = field.usual_addend();
            return Ok(Some(name.clone()));
        }
        *addend = addend.wrapping_add_unsigned(symbol.address());
        Ok(Some(format!("{}/{}", self.stem, home.name()?)))
    }
}
