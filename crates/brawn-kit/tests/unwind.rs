//! Debuggers, profilers and unwinders find their way out of every function of the kit: each object has a table for
//! unwinding (`.eh_frame`) that covers all of its code. Whether the tables are right is seen where the functions run:
//! `tests/libc/unwind.c`. And the kit's own unwinder, among threads.

use brawn_elf::Arch;
use brawn_kit::{TRACE, allocator, allocators, library, library_names, names, strings};
use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SymbolKind, elf,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// What functions begin at a multiple of, at most: gaps between them are shorter.
const ALIGNMENT: u64 = 64;

/// The code that the table describes, by section.
type Covered = HashMap<SectionIndex, Vec<Range<u64>>>;

fn word(data: &[u8], at: usize) -> usize {
    u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes")) as usize
}

/// Reads the table as unwinders do.
fn covered(what: &str, file: &ElfFile64<'_>) -> Covered {
    let mut covered = Covered::new();
    let table = file.section_by_name(".eh_frame").unwrap_or_else(|| panic!("{what} has no .eh_frame"));
    let data = table.data().expect("its contents");
    let relocations: BTreeMap<u64, object::Relocation> = table.relocations().collect();
    let mut used = 0;
    let mut start = 0;
    while start < data.len() {
        let (end, back) = (start + 4 + word(data, start), word(data, start + 4));
        if back == 0 {
            // The form that every reader knows: addresses of four bytes, counted from where they stand.
            assert_eq!((data[start + 8], &data[start + 9..start + 12]), (1, b"zR\0".as_slice()), "{what}");
        } else {
            let shared = start + 4 - back;
            assert_eq!(word(data, shared + 4), 0, "{what}: the entry at {start} belongs to none");
            let place = start as u64 + 8;
            let relocation = relocations.get(&place).unwrap_or_else(|| panic!("{what}: {start}"));
            used += 1;
            let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("{what}") };
            let relative = [elf::R_X86_64_PC32, elf::R_AARCH64_PREL32];
            assert!(relative.contains(&r_type), "{what}: a relocation of type {}", r_type.0);
            let RelocationTarget::Symbol(index) = relocation.target() else { panic!("{what}: no symbol") };
            let symbol = file.symbol_by_index(index).expect("its symbol");
            let section = symbol.section_index().unwrap_or_else(|| panic!("{what}: code of another object"));
            let from = symbol.address().wrapping_add_signed(relocation.addend());
            let length = word(data, start + 12) as u64;
            covered.entry(section).or_default().push(from..from + length);
        }
        start = end;
    }
    assert_eq!(used, relocations.len(), "{what}: relocations that belong to no function");
    covered.values_mut().for_each(|ranges| ranges.sort_by_key(|range| range.start));
    covered
}

/// Checks one object, and returns how many functions it has.
fn check(what: &str, bytes: &[u8]) -> usize {
    let file = ElfFile64::<object::Endianness>::parse(bytes).expect("an ELF object");
    let covered = covered(what, &file);
    let mut functions = 0;
    for symbol in file.symbols().filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text)
    {
        let name = symbol.name().expect("a name");
        let section = symbol.section_index().expect("its section");
        let code = symbol.address()..symbol.address() + symbol.size();
        let all = covered.get(&section).is_some_and(|ranges| {
            ranges.iter().any(|range| range.start <= code.start && code.end <= range.end)
        });
        assert!(!code.is_empty() && all, "{what}: no entry covers {name}, {code:?}");
        functions += 1;
    }
    // And what has no symbol.
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { panic!("{what}") };
        if !sh_flags.contains(elf::SHF_EXECINSTR) || section.size() == 0 {
            continue;
        }
        let name = section.name().expect("a name");
        let ranges = covered.get(&section.index()).unwrap_or_else(|| panic!("{what}: nothing covers {name}"));
        let starts = ranges.iter().map(|range| range.start).chain([section.size()]);
        let ends = [0].into_iter().chain(ranges.iter().map(|range| range.end));
        for (end, start) in ends.zip(starts) {
            assert!(end <= start, "{what}: two entries cover {name} at {start}");
            let gap = start - end;
            assert!(
                gap < ALIGNMENT && (end > 0 || gap == 0),
                "{what}: no entry covers {name}, {end}..{start}"
            );
        }
    }
    functions
}

#[test]
fn every_function_of_every_heap_can_be_unwound() {
    for arch in Arch::ALL {
        for allocator in allocators().iter().chain(allocator(TRACE)) {
            let what = format!("{} on {arch}", allocator.name);
            let object = allocator.object(arch).expect("tests have every architecture");
            assert!(check(&what, object.file.bytes()) > 5, "{what}");
        }
        for set in names(arch) {
            let what = format!("the names of {} on {arch}", set.heap);
            assert!(check(&what, set.file.bytes()) >= set.names.len(), "{what}");
        }
    }
}

#[test]
fn every_string_function_can_be_unwound() {
    for arch in Arch::ALL {
        for cpu in brawn_kit::Cpu::of(arch).map(Some).chain([None]) {
            let set = strings(arch, cpu).expect("a set");
            let archive = ArchiveFile::parse(set.archive.bytes()).expect("an archive");
            let mut functions = 0;
            for member in archive.members() {
                let member = member.expect("a member");
                let what = format!("{} on {arch}, {cpu:?}", String::from_utf8_lossy(member.name()));
                functions += check(&what, member.data(set.archive.bytes()).expect("its data"));
            }
            assert!(functions > 60, "{functions} on {arch}, {cpu:?}");
            for level in set.levels {
                check(level.name, level.file.bytes());
            }
        }
    }
}

/// A preloaded library is found by its sorted index of the table.
#[test]
fn preloaded_libraries_have_the_table_and_its_index() {
    for arch in Arch::ALL {
        for name in library_names() {
            let library = library(name, arch).expect("a library");
            let bytes = library.file(true, None);
            let file = ElfFile64::<object::Endianness>::parse(bytes.as_slice()).expect("an ELF file");
            let size = |name| file.section_by_name(name).map_or(0, |section| section.size());
            assert!(size(".eh_frame") > 1000 && size(".eh_frame_hdr") > 200, "{name} on {arch}");
            let headers = file.elf_program_headers();
            let index = |header: &&elf::ProgramHeader64<object::Endianness>| {
                header.p_type.get(file.endian()) == elf::PT_GNU_EH_FRAME
            };
            assert_eq!(headers.iter().filter(index).count(), 1, "{name} on {arch}");
        }
    }
}

/// The unwinder as a part of a glibc program: what it keeps, it finds while other threads do.
#[test]
fn the_thread_sanitizer_sees_no_race_of_first_throws() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/unwind");
    let folder = tempfile::tempdir().expect("a folder");
    let ok = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output().expect("it starts");
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success(), "{command:?}: {}{}", text[0], text[1]);
        text[0].clone()
    };
    let flags = ["-g", "-O1", "-fsanitize=thread", "-Wno-tsan", "-fexceptions", "-fno-pie", "-D_GNU_SOURCE"];
    let parts = ["unwind", "eh_find", "eh_frame", "eh_rules", "eh_registered", "eh_register"];
    let files = parts.map(|part| sources.join(part).with_extension("c"));
    ok(Command::new("gcc").args(flags).arg("-c").args(files));
    let mut link = Command::new("g++");
    link.args(flags).args(["-no-pie", "-static-libstdc++", "-static-libgcc", "-Wl,--eh-frame-hdr"]);
    link.arg(sources.join("test/races.cc")).args(parts.map(|part| format!("{part}.o")));
    ok(link.args(["-o", "races", "-Wl,-Map=map"]));
    let map = fs_err::read_to_string(folder.path().join("map")).expect("the map");
    assert!(map.contains("eh_frame.o") && !map.contains("unwind-dw2.o"));
    // What is first, is first once.
    for _ in 0..10 {
        assert_eq!(ok(&mut Command::new(folder.path().join("races"))), "whole\n");
    }
}
