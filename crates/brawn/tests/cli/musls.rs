//! Musls of other releases than this machine's, from the oldest that Brawn takes to the newest that was published: those that
//! zigs of other years compile, and those of other Debian releases. Each allocator of the kit goes into each, and a program that
//! needs much of a heap is linked and run.
//!
//! They are fetched, 160 MB in all, and zig compiles a whole libc: so only with `BRAWN_TEST_LONG`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Sandbox, long, note, ok};
use brawn_elf::Arch;

/// The zigs, by the musl that they have: version, SHA-256 of the wheel for x86_64.
const ZIGS: &[(&str, &str, &str)] = &[
    ("musl 1.2.2", "0.9.1", "fa1d08040e2b9a7aab40b0c14e1baf52097e845ea7a6801462ec593f48cf3431"),
    ("musl 1.2.4", "0.11.0", "45e8116428267e20529b9ee43a7e7364791c1a092845d2143b248a1dbf6760b0"),
];

/// Debian's package `musl-dev`, by the musl in it: the release, the file, SHA-256.
const DEBIANS: &[(&str, &str, &str, &str)] = &[
    (
        "musl 1.2.5",
        "trixie",
        "musl-dev_1.2.5-3.1~deb13u1_amd64.deb",
        "a3f7d47e452129bb65aae201d6c115abf4d5d3efb136b38b7c6b4fa03ec065e9",
    ),
    (
        "musl 1.2.6",
        "sid",
        "musl-dev_1.2.6-2_amd64.deb",
        "4601fcee854a8efe9d5e3fcca32a671971a290a3106c6f6803e0b896821de9ce",
    ),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Kept between runs, so that a second one needs no network.
fn downloads() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("downloads")
}

fn wanted() -> bool {
    if !long() || Arch::host() != Some(Arch::X86_64) {
        eprintln!("left out: BRAWN_TEST_LONG=1 fetches other musls, on x86_64");
        return false;
    }
    true
}

/// What a command that fetches something says when it could not. In CI that is a failure.
fn fetched(command: &mut Command) -> bool {
    let output = command.output().unwrap();
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        assert!(std::env::var_os("CI").is_none(), "{reason}");
        eprintln!("skipped: {reason}");
    }
    output.status.success()
}

/// The allocators of the kit, and what has none of it.
fn mallocs() -> impl Iterator<Item = &'static str> {
    brawn_kit::allocators().iter().map(|allocator| allocator.name).chain(["stock"])
}

/// The program must have the heap and the libc that it should have, and say that all went well.
fn works(sandbox: &Sandbox, program: &Path, malloc: &str, libc: &str) {
    let path = program.to_str().unwrap();
    ok(&mut sandbox.brawn(&["verify", "--quiet", "--malloc", malloc, path]));
    assert_eq!(note(program).libc, libc, "{malloc}");
    assert_eq!(ok(&mut sandbox.command(path)), "ok\n", "{malloc} on {libc}");
}

#[test]
fn those_of_other_zigs() {
    if !wanted() {
        return;
    }
    for (libc, version, sha256) in ZIGS {
        let folder = downloads().join(format!("zig-{version}"));
        let zig = folder.join("ziglang/zig");
        let sandbox = Sandbox::new();
        if !zig.is_file() {
            let list = sandbox.write("zig.txt", format!("ziglang=={version} --hash=sha256:{sha256}\n"));
            let mut pip = sandbox.command("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--no-compile"]);
            pip.args(["--only-binary=:all:", "--disable-pip-version-check", "--root-user-action=ignore"]);
            if !fetched(pip.arg("--target").arg(&folder).arg("-r").arg(list)) {
                continue;
            }
        }
        let source = repository().join("tests/libc/one_heap.c");
        for malloc in mallocs() {
            let mut command = sandbox.brawn(&["--quiet", "--malloc", malloc, "cc", "-std=c11", "-O1"]);
            command.args(["-D_GNU_SOURCE", "-fno-builtin"]).arg(&source).args(["-o", malloc]);
            command.env("BRAWN_CC", format!("{} cc -target x86_64-linux-musl", zig.display()));
            // What this zig compiles of its libc is of no use to others.
            command.env("ZIG_GLOBAL_CACHE_DIR", sandbox.path().join("zig-cache"));
            ok(command.env("ZIG_LOCAL_CACHE_DIR", sandbox.path().join("zig-cache")));
            works(&sandbox, &sandbox.path().join(malloc), malloc, libc);
        }
    }
}

#[test]
fn those_of_other_debians() {
    if !wanted() {
        return;
    }
    for (libc, release, file, sha256) in DEBIANS {
        let sandbox = Sandbox::new();
        let mut fetch =
            sandbox.command(repository().join("crates/brawn-bench/debian-source").to_str().unwrap());
        if !fetched(fetch.args(["musl-dev", file, sha256]).arg(downloads()).arg(release)) {
            continue;
        }
        let root = sandbox.path().join("root");
        ok(sandbox.command("dpkg-deb").arg("--extract").arg(downloads().join(file)).arg(&root));
        let folder = root.join("usr/lib/x86_64-linux-musl");
        for malloc in mallocs() {
            let overlay = sandbox.path().join(format!("overlay-{malloc}"));
            let mut make = sandbox.brawn(&["--quiet", "--malloc", malloc, "libc", "--from"]);
            ok(make.arg(folder.join("libc.a")).arg("-o").arg(&overlay));
            let program = sandbox.path().join(malloc);
            link(&sandbox, &root, &folder, &overlay.join("libc.a"), &program);
            works(&sandbox, &program, malloc, libc);
        }
    }
}

/// Compiles and links with the package's headers and start files, as its own `musl-gcc` does where it is installed.
fn link(sandbox: &Sandbox, root: &Path, folder: &Path, libc_a: &Path, program: &Path) {
    let gcc =
        |name: &str| ok(sandbox.command("cc").arg(format!("-print-file-name={name}"))).trim().to_owned();
    let mut command = sandbox.command("cc");
    command.args(["-std=c11", "-O1", "-D_GNU_SOURCE", "-fno-builtin", "-fno-pie", "-no-pie", "-static"]);
    command.args(["-nostdinc", "-nostdlib", "-isystem"]).arg(root.join("usr/include/x86_64-linux-musl"));
    command.args(["-isystem", &gcc("include")]).arg(folder.join("crt1.o")).arg(folder.join("crti.o"));
    command.arg(repository().join("tests/libc/one_heap.c")).arg(libc_a);
    command.args([gcc("libgcc.a"), gcc("libgcc_eh.a")]).arg(libc_a).arg(folder.join("crtn.o"));
    ok(command.arg("-o").arg(program));
}
