//! Makes a compiled object fit to be a member of somebody else's `libc.a`: everything local except what it is
//! meant to offer, and checked to need nothing that a musl `libc.a` lacks.

use crate::unwind;
use anyhow::{Context as _, Result, bail};
use object::build::Id as _;
use object::build::elf::{Builder, Section, SectionData, SectionId, Symbol};
use object::elf;
use std::collections::{BTreeMap, BTreeSet};

/// What an object may offer and need.
#[derive(Clone, Copy)]
pub struct Contract<'a> {
    /// The `e_machine` of the architecture.
    pub machine: elf::Machine,
    /// The symbols that it must define for others, no more and no less.
    pub exports: &'a [&'a str],
    /// The exports that a program may define itself instead: they become weak.
    pub weak: &'a [&'a str],
    /// The exports that only other objects of the kit use: they stay hidden.
    pub hidden: &'a [&'a str],
    /// The symbols that it may need from others.
    pub imports: &'a [&'a str],
    /// Whether it becomes a part of a shared library, whose thread-local storage the loader finds a place for: then
    /// initial-exec instead of local-exec.
    pub shared: bool,
    /// Bytes that must not occur anywhere: folders of the machine that builds.
    pub forbidden: &'a [&'a str],
}

impl<'a> Contract<'a> {
    /// The contract of a member of a libc.a: nothing is weak, hidden or forbidden.
    pub fn new(machine: elf::Machine, exports: &'a [&'a str], imports: &'a [&'a str]) -> Contract<'a> {
        Contract { machine, exports, weak: &[], hidden: &[], imports, shared: false, forbidden: &[] }
    }
}

/// An object that keeps its contract.
#[derive(Debug)]
pub struct Sealed {
    /// The ELF file.
    pub bytes: Vec<u8>,
    /// The symbols that it needs, sorted.
    pub imports: Vec<String>,
    /// Where in the file the section for knobs begins, if there is one.
    pub knobs_at: Option<usize>,
}

/// Rewrites a relocatable object: makes symbols local, drops what nothing exported leads to, and checks the rest
/// against the contract.
pub fn seal(object: &[u8], contract: &Contract<'_>) -> Result<Sealed> {
    let object = with_known_types(object);
    let mut builder = read(&object)?;
    if builder.header.e_machine != contract.machine {
        let (found, wanted) = (builder.header.e_machine.0, contract.machine.0);
        bail!("compiled for the machine {found}, not {wanted}");
    }
    let exported = localise(&mut builder, contract)?;
    if let Some(name) = contract.exports.iter().find(|name| !exported.contains_key(**name)) {
        bail!("does not define {name}, which the rest of libc needs");
    }
    prune(&mut builder, exported.values().copied())?;
    let imports = imports(&builder);
    let unknown = |name: &&String| !contract.imports.contains(&name.as_str());
    let unknown: Vec<&str> = imports.iter().filter(unknown).map(String::as_str).collect();
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        bail!("needs {unknown}, which a musl libc.a need not have");
    }
    check_sections(&builder, contract)?;
    let mut bytes = Vec::new();
    builder.write(&mut bytes).context(UNFIT)?;
    for path in contract.forbidden {
        if bytes.windows(path.len()).any(|window| window == path.as_bytes()) {
            bail!("holds the path {path} of the machine that built it");
        }
    }
    let knobs_at = section_start(&bytes, b".rodata.brawn_knobs")?;
    Ok(Sealed { bytes, imports, knobs_at })
}

/// Gives two types of section that the reader below does not know an ordinary one. Groups are for functions that several
/// objects may hold, of which the linker keeps one: ours are ours, and the sections that list them go like other notes.
/// Tables for unwinding have a type of their own on x86_64 that no linker insists on.
fn with_known_types(object: &[u8]) -> Vec<u8> {
    let mut bytes = object.to_vec();
    let number = |at: usize, size: usize| {
        let field = object.get(at..at + size).unwrap_or_default();
        field.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    };
    // e_shoff, e_shentsize and e_shnum of a 64-bit header; sh_type is the second field of a section's.
    let (table, entry, count) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    for at in (0..count).map(|index| table.saturating_add(index * entry).saturating_add(4)) {
        if [elf::SHT_GROUP, elf::SHT_X86_64_UNWIND].iter().any(|kind| number(at, 4) == kind.0 as usize) {
            bytes[at..at + 4].copy_from_slice(&elf::SHT_PROGBITS.0.to_le_bytes());
        }
    }
    bytes
}

const UNFIT: &str = "not an ELF object that can be rewritten";

fn read(object: &[u8]) -> Result<Builder<'_>> {
    Builder::read(object).context(UNFIT)
}

/// The offset of a section's contents in the file.
fn section_start(bytes: &[u8], name: &[u8]) -> Result<Option<usize>> {
    let builder = read(bytes)?;
    let found = builder.sections.iter().find(|section| section.name.as_slice() == name);
    Ok(found.map(|section| section.sh_offset as usize))
}

/// Makes every symbol local except the exports, and says in which sections those are.
fn localise(
    builder: &mut Builder<'_>,
    contract: &Contract<'_>,
) -> Result<BTreeMap<String, Option<SectionId>>> {
    let mut exported = BTreeMap::new();
    for symbol in &mut builder.symbols {
        let name = text(&symbol.name);
        let kind = symbol.st_type();
        if kind == elf::STT_GNU_IFUNC {
            bail!("{name} is an IFUNC, which a static executable of musl does not resolve");
        }
        if is_common(symbol) {
            bail!("{name} is a common symbol");
        }
        if symbol.st_bind() == elf::STB_LOCAL || is_undefined(symbol) {
            continue;
        }
        let hidden = contract.hidden.contains(&name.as_str());
        symbol.st_other = elf::SymbolOther(if hidden { elf::STV_HIDDEN.0 } else { elf::STV_DEFAULT.0 });
        let bind = if !contract.exports.contains(&name.as_str()) {
            elf::STB_LOCAL
        } else {
            exported.insert(name.clone(), symbol.section);
            if contract.weak.contains(&name.as_str()) { elf::STB_WEAK } else { elf::STB_GLOBAL }
        };
        symbol.set_st_info(bind, kind);
    }
    Ok(exported)
}

/// Drops every section of the program that nothing leads to from these ones, so that a linker without
/// `--gc-sections` gets no dead code, and no symbol is asked for that only dead code needs.
fn prune(builder: &mut Builder<'_>, roots: impl Iterator<Item = Option<SectionId>>) -> Result<()> {
    // From the index of each section to the sections that its relocations lead to.
    let mut edges: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for section in &builder.sections {
        if let (SectionData::Relocation(relocations), Some(from)) = (&section.data, section.sh_info_section) {
            let symbols = relocations.iter().filter_map(|relocation| relocation.symbol);
            let targets = symbols.filter_map(|id| builder.symbols.get(id).section).map(|id| id.index());
            edges.entry(from.index()).or_default().extend(targets);
        }
    }
    let is_constructor = |section: &&Section<'_>| {
        matches!(section.sh_type, elf::SHT_INIT_ARRAY | elf::SHT_FINI_ARRAY | elf::SHT_PREINIT_ARRAY)
    };
    let constructors = builder.sections.iter().filter(is_constructor).map(Section::id);
    let mut todo: Vec<usize> = roots.flatten().chain(constructors).map(|id| id.index()).collect();
    let mut reached: BTreeSet<usize> = todo.iter().copied().collect();
    while let Some(section) = todo.pop() {
        for target in edges.get(&section).into_iter().flatten() {
            if reached.insert(*target) {
                todo.push(*target);
            }
        }
    }
    let tables = unwind::keep(builder, &reached)?;
    for section in &mut builder.sections {
        section.sh_flags = elf::SectionFlags(section.sh_flags.0 & !elf::SHF_GROUP.0);
        if tables.contains(&section.id()) {
            continue;
        }
        section.delete = match section.data {
            SectionData::Relocation(_) => {
                section.sh_info_section.is_some_and(|id| !reached.contains(&id.index()))
            }
            _ if section.is_alloc() => !reached.contains(&section.id().index()),
            // Who compiled it is in the table of the kit; the marker of the stack must stay.
            _ => matches!(section.name.as_slice(), b".comment" | b".group"),
        };
    }
    builder.delete_orphans();
    let used: BTreeSet<usize> = builder
        .sections
        .iter()
        .filter_map(|section| match &section.data {
            SectionData::Relocation(relocations) => Some(relocations),
            _ => None,
        })
        .flatten()
        .filter_map(|relocation| relocation.symbol.map(|id| id.index()))
        .collect();
    for symbol in &mut builder.symbols {
        let useless = is_undefined(symbol) || symbol.st_type() == elf::STT_FILE;
        symbol.delete |= useless && !used.contains(&symbol.id().index());
    }
    Ok(())
}

/// The symbols that the object needs from others, sorted.
fn imports(builder: &Builder<'_>) -> Vec<String> {
    let undefined = builder.symbols.iter().filter(|symbol| is_undefined(symbol));
    let names: BTreeSet<String> = undefined.map(|symbol| text(&symbol.name)).collect();
    names.into_iter().collect()
}

fn check_sections(builder: &Builder<'_>, contract: &Contract<'_>) -> Result<()> {
    for section in &builder.sections {
        let name = text(&section.name);
        if name.contains(".debug") {
            bail!("the section {name} does not belong into the kit");
        }
        if let SectionData::Relocation(relocations) = &section.data
            && let Some(relocation) =
                relocations.iter().find(|relocation| is_other_tls(contract, relocation.r_type.0))
        {
            let r_type = relocation.r_type.0;
            bail!(
                "the section {name} has a relocation of type {r_type}, of the wrong model of thread-local storage"
            );
        }
    }
    Ok(())
}

fn text(name: &object::build::ByteString<'_>) -> String {
    String::from_utf8_lossy(name.as_slice()).into_owned()
}

fn is_undefined(symbol: &Symbol<'_>) -> bool {
    symbol.section.is_none() && symbol.st_shndx == elf::SHN_UNDEF
}

fn is_common(symbol: &Symbol<'_>) -> bool {
    symbol.section.is_none() && symbol.st_shndx == elf::SHN_COMMON
}

/// Whether a relocation belongs to another model of thread-local storage than the contract's: local-exec, the only
/// one that an executable needs no help for, or initial-exec, the only one that a library which is there from the
/// start needs no function of libc for.
fn is_other_tls(contract: &Contract<'_>, r_type: u32) -> bool {
    let relocation = elf::RelocationType(r_type);
    match contract.machine {
        elf::EM_X86_64 => match relocation {
            elf::R_X86_64_GOTTPOFF => !contract.shared,
            elf::R_X86_64_TPOFF32 | elf::R_X86_64_TPOFF64 => contract.shared,
            elf::R_X86_64_TLSGD
            | elf::R_X86_64_TLSLD
            | elf::R_X86_64_DTPOFF32
            | elf::R_X86_64_DTPOFF64
            | elf::R_X86_64_DTPMOD64
            | elf::R_X86_64_GOTPC32_TLSDESC
            | elf::R_X86_64_TLSDESC_CALL
            | elf::R_X86_64_TLSDESC => true,
            _ => false,
        },
        // The TLS relocations of AArch64 are numbered 512 to 573: initial-exec has 539 to 543, local-exec 544 to 559
        // and 570, 571.
        elf::EM_AARCH64 => match r_type {
            539..=543 => !contract.shared,
            544..=559 | 570 | 571 => contract.shared,
            512..=573 => true,
            _ => false,
        },
        _ => false,
    }
}
