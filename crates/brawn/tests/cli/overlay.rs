//! `brawn libc` on the archives that people have.

use std::path::{Path, PathBuf};

use crate::common::{DEFAULT_MALLOC, Sandbox, ok, rust_libc};
use brawn_elf::Arch;
use brawn_libc::overlay::Manifest;

fn manifest(sandbox: &Sandbox, from: &Path, extra: &[&str]) -> Manifest {
    let from = from.display().to_string();
    let text = ok(sandbox.brawn(&["libc", "--json", "-o", "out", "--from", &from]).args(extra));
    serde_json::from_str(&text).unwrap()
}

/// The names of the members that went, sorted.
fn gone(manifest: &Manifest) -> Vec<&str> {
    let mut names: Vec<_> = manifest.dropped.iter().map(|dropped| dropped.member.as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn the_rust_toolchains_on_both_architectures() {
    for arch in Arch::ALL {
        for allocator in brawn_kit::allocators() {
            let sandbox = Sandbox::new();
            let manifest = manifest(&sandbox, &rust_libc(arch), &["--malloc", allocator.name]);
            assert_eq!(manifest.arch, arch);
            assert_eq!(manifest.malloc_version.as_deref(), Some(allocator.version));
            assert!(manifest.libc.starts_with("musl 1.2."), "{}", manifest.libc);
            // Both of that name go, or the public wrapper alone where mallocng stays behind a front.
            let front = allocator.on_mallocng;
            let wanted = if front { 1 } else { 2 };
            assert_eq!(gone(&manifest).iter().filter(|name| **name == "free.lo").count(), wanted);
            assert_eq!(gone(&manifest).contains(&"malloc.lo"), !front, "mallocng's own member");
            let bytes = fs_err::read(sandbox.path().join("out/libc.a")).unwrap();
            assert_eq!(brawn_libc::sha256_hex(&bytes), manifest.sha256);
        }
    }
}

#[test]
fn the_distributions() {
    let sandbox = Sandbox::new();
    let text = ok(&mut sandbox.brawn(&["libc", "--from", "system", "--json"]));
    let manifest: Manifest = serde_json::from_str(&text).unwrap();
    assert!(manifest.libc.starts_with("musl 1.2."), "{}", manifest.libc);
    assert_eq!(manifest.malloc, DEFAULT_MALLOC);
    assert_eq!(manifest.added[0].member, format!("brawn-{DEFAULT_MALLOC}.o"));
}

/// The string functions that a manifest says were added.
fn strings(manifest: &Manifest) -> Vec<&str> {
    let names = manifest.added.iter().map(|added| added.member.as_str());
    names.filter(|name| name.starts_with("brawn-string-")).collect()
}

/// The files that they are of, sorted: `brawn-string-memchr_long.avx2.o` is of `brawn-string-memchr_long`.
fn files(manifest: &Manifest) -> Vec<&str> {
    let members = strings(manifest).into_iter();
    let mut files: Vec<&str> = members.map(|member| member.split('.').next().expect("a name")).collect();
    files.sort_unstable();
    files
}

#[test]
fn string_functions_come_in_unless_they_are_left_out() {
    for arch in Arch::ALL {
        let sandbox = Sandbox::new();
        let base = rust_libc(arch);
        let with = manifest(&sandbox, &base, &[]);
        assert!(with.strings && with.cpu.is_none());
        assert!(strings(&with).contains(&"brawn-string-memchr.o"), "{:?}", with.added);
        assert!(gone(&with).contains(&"memchr.lo"), "{:?}", gone(&with));

        let without = manifest(&sandbox, &base, &["--no-strings"]);
        assert!(!without.strings && strings(&without).is_empty());
        assert!(!gone(&without).contains(&"memchr.lo"));
        assert_ne!(with.id, without.id);

        let stock = manifest(&sandbox, &base, &["--preset", "stock"]);
        assert!(stock.added.is_empty() && stock.dropped.is_empty(), "the preset stock is musl as it came");
        let own_heap = manifest(&sandbox, &base, &["--malloc", "stock"]);
        assert_eq!(strings(&own_heap), strings(&with));
    }
}

#[test]
fn string_functions_for_one_kind_of_processor_do_not_look_for_it() {
    let sandbox = Sandbox::new();
    let base = rust_libc(Arch::X86_64);
    let any = manifest(&sandbox, &base, &[]);
    assert!(strings(&any).contains(&brawn_kit::LEVEL_MEMBER));
    let mut ids = vec![any.id.clone()];
    for cpu in ["x86-64-v3", "x86-64-v4"] {
        let fixed = manifest(&sandbox, &base, &["--cpu", cpu]);
        assert_eq!(fixed.cpu.as_deref(), Some(cpu));
        // The one look is at the start, and refuses a lesser processor. Of each part for long operands there is one
        // level.
        let (mut there, mut expected) = (files(&fixed), files(&any));
        expected.dedup();
        expected.retain(|file| format!("{file}.o") != brawn_kit::LEVEL_MEMBER);
        expected.push(brawn_kit::START_MEMBER.trim_end_matches(".o"));
        there.sort_unstable();
        expected.sort_unstable();
        assert_eq!(there, expected);
        ids.push(fixed.id);
    }
    for level in ["sse2", "avx2", "avx512"] {
        let held = manifest(&sandbox, &base, &["--knob", &format!("strings.level={level}")]);
        assert_eq!(held.knobs["strings.level"], level);
        let (mut held_names, mut names) = (strings(&held), strings(&any));
        held_names.sort_unstable();
        names.sort_unstable();
        assert_eq!(held_names, names);
        ids.push(held.id);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6, "each is another overlay");
}

#[test]
fn member_names_do_not_matter() {
    let sandbox = Sandbox::new();
    let original = manifest(&sandbox, &rust_libc(Arch::X86_64), &[]);
    let renamed = renamed(&sandbox, &rust_libc(Arch::X86_64));
    let manifest = manifest(&sandbox, &renamed, &[]);
    assert_eq!(manifest.kept, original.kept);
    assert_eq!(manifest.dropped.len(), original.dropped.len());
    assert!(gone(&manifest).iter().all(|name| name.ends_with(".o")));
}

/// The same archive with members called `m0001.o` and so on.
fn renamed(sandbox: &Sandbox, from: &Path) -> PathBuf {
    use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
    let bytes = fs_err::read(from).unwrap();
    let archive = brawn_libc::archive::Archive::parse(from, &bytes).unwrap();
    let members: Vec<_> = archive
        .members
        .iter()
        .enumerate()
        .map(|(n, member)| NewArchiveMember::new(member.data, &DEFAULT_OBJECT_READER, format!("m{n:04}.o")))
        .collect();
    let mut out = std::io::Cursor::new(Vec::new());
    write_archive_to_stream(&mut out, &members, ArchiveKind::Gnu, false, None).unwrap();
    sandbox.write("renamed.a", out.into_inner())
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    for dir in ["one", "two"] {
        ok(&mut sandbox.brawn(&["libc", "-o", dir]));
    }
    for file in ["libc.a", "manifest.json"] {
        let read = |dir: &str| fs_err::read(sandbox.path().join(dir).join(file)).unwrap();
        assert!(read("one") == read("two"), "{file} differs");
    }
}

#[test]
fn stock_keeps_every_member() {
    let sandbox = Sandbox::new();
    let manifest = manifest(&sandbox, &rust_libc(Arch::X86_64), &["--preset", "stock"]);
    assert!(manifest.dropped.is_empty() && manifest.added.is_empty());
}

#[test]
fn two_processes_may_want_the_same_overlay_at_once() {
    let sandbox = Sandbox::new();
    let cache = sandbox.path().join("cache");
    let children: Vec<_> = (0..6)
        .map(|_| {
            let mut command = sandbox.brawn(&["libc", "--quiet"]);
            command.env("BRAWN_CACHE_DIR", &cache).stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let places: Vec<String> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        })
        .collect();
    assert!(places.windows(2).all(|pair| pair[0] == pair[1]), "{places:?}");
    let left: Vec<_> = fs_err::read_dir(cache.join("overlays")).unwrap().collect();
    assert_eq!(left.len(), 1, "temporary folders were left behind: {left:?}");
}

#[test]
fn a_damaged_cache_is_made_anew() {
    let sandbox = Sandbox::new();
    let cache = sandbox.path().join("cache");
    let run = || ok(sandbox.brawn(&["libc", "--quiet"]).env("BRAWN_CACHE_DIR", &cache));
    let libc_a = PathBuf::from(run().trim()).join("libc.a");
    let sound = fs_err::read(&libc_a).unwrap();
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 1;
    fs_err::write(&libc_a, damaged).unwrap();
    run();
    assert!(fs_err::read(&libc_a).unwrap() == sound);
}

#[test]
fn a_dry_run_writes_nothing() {
    let sandbox = Sandbox::new();
    let cache = sandbox.path().join("cache");
    ok(sandbox.brawn(&["libc", "--dry-run"]).env("BRAWN_CACHE_DIR", &cache));
    assert!(!cache.exists());
}
