//! Which functions work within a shared library: those that keep nothing which a libc keeps as well, and need nothing that a
//! libc does not show to programs.
//!
//! Behind many functions of the kit stands musl's own, for processors that lack an instruction and for rare arguments. A
//! library cannot call it by name, because that name is the kit's there; so it is copied from the libc.a that the library is
//! compiled against, with what it calls. That is done for mathematics alone, which reads nothing but its arguments: other
//! members read what the program's libc, perhaps of another version, keeps elsewhere (`errno` in a thread's descriptor).
//! What has data of its own to write is not copied either.

use std::collections::{BTreeSet, HashMap};

use brawn_kit::{BEHIND, Functions, behind};
use object::read::elf::ElfFile64;
use object::{
    Endianness, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget,
    SectionFlags, SymbolFlags, SymbolKind, elf,
};

use crate::archive::Member;

/// The family whose functions may bring copies of musl's along.
const COPIES: &str = "math";

/// The reserved names that every libc of musl's shows to programs.
pub(super) const SHOWN: &[&str] = &["__ctype_get_mb_cur_max", "__environ", "__errno_location"];

/// Relocations through which code reaches what another library defines.
const OUTSIDE: &[elf::RelocationType] = &[
    elf::R_X86_64_PLT32,
    elf::R_X86_64_GOTPCREL,
    elf::R_X86_64_GOTPCRELX,
    elf::R_X86_64_REX_GOTPCRELX,
    elf::R_X86_64_64,
];
const OUTSIDE_AARCH64: &[elf::RelocationType] = &[
    elf::R_AARCH64_CALL26,
    elf::R_AARCH64_JUMP26,
    elf::R_AARCH64_ADR_GOT_PAGE,
    elf::R_AARCH64_LD64_GOT_LO12_NC,
    elf::R_AARCH64_LD64_GOTPAGE_LO15,
    elf::R_AARCH64_ABS64,
];

/// Those that only an executable may have.
const OF_EXECUTABLES: &[elf::RelocationType] = &[
    elf::R_X86_64_32,
    elf::R_X86_64_32S,
    elf::R_X86_64_TPOFF32,
    elf::R_X86_64_TPOFF64,
    elf::R_X86_64_GOTTPOFF,
];
/// The same on aarch64: thread-local storage of the models initial-exec and local-exec.
const OF_EXECUTABLES_AARCH64: std::ops::Range<u32> =
    elf::R_AARCH64_TLSIE_MOVW_GOTTPREL_G1.0..elf::R_AARCH64_TLSDESC_LD_PREL19.0;

/// A libc.a, as code of musl's that may be copied from it.
#[derive(Default)]
pub struct Libc<'data> {
    members: Vec<Object<'data>>,
    /// Who defines a name.
    owners: HashMap<&'data str, usize>,
    /// The names that the libc.so made of the same objects shows, and whether each is a function.
    shown: HashMap<&'data str, bool>,
}

impl<'data> Libc<'data> {
    pub fn read(members: Vec<Member<'data>>) -> Self {
        let mut libc = Libc { members: members.into_iter().map(Object::of).collect(), ..Libc::default() };
        for (index, object) in libc.members.iter().enumerate() {
            let Ok(file) = ElfFile64::<Endianness>::parse(object.member.data) else { continue };
            for symbol in file.symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined()) {
                let Ok(name) = symbol.name() else { continue };
                libc.owners.entry(name).or_insert(index);
                if is_shown(symbol.flags()) {
                    libc.shown.insert(name, symbol.kind() == SymbolKind::Text);
                }
            }
        }
        libc
    }
}

/// Whether programs see a symbol with these flags.
pub fn is_shown<S, T>(flags: SymbolFlags<S, T>) -> bool {
    matches!(flags, SymbolFlags::Elf { st_other, .. } if st_other.0 & 3 == elf::STV_DEFAULT.0)
}

/// An object file, and what a shared library can do with it.
struct Object<'data> {
    member: Member<'data>,
    /// Whether it is compiled for executables alone.
    for_executables: bool,
    /// Whether it has data of its own to write.
    writes: bool,
    /// What it refers to in ways that lead nowhere outside of the library.
    within: BTreeSet<&'data str>,
}

impl<'data> Object<'data> {
    fn of(member: Member<'data>) -> Self {
        let mut object = Object { member, for_executables: false, writes: false, within: BTreeSet::new() };
        let Ok(file) = ElfFile64::<Endianness>::parse(object.member.data) else {
            object.for_executables = true;
            return object;
        };
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            if sh_flags.0 & elf::SHF_ALLOC.0 == 0 {
                continue;
            }
            let relocated = section.name().is_ok_and(|name| name.starts_with(".data.rel.ro"));
            object.writes |= sh_flags.0 & elf::SHF_WRITE.0 != 0 && section.size() > 0 && !relocated;
            for (_, relocation) in section.relocations() {
                let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
                let (outside, only) = match file.architecture() {
                    object::Architecture::Aarch64 => {
                        (OUTSIDE_AARCH64.contains(&r_type), OF_EXECUTABLES_AARCH64.contains(&r_type.0))
                    }
                    _ => (OUTSIDE.contains(&r_type), OF_EXECUTABLES.contains(&r_type)),
                };
                object.for_executables |= only;
                let RelocationTarget::Symbol(index) = relocation.target() else { continue };
                let symbol = file.symbol_by_index(index).ok().filter(|symbol| symbol.is_undefined());
                if let Some(Ok(name)) = symbol.filter(|_| !outside).map(|symbol| symbol.name()) {
                    object.within.insert(name);
                }
            }
        }
        object
    }
}

/// Where a name leads.
enum Home {
    Kit,
    Musl(usize),
    /// To the libc of the program.
    Program,
    Nowhere,
}

struct Chooser<'a, 'data> {
    kit: Vec<Object<'data>>,
    libc: &'a Libc<'data>,
    owners: HashMap<&'data str, usize>,
    /// What stays out, of the kit and of musl.
    out: [Vec<bool>; 2],
}

/// A member that comes along, and the names under which it is known there instead of its own.
pub type Carried<'data> = (Member<'data>, Vec<(&'data str, String)>);

/// The string functions, those of the kit's others that work, and what they need of musl's.
pub fn choose<'data>(
    strings: Vec<Member<'data>>,
    others: Vec<Member<'data>>,
    libc: Libc<'data>,
) -> Vec<Carried<'data>> {
    let first = strings.len();
    let kit: Vec<Object<'data>> = strings.into_iter().chain(others).map(Object::of).collect();
    let mut owners = HashMap::new();
    for (index, object) in kit.iter().enumerate() {
        for definition in &object.member.defined {
            owners.entry(definition.name).or_insert(index);
        }
    }
    // Data that a libc shows is the program's.
    let is_data = |object: &Object<'_>| {
        object.member.defined.iter().any(|definition| libc.shown.get(definition.name) == Some(&false))
    };
    let out = [
        kit.iter().map(|object| object.for_executables || is_data(object)).collect(),
        libc.members.iter().map(|object| object.for_executables || object.writes).collect(),
    ];
    let mut chooser = Chooser { kit, libc: &libc, owners, out };
    // The string functions always come.
    chooser.out[0][..first].fill(false);
    while chooser.find_lacking(first) {}
    let copied = chooser.copied();
    let Chooser { kit, out, .. } = chooser;
    let kept: Vec<Member<'data>> =
        kit.into_iter().zip(&out[0]).filter(|(_, out)| !**out).map(|(object, _)| object.member).collect();
    let ours: BTreeSet<&str> =
        kept.iter().flat_map(|member| &member.defined).map(|definition| definition.name).collect();
    let copies = libc.members.into_iter().enumerate().filter(|(index, _)| copied.contains(index));
    let copies: Vec<Carried<'data>> = copies
        .map(|(_, object)| {
            let names = object.member.defined.iter().map(|definition| definition.name);
            let moved = names.filter(|name| ours.contains(name)).map(|name| (name, behind(name)));
            let moved = moved.collect();
            (object.member, moved)
        })
        .collect();
    kept.into_iter().map(|member| (member, Vec::new())).chain(copies).collect()
}

impl<'data> Chooser<'_, 'data> {
    fn home(&self, name: &str) -> Home {
        let of_musl =
            |name: &str| self.libc.owners.get(name).map_or(Home::Nowhere, |index| Home::Musl(*index));
        if let Some(own) = name.strip_prefix(BEHIND) {
            return of_musl(own);
        }
        match self.owners.get(name) {
            Some(&index) if !self.out[0][index] => Home::Kit,
            _ if name == "_GLOBAL_OFFSET_TABLE_" => Home::Kit,
            _ if name.starts_with("__") && !SHOWN.contains(&name) => of_musl(name),
            _ if self.libc.shown.contains_key(name) => Home::Program,
            _ => of_musl(name),
        }
    }

    /// Takes out what needs something that is out, or does not reach it. Says whether anything was.
    fn find_lacking(&mut self, first: usize) -> bool {
        let lacks = |object: &Object<'_>, copies: bool| {
            object.member.needed.iter().any(|name| match self.home(name) {
                Home::Kit => false,
                Home::Musl(index) => !copies || self.out[1][index],
                Home::Program => object.within.contains(name),
                Home::Nowhere => true,
            })
        };
        let of_kit = |object: &Object<'_>| {
            let family = Functions::family_of(&object.member.name);
            lacks(object, family.is_some_and(|family| family.name == COPIES))
        };
        let kit = self.kit.iter().enumerate().skip(first).filter(|(index, _)| !self.out[0][*index]);
        let kit: Vec<usize> = kit.filter(|(_, object)| of_kit(object)).map(|(index, _)| index).collect();
        let musl = self.libc.members.iter().enumerate().filter(|(index, _)| !self.out[1][*index]);
        let musl: Vec<usize> =
            musl.filter(|(_, object)| lacks(object, true)).map(|(index, _)| index).collect();
        kit.iter().for_each(|index| self.out[0][*index] = true);
        musl.iter().for_each(|index| self.out[1][*index] = true);
        !kit.is_empty() || !musl.is_empty()
    }

    /// The members of musl's that what comes along needs, and these in turn.
    fn copied(&self) -> BTreeSet<usize> {
        let mut copied = BTreeSet::new();
        let of_kit = self.kit.iter().zip(&self.out[0]).filter(|(_, out)| !**out).map(|(object, _)| object);
        let mut open: Vec<&Object<'data>> = of_kit.collect();
        while let Some(object) = open.pop() {
            for name in &object.member.needed {
                if let Home::Musl(index) = self.home(name)
                    && copied.insert(index)
                {
                    open.push(&self.libc.members[index]);
                }
            }
        }
        copied
    }
}
