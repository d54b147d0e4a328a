//! The signatures by which this crate knows musl's functions are those of every `libc.a` at hand, and of many that were.
//!
//! `BRAWN_RENEW=1 cargo test -p brawn-identify --test signatures` adds what is new; archives from elsewhere are named in
//! `BRAWN_ARCHIVES`, as `LABEL=FILE` with blanks between. What is there already stays, so that an archive of a toolchain that is
//! no longer installed is known for good; a label that comes again is replaced.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use brawn_identify::{Signature, Signatures, extract};

/// Beside the kit's functions: what a heap consists of and stands on, and the ends of threads and processes.
const WANTED: &[&str] = &[
    "malloc",
    "free",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "malloc_usable_size",
    "_Fork",
    "fork",
    "vfork",
    "clone",
    "__clone",
    "exit",
    "_Exit",
    "_exit",
    "abort",
    "atexit",
    "__cxa_atexit",
    "pthread_create",
    "pthread_exit",
    "pthread_detach",
    "pthread_join",
    "pthread_atfork",
    "pthread_key_create",
    "pthread_getspecific",
    "pthread_setspecific",
    "pthread_once",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_self",
    "mmap",
    "munmap",
    "mremap",
    "madvise",
    "mprotect",
    "brk",
    "sbrk",
    "sysconf",
    "sched_yield",
    "syscall",
    "getauxval",
    "fopen",
    "fclose",
    "fread",
    "fwrite",
    "getdelim",
    "opendir",
    "readdir",
    "__libc_start_main",
];

/// Names that begin so are the inner ones of these.
const INNER: &[&str] = &[
    "__malloc",
    "__libc",
    "__pthread",
    "__tl_",
    "__lock",
    "__unlock",
    "__wait",
    "__timedwait",
    "__simple_malloc",
    "__fork",
    "__init",
    "__copy_tls",
    "__vm_",
    "__unmapself",
    "__tls",
    "__block",
    "__restore",
    "__mmap",
    "__munmap",
    "__mremap",
    "mem",
    "str",
    "stp",
    "__mem",
    "__str",
    "__stp",
    "malloc/",
    "free/",
    "calloc/",
    "realloc/",
    "aligned_alloc/",
    "lite_malloc/",
    "donate/",
    "fork/",
    "pthread_create/",
];

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn file(arch: Arch) -> PathBuf {
    repository().join(format!("crates/brawn-identify/signatures/{arch}.txt"))
}

/// The musls of Rust's installed toolchains and of the distribution.
fn at_hand() -> Vec<(String, PathBuf)> {
    let mut found = vec![("debian-1.2.3".to_owned(), PathBuf::from("/usr/lib/x86_64-linux-musl/libc.a"))];
    let rustc = Command::new("rustc").args(["--version", "--print", "sysroot"]).output();
    let text = rustc.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if let [version, sysroot] = text.lines().collect::<Vec<_>>()[..] {
        let version = version.split(' ').nth(1).unwrap_or_default();
        for arch in Arch::ALL {
            let folder = Path::new(sysroot).join("lib/rustlib").join(arch.musl_triple());
            found.push((format!("rust-{version}"), folder.join("lib/self-contained/libc.a")));
        }
    }
    found.retain(|(_, path)| path.is_file());
    found
}

/// The names of the functions that matter.
fn wanted() -> BTreeSet<String> {
    let mut wanted: BTreeSet<String> = WANTED.iter().map(|name| (*name).to_owned()).collect();
    for file in ["functions.toml", "string/functions.toml", "math/functions.toml"] {
        let path = repository().join("crates/brawn-kit/libc").join(file);
        let table: toml::Table = fs_err::read_to_string(&path).unwrap().parse().unwrap();
        let rows = table["function"].as_array().unwrap();
        for row in rows {
            let names =
                ["strong", "weak", "behind"].iter().filter_map(|key| row.get(key)?.as_array()).flatten();
            wanted.extend(names.filter_map(|name| name.as_str().map(str::to_owned)));
        }
    }
    wanted
}

/// Keeps the functions of these names, those that call them, and all that they call, near and far: proofs need both, and
/// `brawn graft` replaces a function only if nothing that it calls was changed.
fn restrict(all: &mut Signatures, wanted: &BTreeSet<String>) {
    let is_wanted =
        |name: &String| wanted.contains(name) || INNER.iter().any(|inner| name.starts_with(inner));
    let named = |function: &Signature, names: &[String]| {
        function.names.iter().any(|name| is_wanted(&names[name.id as usize]))
    };
    let mut called: BTreeSet<u32> = BTreeSet::new();
    loop {
        let before = called.len();
        for function in &all.functions {
            if named(function, &all.names) || function.names.iter().any(|name| called.contains(&name.id)) {
                called.extend(function.links.iter().filter_map(|link| link.target));
            }
        }
        if called.len() == before {
            break;
        }
    }
    let matters = |function: &Signature, names: &[String]| {
        named(function, names)
            || function.names.iter().any(|name| called.contains(&name.id))
            || function.links.iter().filter_map(|link| link.target).any(|id| is_wanted(&names[id as usize]))
    };
    let kept = all.functions.iter().filter(|function| matters(function, &all.names));
    // Another of equal bytes must be known, or these would be taken for the only ones.
    let bytes: BTreeSet<(u32, u64)> = kept.map(|function| (function.size, function.digest)).collect();
    all.retain(|function, _| bytes.contains(&(function.size, function.digest)));
}

/// Everything that matters in the archives at hand is known.
#[test]
fn signatures_are_those_of_the_archives_at_hand() {
    let wanted = wanted();
    let renew = std::env::var_os("BRAWN_RENEW").is_some();
    let mut archives = at_hand();
    if renew {
        let more = std::env::var("BRAWN_ARCHIVES").unwrap_or_default();
        let more = more.split_whitespace().map(|one| one.split_once('=').expect("LABEL=FILE"));
        archives.extend(more.map(|(label, file)| (label.to_owned(), file.into())));
    }
    let sets: Vec<Signatures> =
        archives.iter().map(|(label, path)| extract(&fs_err::read(path).unwrap(), label).unwrap()).collect();
    for arch in Arch::ALL {
        let text = fs_err::read_to_string(file(arch)).unwrap();
        let known = Signatures::from_text(arch, &text).unwrap();
        let mut joined = known.clone();
        for set in sets.iter().filter(|set| set.arch == arch) {
            if renew {
                joined.add(set);
            } else {
                let mut one = set.clone();
                restrict(&mut one, &wanted);
                let missing = known.missing(&one);
                assert!(missing.is_empty(), "{}: {missing:?} {STALE}", set.archives[0].label);
            }
        }
        restrict(&mut joined, &wanted);
        let fresh = joined.to_text();
        if renew {
            println!(
                "{arch}: {} archives, {} functions, {} bytes",
                joined.archives.len(),
                joined.functions.len(),
                fresh.len()
            );
            fs_err::write(file(arch), &fresh).unwrap();
        } else {
            assert!(fresh == text, "{arch}: {STALE}");
        }
    }
}

const STALE: &str = "is not known; renew with: BRAWN_RENEW=1 cargo test -p brawn-identify --test signatures";

/// What an executable carries of them.
#[test]
fn they_are_small() {
    let packed: usize = Arch::ALL.into_iter().map(brawn_identify::packed_size).sum();
    assert!(packed <= 1 << 20, "{packed} bytes");
}
