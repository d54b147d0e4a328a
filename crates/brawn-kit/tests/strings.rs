//! The string functions that the kit carries: which there are, and that each object keeps its contract.

use std::collections::{BTreeMap, BTreeSet};

use brawn_elf::Arch;
use brawn_kit::{Cpu, LEVEL_MEMBER, START_MEMBER, START_OF_MUSL, Strings, level_names, strings};
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind};

mod common;

const SETS: [(Arch, Option<Cpu>); 4] = [
    (Arch::X86_64, None),
    (Arch::X86_64, Some(Cpu::X86_64V3)),
    (Arch::X86_64, Some(Cpu::X86_64V4)),
    (Arch::Aarch64, None),
];

fn sets() -> impl Iterator<Item = &'static Strings> {
    SETS.into_iter().map(|(arch, cpu)| strings(arch, cpu).expect("a set of the kit"))
}

fn members(set: &'static Strings) -> BTreeMap<String, ElfFile64<'static>> {
    common::members(&set.archive)
}

#[test]
fn every_set_has_the_same_functions() {
    // musl has `__memcpy_fwd` on x86_64 alone, where memmove jumps to it.
    let names = |set| -> BTreeSet<(String, bool)> {
        let visible = members(set).into_values().flat_map(|file| common::defined(&file).0);
        visible.filter(|(name, _)| name != "__memcpy_fwd").collect()
    };
    let first = names(sets().next().expect("a set"));
    assert!(first.iter().any(|(name, _)| name == "memchr"));
    for set in sets() {
        assert_eq!(names(set), first, "{:?}", (set.arch, set.cpu));
    }
}

#[test]
fn musl_defines_each_with_the_same_binding() {
    for set in sets() {
        common::musl_defines_the_same(set.arch, &set.archive, |_| true);
    }
}

#[test]
fn what_an_object_needs_is_in_the_set_or_in_musl() {
    for set in sets() {
        let files = members(set);
        let here: BTreeSet<String> = files
            .values()
            .flat_map(|file| {
                let (visible, hidden) = common::defined(file);
                visible.into_iter().map(|(name, _)| name).chain(hidden)
            })
            .collect();
        for (member, file) in &files {
            for symbol in file.symbols().filter(|symbol| symbol.is_undefined()) {
                let name = symbol.name().expect("a name");
                let known = name.is_empty()
                    || here.contains(name)
                    || ["malloc", "_GLOBAL_OFFSET_TABLE_"].contains(&name)
                    || member == START_MEMBER && name == START_OF_MUSL;
                assert!(known, "{member} on {} needs {name}", set.arch);
            }
        }
    }
}

#[test]
fn no_object_needs_help_to_start() {
    for set in sets() {
        common::needs_no_help_to_start(&set.archive, true);
    }
}

#[test]
fn a_set_for_any_processor_can_be_held_to_each_level() {
    assert_eq!(level_names().collect::<Vec<_>>(), ["sse2", "avx2", "avx512"]);
    for set in sets() {
        let dispatches = set.arch == Arch::X86_64 && set.cpu.is_none();
        assert_eq!(members(set).contains_key(LEVEL_MEMBER), dispatches);
        assert_eq!(set.levels.len(), if dispatches { 3 } else { 0 });
    }
    let set = strings(Arch::X86_64, None).expect("a set");
    let mut values = Vec::new();
    for level in set.levels {
        let file = ElfFile64::<object::Endianness>::parse(level.file.bytes()).expect("an ELF object");
        let symbol = file.symbol_by_name("__brawn_string_level_max").expect("the knob");
        let section = file.section_by_index(symbol.section_index().expect("defined")).expect("its section");
        values.push(section.data().expect("its data")[usize::try_from(symbol.address()).expect("an offset")]);
    }
    assert_eq!(values, [1, 2, 3]);
}

/// The bytes of a table for unwinding that speak of functions. What stands before them in every object is the same, and
/// linkers keep it once: it goes to `heads`.
fn table_of_functions(data: &[u8], heads: &mut BTreeSet<Vec<u8>>) -> usize {
    let (mut start, mut bytes) = (0, 0);
    let word = |at: usize| u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"));
    while start < data.len() && word(start) != 0 {
        let end = start + 4 + word(start) as usize;
        if word(start + 4) == 0 {
            heads.insert(data[start..end].to_vec());
        } else {
            bytes += end - start;
        }
        start = end;
    }
    bytes
}

/// What a program would carry that calls every string function there is, in bytes: code and constants, and tables for
/// unwinding, which nothing reads before something unwinds.
#[test]
fn all_functions_together_keep_within_their_size() {
    // At most 42 KB, of all levels together. The others have been reached, and 2 % more is allowed, so
    // that the sets do not grow unseen.
    let reached = [(41_824, 6_280), (23_459, 3_890), (23_868, 4_024), (22_204, 2_812)];
    for (set, (reached, tables_reached)) in sets().zip(reached) {
        let (mut size, mut tables) = (0, 0);
        let mut heads = BTreeSet::new();
        for section in members(set).values().flat_map(|file| file.sections()) {
            match section.kind() {
                _ if section.name() == Ok(".eh_frame") => {
                    tables += table_of_functions(section.data().expect("its data"), &mut heads);
                }
                SectionKind::Text | SectionKind::ReadOnlyData => size += section.size(),
                _ => {}
            }
        }
        tables += heads.iter().map(Vec::len).sum::<usize>();
        let most_tables = tables_reached + tables_reached / 50;
        assert!(tables > 0 && tables <= most_tables, "{tables} bytes, more than {most_tables}");
        assert!(size > reached / 2, "{size} bytes for {:?} are too few to be all", (set.arch, set.cpu));
        let most = (reached + reached / 50).min(42_000);
        assert!(size <= most, "{size} bytes, more than {most}, for {:?}", (set.arch, set.cpu));
    }
}

#[test]
fn processors_are_named_as_compilers_name_them() {
    for cpu in Cpu::ALL {
        assert_eq!(Cpu::from_name(cpu.name()), Some(cpu));
    }
    assert_eq!(Cpu::of(Arch::X86_64).collect::<Vec<_>>(), Cpu::ALL);
    assert_eq!(Cpu::of(Arch::Aarch64).count(), 0);
}

/// A program pays with at most 100 bytes of code for the line that it ends with on a processor below its own.
#[test]
fn the_look_at_the_processor_when_a_program_starts_is_small() {
    for set in sets() {
        let start = members(set).remove(START_MEMBER);
        assert_eq!(start.is_some(), set.cpu.is_some());
        let code = start.iter().flat_map(|file| file.sections()).filter(|s| s.kind() == SectionKind::Text);
        let bytes: u64 = code.map(|section| section.size()).sum();
        assert!(bytes <= 100, "{bytes} bytes");
    }
}
