//! Every object of the kit keeps its contract. The build script has checked it already; here it is read back with
//! other eyes, from the bytes that the library carries.

use brawn_elf::Arch;
use brawn_kit::{Allocator, Object, allocator, allocators};
use brawn_kit_build::family::{Family, TABLE};
use brawn_kit_build::table::{self, Recipe};
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, elf};
use std::collections::BTreeSet;

fn every_object() -> impl Iterator<Item = (&'static str, &'static Object)> {
    allocators().iter().flat_map(|allocator| {
        Arch::ALL.into_iter().map(move |arch| (allocator.name, object(allocator, arch)))
    })
}

/// The table that the kit is built from.
fn rows() -> Vec<Recipe> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/malloc");
    table::read(&folder).expect("the table")
}

fn row(name: &str) -> Recipe {
    rows().into_iter().find(|row| row.name == name).expect("a row for every object")
}

fn object(allocator: &'static Allocator, arch: Arch) -> &'static Object {
    allocator.object(arch).expect("tests have every architecture")
}

fn read(object: &'static Object) -> ElfFile64<'static> {
    ElfFile64::parse(object.file.bytes()).expect("an ELF object")
}

#[test]
fn the_allocators_are_here() {
    let rows = rows();
    let listed = rows.iter().filter(|row| row.listed).map(|row| row.name.as_str());
    assert!(allocators().iter().map(|allocator| allocator.name).eq(listed));
    for row in &rows {
        let found = allocator(&row.name).expect("every name is found");
        assert_eq!((found.secure, found.on_mallocng), (row.secure, row.family.is_on_mallocng()));
        for arch in Arch::ALL {
            assert_eq!(brawn_kit::library(&row.name, arch).is_some(), row.preload, "{}", row.name);
        }
    }
    assert!(
        brawn_kit::library_names().eq(rows.iter().filter(|row| row.preload).map(|row| row.name.as_str()))
    );
    assert!(allocator("malloc").is_none());
    let counting = allocator(brawn_kit::TRACE).expect("the heap that counts is found by its name");
    assert!(allocators().iter().all(|listed| listed.name != counting.name), "and in no list");
}

#[test]
fn each_is_for_its_architecture() {
    for (name, object) in every_object() {
        let file = read(object);
        assert_eq!(file.elf_header().e_machine.get(file.endian()).0, object.arch.elf_machine(), "{name}");
        assert_eq!(file.elf_header().e_type.get(file.endian()), elf::ET_REL, "{name}");
        assert_eq!(object.member_name, format!("brawn-{name}.o"));
    }
    for allocator in allocators() {
        for arch in Arch::ALL {
            assert_eq!(object(allocator, arch).arch, arch, "{}", allocator.name);
        }
    }
}

/// A walk that begins right behind a call of such code ends there.
#[test]
fn no_code_is_outlined() {
    for (name, object) in every_object() {
        let file = read(object);
        let mut names = file.symbols().filter_map(|symbol| symbol.name().ok());
        assert_eq!(names.find(|name| name.contains("OUTLINED")), None, "{name} {}", object.arch);
    }
}

#[test]
fn only_the_malloc_family_is_visible() {
    for (name, object) in every_object() {
        let file = read(object);
        let visible: Vec<_> =
            file.symbols().filter(|symbol| symbol.is_definition() && symbol.is_global()).collect();
        let mut names: Vec<_> = visible.iter().map(|symbol| symbol.name().expect("a name")).collect();
        names.sort_unstable();
        assert_eq!(names, object.exports, "{name} {}", object.arch);
        assert_eq!(names, row(name).family.symbols().exports, "{name} {}", object.arch);
        for symbol in visible {
            let replaceable = !symbol.name().expect("a name").starts_with("__");
            assert_eq!(symbol.is_weak(), replaceable, "{name}: {:?}", symbol.name());
        }
    }
}

/// What takes the place of a crate's allocator defines the names of the table, needs what is in a musl, and is no heap.
#[test]
fn the_names_of_crates_are_there_and_nothing_else() {
    for arch in Arch::ALL {
        let sets: Vec<_> = brawn_kit::names(arch).collect();
        assert_eq!(sets.len(), TABLE.names.len());
        for (set, row) in sets.into_iter().zip(&TABLE.names) {
            let expected: Vec<String> =
                row.names.iter().map(|name| format!("{}{name}", row.prefix)).collect();
            assert_eq!(set.names, expected, "{arch}");
            assert!(set.has(&expected[0]) && !set.has("malloc") && set.names.is_sorted());
            let file: ElfFile64<'_> = ElfFile64::parse(set.file.bytes()).expect("an ELF file");
            let mut defined: Vec<_> = file
                .symbols()
                .filter(|symbol| symbol.is_definition() && symbol.is_global())
                .map(|symbol| symbol.name().expect("a name").to_owned())
                .collect();
            defined.sort_unstable();
            assert_eq!(defined, expected, "{arch}");
            let allowed = |name: &str| name.is_empty() || TABLE.of_names.imports.contains(&name);
            let needed = file.symbols().filter(|symbol| symbol.is_undefined());
            assert!(needed.map(|symbol| symbol.name().expect("a name")).all(allowed), "{} {arch}", row.heap);
            for text in [&b"brawn-kit: "[..], env!("CARGO_MANIFEST_DIR").as_bytes()] {
                assert!(set.file.bytes().windows(text.len()).all(|window| window != text));
            }
        }
    }
}

#[test]
fn what_they_need_is_what_they_say() {
    for (name, object) in every_object() {
        let file = read(object);
        let undefined = file.symbols().filter(|symbol| symbol.is_undefined());
        let mut names: Vec<_> = undefined.map(|symbol| symbol.name().expect("a name")).collect();
        names.retain(|name| !name.is_empty());
        names.sort_unstable();
        assert_eq!(names, object.imports, "{name} {}", object.arch);
    }
}

#[test]
fn every_import_is_in_the_musl_that_comes_with_rust() {
    // Asked of the libc.a itself where the target is installed; `make setup` installs both.
    for arch in Arch::ALL {
        let Some(archive) = common::rustup_libc(arch) else {
            common::skip(&format!("the rustup target {} is not installed", arch.musl_triple()));
            continue;
        };
        let defined = common::defined_in(&archive);
        for (name, object) in every_object().filter(|(_, object)| object.arch == arch) {
            for import in object.imports {
                assert!(
                    *import == "_GLOBAL_OFFSET_TABLE_" || defined.contains(*import),
                    "{name} {arch} needs {import}"
                );
            }
        }
    }
}

#[test]
fn the_marker_is_in_read_only_data_of_its_own() {
    for allocator in allocators() {
        for arch in Arch::ALL {
            let file = read(object(allocator, arch));
            let section = file.section_by_name(".rodata.brawn_kit").expect("the section of the marker");
            let marker = format!("brawn-kit: {} {}\0", allocator.name, row(allocator.name).marked_version());
            assert_eq!(section.data().expect("data"), marker.as_bytes());
            let object::SectionFlags::Elf { sh_flags, .. } = section.flags() else {
                panic!("an ELF section")
            };
            assert_eq!(sh_flags, elf::SHF_ALLOC, "neither writable nor mergeable");
        }
    }
}

#[test]
fn thread_local_storage_is_local_exec() {
    for (name, object) in every_object() {
        let file = read(object);
        let mut types = BTreeSet::new();
        for section in file.sections() {
            for (_, relocation) in section.relocations() {
                if let RelocationFlags::Elf { r_type } = relocation.flags() {
                    types.insert(r_type.0);
                }
            }
        }
        let (local_exec, others): (Vec<u32>, Vec<u32>) = match object.arch {
            // TPOFF32, TPOFF64; the general and local dynamic ones, initial-exec, and descriptors.
            Arch::X86_64 => (vec![18, 23], vec![16, 17, 19, 20, 21, 22, 34, 35, 36]),
            Arch::Aarch64 => (
                (544..=559).chain([570, 571]).collect(),
                (512..544).chain(560..570).chain(572..574).collect(),
            ),
        };
        assert!(local_exec.iter().any(|r_type| types.contains(r_type)), "{name} {}: {types:?}", object.arch);
        assert!(!others.iter().any(|r_type| types.contains(r_type)), "{name} {}: {types:?}", object.arch);
    }
}

#[test]
fn no_ifunc_no_debug_information_and_one_constructor() {
    for (name, object) in every_object() {
        let file = read(object);
        for symbol in file.elf_symbol_table().symbols() {
            assert_ne!(symbol.st_info.st_type(), elf::STT_GNU_IFUNC, "{name}");
        }
        let sections: Vec<_> =
            file.sections().map(|section| section.name().expect("a name").to_owned()).collect();
        let with = |prefix: &str| sections.iter().filter(|section| section.starts_with(prefix)).count();
        assert_eq!(with(".debug"), 0, "{name}");
        assert_eq!(with(".eh_frame"), 1, "{name}");
        assert_eq!(with(".comment"), 0, "{name}");
        assert_eq!(
            with(".group"),
            0,
            "{name}: another copy of snmalloc in a program must not take its place"
        );
        // Most are best initialised by the main thread; the Brawn heap begins with the first call.
        let front = row(name).family != Family::Heap;
        assert_eq!(with(".init_array"), usize::from(!front), "{name}");
        // And says at the end what it did, if a knob asks for that.
        assert_eq!(with(".fini_array"), usize::from(front), "{name}");
        assert_eq!(with(".note.GNU-stack"), 1, "{name}: a stack that is not executable");
    }
}

#[test]
fn no_path_of_the_build_machine() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    for (name, object) in every_object() {
        for path in [root, "/.cargo/", "/registry/", "/target/", "/home/"] {
            let found = object.file.bytes().windows(path.len()).any(|window| window == path.as_bytes());
            assert!(!found, "{name} {} holds {path}", object.arch);
        }
        assert!(object.flags.iter().all(|flag| !flag.contains('/')), "{name}: {:?}", object.flags);
        assert!(!object.compiler.contains('/'), "{name}: {}", object.compiler);
    }
}

mod common;
