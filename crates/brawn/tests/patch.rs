//! `brawn patch` and `brawn restore`: in place, and back to the byte.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use common::{Bench, DEFAULT_MALLOC, fails, ok, redact, rust_libc};
use insta::assert_snapshot;

/// A copy of the Rust toolchain's libc.a in `lib/`.
fn toolchain(bench: &Bench) -> (PathBuf, Vec<u8>) {
    let bytes = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    (bench.write("lib/libc.a", &bytes), bytes)
}

fn files(bench: &Bench) -> Vec<String> {
    let mut names: Vec<_> = fs_err::read_dir(bench.path().join("lib"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn there_and_back() {
    let bench = Bench::new();
    let (path, original) = toolchain(&bench);
    let time = |path: &PathBuf| path.metadata().unwrap().modified().unwrap();
    let before = time(&path);
    let said = ok(&mut bench.brawn(&["patch", "lib"]));
    assert!(said.starts_with(&format!("lib/libc.a: patched, {DEFAULT_MALLOC} ")), "{said}");
    assert!(fs_err::read(&path).unwrap() != original);
    assert_eq!(files(&bench), ["libc.a", "libc.a.brawn-original", "libc.a.brawn.json"]);

    let said = ok(&mut bench.brawn(&["patch", "lib/libc.a"]));
    assert!(said.starts_with("lib/libc.a: patched already"), "{said}");

    let said = ok(&mut bench.brawn(&["patch", "--malloc", "mimalloc2", "lib/libc.a"]));
    assert!(said.starts_with("lib/libc.a: patched, mimalloc2 "), "{said}");
    assert!(fs_err::read(path.with_file_name("libc.a.brawn-original")).unwrap() == original);

    ok(&mut bench.brawn(&["restore", "lib"]));
    assert!(fs_err::read(&path).unwrap() == original, "the original is not back to the byte");
    assert_eq!(time(&path), before);
    assert_eq!(files(&bench), ["libc.a"]);
    assert_snapshot!(redact(&bench, &fails(&mut bench.brawn(&["restore", "lib"]), 3)), @r"
    error: lib/libc.a was not patched by Brawn: lib/libc.a.brawn.json is missing
    hint: nothing was changed
    ");
}

#[test]
fn a_file_that_changed_since_is_left_alone() {
    let bench = Bench::new();
    let (path, _) = toolchain(&bench);
    ok(&mut bench.brawn(&["patch", "lib"]));
    fs_err::write(&path, "updated").unwrap();
    let said = ["patch", "restore"].map(|command| {
        let message = fails(&mut bench.brawn(&[command, "lib"]), 3);
        assert_eq!(fs_err::read(&path).unwrap(), b"updated");
        message
    });
    assert_eq!(said[0], said[1]);
    assert_snapshot!(said[0], @r"
    error: lib/libc.a changed since Brawn patched it
    hint: it was probably updated: remove lib/libc.a.brawn-original and lib/libc.a.brawn.json if the new file is right
    ");
}

#[test]
fn an_original_that_changed_is_not_brought_back() {
    let bench = Bench::new();
    let (path, _) = toolchain(&bench);
    ok(&mut bench.brawn(&["patch", "lib"]));
    let patched = fs_err::read(&path).unwrap();
    fs_err::write(path.with_file_name("libc.a.brawn-original"), "other").unwrap();
    let message = fails(&mut bench.brawn(&["restore", "lib"]), 3);
    assert!(message.contains("is not the original that was kept"), "{message}");
    assert!(fs_err::read(&path).unwrap() == patched);
}

#[test]
fn a_patch_that_was_broken_off_can_be_repeated_or_undone() {
    for command in ["patch", "restore"] {
        let bench = Bench::new();
        let (path, original) = toolchain(&bench);
        ok(&mut bench.brawn(&["patch", "lib"]));
        // The last step of a patch is the rename of the new archive: without it, this is what stands there.
        fs_err::write(&path, &original).unwrap();
        ok(&mut bench.brawn(&[command, "lib"]));
        let patched = fs_err::read(&path).unwrap() != original;
        assert_eq!(patched, command == "patch");
        assert_eq!(files(&bench).len(), if patched { 3 } else { 1 });
    }
}

#[test]
fn dry_runs_write_nothing() {
    let bench = Bench::new();
    let (path, original) = toolchain(&bench);
    let said = ok(&mut bench.brawn(&["--dry-run", "patch", "lib"]));
    assert!(said.contains("would be patched"), "{said}");
    assert_eq!(files(&bench), ["libc.a"]);
    ok(&mut bench.brawn(&["patch", "lib"]));
    ok(&mut bench.brawn(&["restore", "--dry-run", "lib"]));
    assert!(fs_err::read(path).unwrap() != original);
}

#[test]
fn links_start_from_the_original_of_a_patched_toolchain() {
    let bench = Bench::new();
    let (_, original) = toolchain(&bench);
    ok(&mut bench.brawn(&["patch", "lib"]));
    let manifest = ok(&mut bench.brawn(&["libc", "--json", "--malloc", "stock", "--from", "lib/libc.a"]));
    assert!(manifest.contains(&brawn_libc::sha256_hex(&original)), "{manifest}");
}

#[test]
fn a_plain_cargo_links_whole_programs_with_a_patched_toolchain() {
    // A toolchain that is this one, but for a libc.a of its own.
    let bench = Bench::new();
    let package = bench.package("plain");
    let libc = rust_libc(Arch::X86_64);
    let own = bench.path().join("self-contained");
    ok(bench.command("cp").arg("-r").arg(libc.parent().unwrap()).arg(&own));
    ok(&mut bench.brawn(&["patch", "self-contained"]));
    let flags = format!("-Lnative={}", own.display());
    ok(bench
        .command("cargo")
        .args(["build", "--target", "x86_64-unknown-linux-musl"])
        .current_dir(&package)
        .env("RUSTFLAGS", flags));
    let program = package.join("target/x86_64-unknown-linux-musl/debug/plain");
    let said = ok(bench.brawn(&["verify"]).arg(&program));
    assert!(said.contains(&format!("one heap: {DEFAULT_MALLOC}")), "{said}");
    assert_eq!(ok(&mut bench.command(program.to_str().unwrap())), "1 2 3\n");
}

#[test]
fn nothing_named_is_an_error() {
    let bench = Bench::new();
    let message = fails(&mut bench.brawn(&["patch"]), 2);
    assert!(message.contains("which libc.a? Give its path, --rustup or --system"), "{message}");
}

#[test]
fn the_rust_toolchains_targets_are_found_and_restored() {
    let bench = Bench::new();
    // A toolchain of its own: a rustc that only knows where it is, and both targets' libc.a.
    let script = format!("#!/bin/sh\necho {}/rust\necho x86_64-unknown-linux-gnu\n", bench.path().display());
    let rustc = bench.write("rustc", script);
    ok(bench.command("chmod").arg("+x").arg(&rustc));
    let place = |arch: Arch| format!("rust/lib/rustlib/{}/lib/self-contained/libc.a", arch.musl_triple());
    let originals = Arch::ALL.map(|arch| {
        let bytes = fs_err::read(rust_libc(arch)).unwrap();
        (bench.write(&place(arch), &bytes), bytes)
    });
    let run = |args: &[&str]| ok(bench.brawn(args).env("RUSTC", &rustc));
    assert_eq!(run(&["patch", "--rustup"]).lines().count(), 2);
    for (path, original) in &originals {
        assert!(fs_err::read(path).unwrap() != *original);
    }
    assert_eq!(run(&["restore", "--rustup", "--target", "aarch64-unknown-linux-musl"]).lines().count(), 1);
    assert!(fs_err::read(&originals[1].0).unwrap() == originals[1].1);
    assert_eq!(run(&["restore", "--rustup"]).lines().count(), 1, "the one that is still patched");
    assert!(fs_err::read(&originals[0].0).unwrap() == originals[0].1);
}

#[test]
fn the_c_compilers_libc_is_found() {
    let bench = Bench::new();
    let said = ok(&mut bench.brawn(&["patch", "--system", "--dry-run"]));
    assert!(said.contains(&format!("libc.a: would be patched, {DEFAULT_MALLOC} ")), "{said}");
    assert!(!said.contains("gnu/libc.a"), "that is glibc's: {said}");
}

#[test]
fn a_folder_that_cannot_be_written_stays_as_it_is() {
    let bench = Bench::new();
    let (path, original) = toolchain(&bench);
    // Permissions do not stop root; a file that stands where the original would be kept stops everybody.
    bench.write("lib/libc.a.brawn-original/in-the-way", "");
    let message = fails(&mut bench.brawn(&["patch", "lib"]), 5);
    assert!(message.starts_with("error: cannot write to lib/libc.a.brawn-original"), "{message}");
    assert!(fs_err::read(path).unwrap() == original);
}

#[test]
fn a_system_below_a_folder_is_patched_where_its_distribution_keeps_its_libc() {
    let bytes = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    for place in ["usr/lib", "usr/lib/x86_64-linux-musl", "usr/x86_64-linux-musl/lib"] {
        let bench = Bench::new();
        let path = bench.write(&format!("root/{place}/libc.a"), &bytes);
        // A glibc beside it is another system's.
        let other = bench.write("root/usr/lib/x86_64-linux-gnu/libc.a", "not ours");
        let said = ok(&mut bench.brawn(&["patch", "--system", "--root", "root"]));
        assert!(said.contains(&format!("{place}/libc.a: patched, ")), "{said}");
        assert!(fs_err::read(&path).unwrap() != bytes);
        assert_eq!(fs_err::read(&other).unwrap(), b"not ours");
        ok(&mut bench.brawn(&["restore", "--system", "--root", "root"]));
        assert!(fs_err::read(&path).unwrap() == bytes, "{place}");
    }
}

#[test]
fn a_folder_without_a_musl_and_a_link_out_of_it_are_refused() {
    let bench = Bench::new();
    let (outside, original) = toolchain(&bench);
    fs_err::create_dir_all(bench.path().join("root/usr/lib")).unwrap();
    fs_err::os::unix::fs::symlink(&outside, bench.path().join("root/usr/lib/libc.a")).unwrap();
    let said = fails(&mut bench.brawn(&["patch", "--system", "--root", "root"]), 2);
    assert!(said.starts_with("error: no libc.a of musl below "), "{said}");
    assert!(said.contains("musl-dev on Alpine"), "{said}");
    assert!(fs_err::read(&outside).unwrap() == original);
    fails(&mut bench.brawn(&["patch", "--root", "root"]), 2);
}

/// What a builder image does: one static executable is copied in, and one command runs in it.
#[test]
fn a_static_brawn_patches_the_system_that_it_was_copied_into() {
    let executable = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../target")
        .join(Arch::host().unwrap().musl_triple())
        .join("release/brawn");
    // Ask the kernel, not the user's name: a container's root may lack the right.
    let may =
        |command: &mut Command| command.arg("/").arg("true").status().is_ok_and(|status| status.success());
    let chroot: &[&str] = if may(&mut Command::new("chroot")) {
        &["chroot"]
    } else if may(Command::new("unshare").args(["--map-root-user", "chroot"])) {
        &["unshare", "--map-root-user", "chroot"]
    } else {
        eprintln!("skipped: this machine lets nobody change the root folder");
        return;
    };
    if !executable.exists() {
        assert!(std::env::var_os("CI").is_none(), "`make brawn` builds {}", executable.display());
        eprintln!("skipped: `make brawn` builds the static executable");
        return;
    }
    let bench = Bench::new();
    let bytes = fs_err::read(rust_libc(Arch::host().unwrap())).unwrap();
    let path = bench.write("root/usr/lib/libc.a", &bytes);
    fs_err::create_dir_all(bench.path().join("root/usr/bin")).unwrap();
    fs_err::copy(&executable, bench.path().join("root/usr/bin/brawn")).unwrap();
    let root = bench.path().join("root");
    let run = |args: &[&str]| {
        let mut command = bench.command(chroot[0]);
        command.args(&chroot[1..]).arg(&root).arg("/usr/bin/brawn").args(args);
        ok(command.env("BRAWN_CACHE_DIR", "/cache"))
    };
    let said = run(&["patch", "--system", "--root", "/"]);
    assert!(said.starts_with("/usr/lib/libc.a: patched, "), "{said}");
    assert!(fs_err::read(&path).unwrap() != bytes);
    run(&["restore", "--system", "--root", "/"]);
    assert!(fs_err::read(&path).unwrap() == bytes);
}
