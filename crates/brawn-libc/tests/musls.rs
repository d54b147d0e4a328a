//! Overlays of musls as distributions and people build them, each linked and run. Two archives are at hand anyway,
//! rustup's and the distribution's, and other tests use them; here are their like, made from the sources of Debian's
//! package: members named `.o`, addresses fixed, with debug sections; the heap that musl had before mallocng; a heap
//! that is not musl's at all, as Chimera builds it; mallocng under a lock that is not musl's; another record of the process.

use std::path::{Path, PathBuf};
use std::process::Command;

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use brawn_elf::Arch;
use brawn_libc::archive::Archive;
use brawn_libc::{Choice, Error, overlay};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

const FILE: &str = "musl_1.2.3.orig.tar.gz";
const SHA256: &str = "7d5b0b6062521e4627e099e4c9dc8248d32a30285e959b7eecaa780cf8cfd4a4";

/// One musl, and what is to be expected of it.
struct Variant {
    name: &'static str,
    libc_a: fn(&Path) -> Vec<u8>,
    /// Why the hardened Brawn heap has nothing to stand on there.
    refused: Option<&'static str>,
}

const VARIANTS: &[Variant] = &[
    Variant { name: "fixed addresses, debug sections", libc_a: with_mallocng, refused: None },
    Variant { name: "--with-malloc=oldmalloc", libc_a: with_oldmalloc, refused: Some(NO_MALLOCNG) },
    Variant { name: "another heap", libc_a: with_another_heap, refused: Some(NO_MALLOCNG) },
    Variant {
        name: "mallocng under another lock",
        libc_a: with_another_lock,
        refused: Some("__libc_malloc_impl does not take musl's lock"),
    },
    Variant {
        name: "another record of the process",
        libc_a: with_another_record,
        refused: Some("__libc has 112 bytes instead of 104"),
    },
];

const NO_MALLOCNG: &str = "it has no mallocng";

#[path = "../../../tests/once.rs"]
mod once;

use once::once;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn ok(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// musl's sources, built, or `None` where they cannot be had. What was built is kept for other runs.
fn built() -> Option<PathBuf> {
    // One process builds; the others find what it has built.
    once(Path::new(env!("CARGO_TARGET_TMPDIR")).join("musl"), |_| drop(build()));
    build()
}

fn build() -> Option<PathBuf> {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = temporary.join(format!("musl-{}", &SHA256[..8]));
    if folder.join("lib/oldmalloc.a").exists() {
        return Some(folder);
    }
    let downloads = temporary.join("downloads");
    let output = Command::new(repository().join("crates/brawn-bench/debian-source"))
        .args(["musl", FILE, SHA256])
        .arg(&downloads)
        .output()
        .unwrap();
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(std::env::var_os("CI").is_none(), "{reason}");
        eprintln!("skipped: {reason}");
        return None;
    }
    let fresh = tempfile::Builder::new().prefix("musl-").tempdir_in(temporary).unwrap();
    let run = |program: &str, args: &[&str]| {
        ok(Command::new(program).args(args).current_dir(fresh.path()).env_remove("MAKEFLAGS"));
    };
    ok(Command::new("tar")
        .arg("xf")
        .arg(downloads.join(FILE))
        .args(["--strip-components=1", "-C"])
        .arg(fresh.path()));
    // Of its own, since make test runs below another make. Code for fixed addresses has members named `.o`.
    let configure = |malloc: &str| {
        let malloc = format!("--with-malloc={malloc}");
        run("./configure", &["--disable-shared", &malloc, "CC=cc", "CFLAGS=-g -O1 -fno-pie -no-pie"]);
    };
    configure("mallocng");
    let start_files = ["lib/crt1.o", "lib/crti.o", "lib/crtn.o"];
    run("make", &[&["lib/libc.a"], &start_files[..]].concat());
    fs_err::rename(fresh.path().join("lib/libc.a"), fresh.path().join("lib/mallocng.a")).unwrap();
    configure("oldmalloc");
    run("make", &["lib/libc.a"]);
    fs_err::rename(fresh.path().join("lib/libc.a"), fresh.path().join("lib/oldmalloc.a")).unwrap();
    // Another run may have been faster.
    let _ = fs_err::rename(fresh.path(), &folder);
    Some(folder)
}

fn with_mallocng(built: &Path) -> Vec<u8> {
    let bytes = fs_err::read(built.join("lib/mallocng.a")).unwrap();
    let archive = Archive::parse(built, &bytes).unwrap();
    assert!(archive.members.iter().all(|member| member.name.ends_with(".o")));
    let start = archive.owner("__libc_start_main").unwrap();
    assert!(memchr::memmem::find(start.data, b".debug_info").is_some(), "built without debug sections");
    bytes
}

fn with_oldmalloc(built: &Path) -> Vec<u8> {
    let bytes = fs_err::read(built.join("lib/oldmalloc.a")).unwrap();
    assert!(!Archive::parse(built, &bytes).unwrap().mentions("__malloc_context"));
    bytes
}

/// A heap that hands out memory once: all names that musl's own has, in one object.
const HEAP: &str = r"
#include <stddef.h>
#include <string.h>
static _Alignas(4096) char memory[64 << 20];
static size_t used = 64;
void *aligned_alloc(size_t alignment, size_t size) {
    size_t at = (used + 16 + alignment - 1) & ~(alignment - 1);
    if (size > sizeof memory - at) return NULL;
    memcpy(memory + at - 16, &size, sizeof size);
    used = at + size;
    return memory + at;
}
size_t malloc_usable_size(void *block) {
    size_t size = 0;
    if (block) memcpy(&size, (char *)block - 16, sizeof size);
    return size;
}
void *__libc_malloc_impl(size_t size) { return aligned_alloc(16, size); }
void *__libc_malloc(size_t size) { return aligned_alloc(16, size); }
void *malloc(size_t size) { return aligned_alloc(16, size); }
void *calloc(size_t count, size_t size) { return aligned_alloc(16, count * size); }
void *__libc_calloc(size_t count, size_t size) { return calloc(count, size); }
void *realloc(void *block, size_t size) {
    void *fresh = malloc(size);
    size_t before = malloc_usable_size(block);
    if (fresh && block) memcpy(fresh, block, before < size ? before : size);
    return fresh;
}
void *__libc_realloc(void *block, size_t size) { return realloc(block, size); }
void free(void *block) { (void)block; }
void __libc_free(void *block) { (void)block; }
void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = aligned_alloc(alignment, size);
    return *block ? 0 : 12;
}
void __malloc_atfork(int who) { (void)who; }
void __malloc_donate(char *start, char *end) { (void)start, (void)end; }
";

fn with_another_heap(built: &Path) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("heap.c"), folder.path().join("heap.o"));
    fs_err::write(&source, HEAP).unwrap();
    ok(Command::new("cc").args(["-O1", "-fno-builtin", "-c"]).arg(&source).arg("-o").arg(&object));
    let heap = fs_err::read(&object).unwrap();
    let bytes = fs_err::read(built.join("lib/mallocng.a")).unwrap();
    let archive = Archive::parse(built, &bytes).unwrap();
    let mallocs =
        ["malloc", "__libc_malloc", "__libc_malloc_impl", "__libc_free", "__libc_calloc", "__libc_realloc"];
    let others =
        ["free", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign", "malloc_usable_size"];
    let inner = ["__malloc_context", "__malloc_donate", "__malloc_alloc_meta", "__malloc_allzerop"];
    let of_the_heap = |name: &str| [&mallocs[..], &others, &inner].concat().contains(&name);
    let kept = archive.members.iter().filter(|member| !member.defined.iter().any(|d| of_the_heap(d.name)));
    let kept = kept.map(|member| (member.name.clone(), member.data.to_vec()));
    archive_of(kept.chain([("heap.o".to_owned(), heap)]).collect())
}

/// mallocng whose malloc and free are kept apart by a lock that is not musl's.
const LOCK: &str = "\
void other_lock(volatile int *lock) { while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {} }
void other_unlock(volatile int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }
";

fn with_another_lock(built: &Path) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("lock.c"), folder.path().join("lock.o"));
    fs_err::write(&source, LOCK).unwrap();
    ok(Command::new("cc").args(["-O1", "-c"]).arg(&source).arg("-o").arg(&object));
    let bytes = fs_err::read(built.join("lib/mallocng.a")).unwrap();
    let archive = Archive::parse(built, &bytes).unwrap();
    let lock = fs_err::read(&object).unwrap();
    let members = archive.members.iter().map(|member| {
        let mut data = member.data.to_vec();
        if member.defines("__libc_malloc_impl") || member.defines("__libc_free") {
            fs_err::write(&object, &data).unwrap();
            let names = ["--redefine-sym=__lock=other_lock", "--redefine-sym=__unlock=other_unlock"];
            ok(Command::new("objcopy").args(names).arg(&object));
            data = fs_err::read(&object).unwrap();
        }
        (member.name.clone(), data)
    });
    archive_of(members.chain([("lock.o".to_owned(), lock)]).collect())
}

/// A record of the process with another layout, as far as its size tells.
fn with_another_record(built: &Path) -> Vec<u8> {
    let bytes = fs_err::read(built.join("lib/mallocng.a")).unwrap();
    let archive = Archive::parse(built, &bytes).unwrap();
    let members = archive.members.iter().map(|member| {
        let mut data = member.data.to_vec();
        if member.defines("__libc") {
            let file = object::File::parse(member.data).unwrap();
            let table = file.section_by_name(".symtab").unwrap().file_range().unwrap().0 as usize;
            let symbol = file.symbols().find(|symbol| symbol.name() == Ok("__libc")).unwrap();
            // An entry has 24 bytes, of which the last eight are the size.
            let at = table + symbol.index().0 * 24 + 16;
            assert_eq!(data[at], 104);
            data[at] = 112;
        }
        (member.name.clone(), data)
    });
    archive_of(members.collect())
}

fn archive_of(members: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    let members =
        members.iter().map(|(name, data)| NewArchiveMember::new(data, &DEFAULT_OBJECT_READER, name.clone()));
    let mut out = std::io::Cursor::new(Vec::new());
    write_archive_to_stream(&mut out, &members.collect::<Vec<_>>(), ArchiveKind::Gnu, false, None).unwrap();
    out.into_inner()
}

/// Links a program that needs much of the heap with this `libc.a`, and gives the executable.
fn link(built: &Path, libc_a: &[u8], folder: &Path) -> PathBuf {
    fs_err::write(folder.join("libc.a"), libc_a).unwrap();
    let arch = std::env::consts::ARCH;
    let gcc = |name: &str| ok(Command::new("cc").arg(format!("-print-file-name={name}"))).trim().to_owned();
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-O1", "-D_GNU_SOURCE", "-fno-builtin", "-fno-pie", "-no-pie", "-static"]);
    command.args(["-nostdinc", "-nostdlib"]);
    for include in ["include", &format!("arch/{arch}"), "arch/generic", "obj/include"] {
        command.arg("-isystem").arg(built.join(include));
    }
    command.args(["-isystem", &gcc("include")]);
    command.arg(built.join("lib/crt1.o")).arg(built.join("lib/crti.o"));
    command.arg(repository().join("tests/libc/one_heap.c")).arg(folder.join("libc.a"));
    command.args([gcc("libgcc.a"), gcc("libgcc_eh.a")]).arg(folder.join("libc.a"));
    let program = folder.join("program");
    ok(command.arg(built.join("lib/crtn.o")).arg("-o").arg(&program));
    program
}

#[test]
fn every_kind_of_musl_gets_a_heap_that_works() {
    let Some(built) = built() else { return };
    for Variant { name, libc_a, refused } in VARIANTS {
        let libc_a = libc_a(&built);
        let path = Path::new("libc.a");
        for malloc in ["brawn", "brawn-hardened", "mimalloc", "jemalloc"] {
            let made = overlay::make(path, &libc_a, Arch::host(), &Choice::malloc(malloc).unwrap());
            let made = match made {
                Err(Error::UnknownHeapLayout { what, .. })
                    if malloc == "brawn-hardened" && refused.is_some() =>
                {
                    assert_eq!(Some(what.as_str()), *refused, "{name}");
                    continue;
                }
                made => made.unwrap_or_else(|error| panic!("{name}, {malloc}: {error}")),
            };
            assert!(
                malloc != "brawn-hardened" || refused.is_none(),
                "{name}: the hardened heap has nothing to stand on"
            );
            assert_eq!(made.manifest.libc, "musl 1.2.3", "{name}");
            let folder = tempfile::tempdir().unwrap();
            let program = link(&built, &made.libc_a, folder.path());
            let expectation = brawn_elf::Expectation {
                malloc: Some(malloc.to_owned()),
                ..brawn_elf::Expectation::default()
            };
            let report = brawn_elf::verify(&fs_err::read(&program).unwrap(), &expectation);
            assert!(report.is_ok(), "{name}, {malloc}: {:?}", report.findings);
            assert_eq!(ok(&mut Command::new(&program)), "ok\n", "{name}, {malloc}");
        }
    }
}

/// The Rust targets' musl: nothing that it defines for programs is lost, where a function stays behind one of the kit's that
/// another architecture does not have.
#[test]
fn no_name_is_lost() {
    let sysroot = ok(Command::new("rustc").args(["--print", "sysroot"]));
    for arch in [Arch::X86_64, Arch::Aarch64] {
        let triple = format!("{arch}-unknown-linux-musl");
        let path =
            Path::new(sysroot.trim()).join("lib/rustlib").join(triple).join("lib/self-contained/libc.a");
        let stock = fs_err::read(&path).expect("the musl target (`make setup` installs it)");
        let made = overlay::make(&path, &stock, Some(arch), &Choice::malloc("mimalloc").unwrap()).unwrap();
        let before = Archive::parse(&path, &stock).unwrap();
        let after = Archive::parse(&path, &made.libc_a).unwrap();
        let names =
            before.members.iter().flat_map(|member| &member.defined).map(|definition| definition.name);
        // Names in two underscores are musl's own; the heap's inner ones go with it.
        let public = names.filter(|name| !name.starts_with("__"));
        let lost: Vec<_> = public.filter(|name| !after.mentions(name)).collect();
        assert!(lost.is_empty(), "{arch}: {lost:?}");
        let needed = after.members.iter().flat_map(|member| &member.needed);
        let open: Vec<_> =
            needed.filter(|name| name.starts_with("__brawn_") && !after.mentions(name)).collect();
        assert!(open.is_empty(), "{arch}: {open:?}");
    }
}
