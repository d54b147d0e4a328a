//! The functions by family: that each object keeps its contract with musl, and how large a family is.

use std::collections::{BTreeMap, BTreeSet};

use brawn_elf::Arch;
use brawn_kit::{FAMILIES, Functions, functions};
use brawn_kit_build::look;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind};

mod common;

fn sets() -> impl Iterator<Item = &'static Functions> {
    [Arch::X86_64, Arch::Aarch64].into_iter().map(|arch| functions(arch).expect("functions of the kit"))
}

#[test]
fn musl_defines_each_with_the_same_binding() {
    for set in sets() {
        common::musl_defines_the_same(set.arch, &set.archive, |member| !is_unwinder(member));
    }
}

/// Its names are not musl's, but of the libraries that compilers bring.
fn is_unwinder(member: &str) -> bool {
    ["brawn-unwind-unwind.o", "brawn-unwind-eh_register.o"].contains(&member)
}

/// What a program takes from the toolchain's unwinder beside ours must not bring a second one: an object of it that has
/// one of our names has no name that ours lacks.
#[test]
fn the_unwinder_is_whole() {
    for set in sets() {
        let members = common::members(&set.archive);
        let unwinder = members.iter().filter(|(member, _)| is_unwinder(member));
        let ours: Vec<_> = unwinder.flat_map(|(_, file)| common::defined(file).0).collect();
        assert!(ours.iter().all(|(_, weak)| !weak));
        let ours: BTreeSet<&str> = ours.iter().map(|(name, _)| name.as_str()).collect();
        let libc = common::rustup_libc(set.arch).expect("the musl target (`make setup` installs it)");
        let mut theirs = vec![libc.with_file_name("libunwind.a")];
        theirs.extend(common::of_gcc(set.arch, "libgcc_eh.a"));
        for library in theirs {
            let mut replaced = BTreeSet::new();
            for (member, names) in common::defined_by_member(&library) {
                // GCC 2 had it.
                let lacks = |name: &&String| !ours.contains(name.as_str()) && *name != "__frame_state_for";
                if names.iter().any(|name| ours.contains(name.as_str())) {
                    let lacking: Vec<_> = names.iter().filter(lacks).collect();
                    assert!(lacking.is_empty(), "{member} of {}: {lacking:?}", library.display());
                    replaced.extend(names);
                }
            }
            assert!(replaced.len() > 15, "{}: {replaced:?}", library.display());
        }
    }
}

#[test]
fn no_object_needs_help_to_start() {
    for set in sets() {
        common::needs_no_help_to_start(&set.archive, false);
    }
}

#[test]
fn every_member_is_of_one_family_and_every_family_has_members() {
    for set in sets() {
        let names = common::members(&set.archive).into_keys();
        let families: BTreeSet<&str> =
            names.map(|name| Functions::family_of(&name).expect("a family").name).collect();
        assert_eq!(families, FAMILIES.iter().map(|family| family.name).collect());
    }
    assert_eq!(Functions::family_of("brawn-string-strlen.o"), None);
    assert_eq!(Functions::family_of("getenv.lo"), None);
}

/// A family may be left to musl without the others, so nothing in it may need one of another.
#[test]
fn what_a_family_needs_it_has_itself_or_musl_has_it() {
    for set in sets() {
        let stock = common::defined_by_musl(set.arch);
        let members = common::members(&set.archive);
        let mut own: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (name, file) in &members {
            let (visible, hidden) = common::defined(file);
            let family = own.entry(Functions::family_of(name).expect("a family").name).or_default();
            family.extend(visible.into_iter().map(|(name, _)| name).chain(hidden));
        }
        for (member, file) in &members {
            let family = Functions::family_of(member).expect("a family");
            let own = &own[family.name];
            for symbol in file.symbols().filter(|symbol| symbol.is_undefined() && !symbol.is_weak()) {
                let name = symbol.name().expect("a name");
                let known = name.is_empty()
                    || name == "_GLOBAL_OFFSET_TABLE_"
                    || own.contains(name)
                    || family.behind.iter().any(|behind| brawn_kit::behind(behind) == name)
                    || family.structures.iter().any(|(structure, _)| *structure == name)
                    || stock.contains_key(name);
                assert!(known, "{member} on {} needs {name}", set.arch);
            }
        }
    }
}

/// What is compiled for FMA is in the same function as the look at the CPU, and none of its instructions may stand before
/// that: the build refuses such an object.
#[test]
fn nothing_stands_before_the_look_at_the_cpu() {
    let set = functions(Arch::X86_64).expect("functions of the kit");
    let mut looks = 0;
    for (member, file) in common::members(&set.archive) {
        let bytes = file.data();
        let found = look::comes_first(bytes).unwrap_or_else(|error| panic!("{member}: {error}"));
        looks += found;
        if found == 1 {
            // Another instruction in place of cmpb.
            let at = bytes.windows(2).position(|pair| pair == [0x80, 0x3d]).expect("the look");
            let mut spoilt = bytes.to_vec();
            spoilt[at] = 0xc5;
            look::comes_first(&spoilt).expect_err(&member);
        }
    }
    assert!(looks > 50, "{looks}");
}

/// What a program would carry that calls every function of a family, in bytes of code and constants.
#[test]
fn every_family_keeps_within_its_size() {
    let most: BTreeMap<&str, u64> = [
        ("environment", 5_600),
        ("locks", 5_500),
        ("math", 95_000),
        ("numbers", 27_200),
        ("regex", 32_000),
        ("sort", 8_000),
        ("stdio", 1_800),
        ("text", 31_000),
        ("threads", 1_700),
        ("time", 25_000),
        ("unwind", 17_000),
    ]
    .into();
    for set in sets() {
        let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
        for (member, file) in common::members(&set.archive) {
            let kept = |kind| matches!(kind, SectionKind::Text | SectionKind::ReadOnlyData);
            let sections = file.sections().filter(|section| {
                kept(section.kind()) && section.name().is_ok_and(|name| name != ".eh_frame")
            });
            let family = Functions::family_of(&member).expect("a family").name;
            *sizes.entry(family).or_default() += sections.map(|section| section.size()).sum::<u64>();
        }
        for (family, size) in sizes {
            let most = most[family];
            assert!(size <= most && size > most / 3, "{family} on {}: {size} bytes of {most}", set.arch);
        }
    }
}
