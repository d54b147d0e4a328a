//! `brawn patch` and `brawn restore`: in place, and back to the byte.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::{DEFAULT_MALLOC, Sandbox, fails, long, ok, redact, rust_libc};
use brawn_elf::Arch;
use insta::assert_snapshot;

/// A copy of the Rust toolchain's libc.a in `lib/`.
fn toolchain(sandbox: &Sandbox) -> (PathBuf, Vec<u8>) {
    let bytes = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    (sandbox.write("lib/libc.a", &bytes), bytes)
}

fn files(sandbox: &Sandbox) -> Vec<String> {
    let mut names: Vec<_> = fs_err::read_dir(sandbox.path().join("lib"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn there_and_back() {
    let sandbox = Sandbox::new();
    let (path, original) = toolchain(&sandbox);
    let time = |path: &PathBuf| path.metadata().unwrap().modified().unwrap();
    let before = time(&path);
    let said = ok(&mut sandbox.brawn(&["patch", "lib"]));
    assert!(said.starts_with(&format!("lib/libc.a: patched, {DEFAULT_MALLOC} ")), "{said}");
    assert!(fs_err::read(&path).unwrap() != original);
    assert_eq!(files(&sandbox), ["libc.a", "libc.a.brawn-original", "libc.a.brawn.json"]);

    let said = ok(&mut sandbox.brawn(&["patch", "lib/libc.a"]));
    assert!(said.starts_with("lib/libc.a: patched already"), "{said}");

    let said = ok(&mut sandbox.brawn(&["patch", "--malloc", "mimalloc2", "lib/libc.a"]));
    assert!(said.starts_with("lib/libc.a: patched, mimalloc2 "), "{said}");
    assert!(fs_err::read(path.with_file_name("libc.a.brawn-original")).unwrap() == original);

    ok(&mut sandbox.brawn(&["restore", "lib"]));
    assert!(fs_err::read(&path).unwrap() == original, "the original is not back to the byte");
    assert_eq!(time(&path), before);
    assert_eq!(files(&sandbox), ["libc.a"]);
    assert_snapshot!(redact(&sandbox, &fails(&mut sandbox.brawn(&["restore", "lib"]), 3)), @r"
    error: lib/libc.a was not patched by Brawn: lib/libc.a.brawn.json is missing
    hint: nothing was changed
    ");
}

#[test]
fn a_file_that_changed_since_is_left_alone() {
    let sandbox = Sandbox::new();
    let (path, _) = toolchain(&sandbox);
    ok(&mut sandbox.brawn(&["patch", "lib"]));
    fs_err::write(&path, "updated").unwrap();
    let said = ["patch", "restore"].map(|command| {
        let message = fails(&mut sandbox.brawn(&[command, "lib"]), 3);
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
    let sandbox = Sandbox::new();
    let (path, _) = toolchain(&sandbox);
    ok(&mut sandbox.brawn(&["patch", "lib"]));
    let patched = fs_err::read(&path).unwrap();
    fs_err::write(path.with_file_name("libc.a.brawn-original"), "other").unwrap();
    let message = fails(&mut sandbox.brawn(&["restore", "lib"]), 3);
    assert!(message.contains("is not the original that was kept"), "{message}");
    assert!(fs_err::read(&path).unwrap() == patched);
}

#[test]
fn a_patch_that_was_broken_off_can_be_repeated_or_undone() {
    for command in ["patch", "restore"] {
        let sandbox = Sandbox::new();
        let (path, original) = toolchain(&sandbox);
        ok(&mut sandbox.brawn(&["patch", "lib"]));
        // The last step of a patch is the rename of the new archive: without it, this is what stands there.
        fs_err::write(&path, &original).unwrap();
        ok(&mut sandbox.brawn(&[command, "lib"]));
        let patched = fs_err::read(&path).unwrap() != original;
        assert_eq!(patched, command == "patch");
        assert_eq!(files(&sandbox).len(), if patched { 3 } else { 1 });
    }
}

/// Restores what a killed command left, and makes sure that nothing else is there and the original is back.
fn restores(sandbox: &Sandbox, original: &[u8], what: &str) {
    let output = sandbox.brawn(&["restore", "lib"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || said.contains("was not patched by Brawn"), "{what}: {said}");
    assert_eq!(files(sandbox), ["libc.a"], "{what}");
    assert!(fs_err::read(sandbox.path().join("lib/libc.a")).unwrap() == original, "{what}");
}

/// The system calls by which files get their names.
const NAMING: &[&[libc::c_long]] = &[
    #[cfg(target_arch = "x86_64")]
    &[libc::SYS_link, libc::SYS_linkat],
    #[cfg(not(target_arch = "x86_64"))]
    &[libc::SYS_linkat],
    #[cfg(target_arch = "x86_64")]
    &[libc::SYS_rename, libc::SYS_renameat, libc::SYS_renameat2],
    #[cfg(not(target_arch = "x86_64"))]
    &[libc::SYS_renameat, libc::SYS_renameat2],
    &[libc::SYS_fsync],
];

#[test]
fn what_a_killed_patch_left_goes_with_the_next_command() {
    let sandbox = Sandbox::new();
    let (path, original) = toolchain(&sandbox);
    for calls in NAMING {
        for next in ["patch", "restore"] {
            let killed = common::kill_at(&mut sandbox.brawn(&["patch", "lib"]), calls).output().unwrap();
            assert!(killed.status.code().is_none(), "it was to be killed: {killed:?}");
            assert!(fs_err::read(&path).unwrap() == original);
            assert!(
                files(&sandbox).iter().any(|name| name.starts_with(".brawn-tmp-")),
                "{:?}",
                files(&sandbox)
            );
            if next == "patch" {
                ok(&mut sandbox.brawn(&["patch", "lib"]));
                assert_eq!(files(&sandbox), ["libc.a", "libc.a.brawn-original", "libc.a.brawn.json"]);
            }
            restores(&sandbox, &original, &format!("{calls:?}, then {next}"));
        }
    }
}

#[test]
fn a_patch_that_is_killed_at_any_moment_can_be_undone() {
    let sandbox = Sandbox::new();
    let (_, original) = toolchain(&sandbox);
    let start = std::time::Instant::now();
    ok(&mut sandbox.brawn(&["patch", "lib"]));
    let whole = start.elapsed();
    let kills = if long() { 150 } else { 12 };
    for kill in 0..kills {
        // Every third kill meets a restore, every third a patch over a patch.
        let args: &[&str] = match kill % 3 {
            0 => &["patch", "lib"],
            1 => &["patch", "--malloc", "mimalloc2", "lib"],
            _ => &["restore", "lib"],
        };
        if kill % 3 != 0 {
            ok(&mut sandbox.brawn(&["patch", "lib"]));
        }
        let mut child = sandbox.brawn(args).stdout(std::process::Stdio::null()).spawn().unwrap();
        // The last fifth, in which the files are written, is met as often as the rest.
        let part = f64::from(kill) / f64::from(kills);
        let part = if kill % 2 == 0 { part } else { 0.8 + part / 4.0 };
        std::thread::sleep(whole.mul_f64(part));
        let _ = child.kill();
        child.wait().unwrap();
        restores(&sandbox, &original, &format!("{args:?} killed after {part:.2}"));
    }
}

#[test]
fn a_running_patch_is_not_disturbed_by_another_command() {
    let sandbox = Sandbox::new();
    let (path, original) = toolchain(&sandbox);
    let children: Vec<_> = (0..4)
        .map(|n| {
            let args: &[&str] =
                if n % 2 == 0 { &["patch", "lib"] } else { &["libc", "-q", "-o", "lib/overlay"] };
            sandbox.brawn(args).stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    fs_err::remove_dir_all(path.with_file_name("overlay")).unwrap();
    restores(&sandbox, &original, "four at once");
}

#[test]
fn a_full_disk_leaves_the_toolchain_as_it_was() {
    let sandbox = Sandbox::new();
    let original = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    sandbox.write("original.a", &original);
    fs_err::create_dir(sandbox.path().join("lib")).unwrap();
    let unshare: &[&str] = if rustix::process::geteuid().is_root() { &["-m"] } else { &["-rm"] };
    if !Command::new("unshare").args(unshare).arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this machine lets no one make a file system");
        return;
    }
    let size = original.len().div_ceil(4096) * 4 + 4;
    // Room for the original, and for less and less of the archive.
    for more in [0, 4, 512, 2048] {
        let script = format!(
            "mount -t tmpfs -o size={}k none lib && cp original.a lib/libc.a && \"$0\" patch lib; code=$?; \
             ls -A lib >&2; cmp original.a lib/libc.a || exit 99; exit $code",
            size + more
        );
        let mut command = sandbox.command("unshare");
        command.args(unshare).args(["sh", "-c", &script, env!("CARGO_BIN_EXE_brawn")]);
        let said = fails(&mut command, 5);
        assert!(said.contains("cannot write to lib/libc.a"), "{said}");
        assert!(said.contains("hint: make room on that file system"), "{said}");
        assert!(said.ends_with("\nlibc.a\n"), "{more}: {said}");
    }
}

#[test]
fn a_lost_or_damaged_record_does_not_lose_the_original() {
    let sandbox = Sandbox::new();
    let (path, original) = toolchain(&sandbox);
    let record = path.with_file_name("libc.a.brawn.json");
    for next in ["patch", "restore"] {
        ok(&mut sandbox.brawn(&["patch", "lib"]));
        fs_err::remove_file(&record).unwrap();
        let base = ok(&mut sandbox.brawn(&["libc", "--json", "--from", "lib/libc.a"]));
        assert!(base.contains(&brawn_libc::sha256_hex(&original)), "links start from the original");
        ok(&mut sandbox.brawn(&[next, "lib"]));
        assert_eq!(record.exists(), next == "patch");
        restores(&sandbox, &original, next);
    }
    ok(&mut sandbox.brawn(&["patch", "lib"]));
    fs_err::write(&record, "{").unwrap();
    let said = fails(&mut sandbox.brawn(&["restore", "lib"]), 3);
    assert!(
        said.contains("hint: it is damaged, or another version's: remove lib/libc.a.brawn.json"),
        "{said}"
    );
    fs_err::remove_file(&record).unwrap();
    // What the note does not vouch for is no original.
    let kept = path.with_file_name("libc.a.brawn-original");
    fs_err::write(&kept, "other").unwrap();
    let said = fails(&mut sandbox.brawn(&["restore", "lib"]), 3);
    assert!(said.contains("is not the original that was kept"), "{said}");
    fs_err::remove_file(&kept).unwrap();
    let said = fails(&mut sandbox.brawn(&["patch", "lib"]), 3);
    assert!(said.contains("no original is kept beside it: start from"), "{said}");
}

#[test]
fn siblings_of_patch_leave_nothing_for_ever_either() {
    let sandbox = Sandbox::new();
    let package = common::built("swept");
    let image = ["image", "-o", "out/image.tar", package.to_str().unwrap()];
    for args in [&["libc", "-q", "-o", "out"][..], &["preload", "-q", "-o", "out/heap.so"], &image] {
        fs_err::create_dir(sandbox.path().join("out")).unwrap();
        let left = || {
            let entries = fs_err::read_dir(sandbox.path().join("out")).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name.starts_with(".brawn")).collect::<Vec<_>>()
        };
        let calls = NAMING[1];
        let killed = common::kill_at(&mut sandbox.brawn(args), calls).output().unwrap();
        assert!(killed.status.code().is_none(), "{args:?} was to be killed: {killed:?}");
        assert!(!left().is_empty(), "{args:?}");
        ok(&mut sandbox.brawn(args));
        assert!(left().is_empty(), "{args:?}: {:?}", left());
        fs_err::remove_dir_all(sandbox.path().join("out")).unwrap();
    }
}

#[test]
fn dry_runs_write_nothing() {
    let sandbox = Sandbox::new();
    let (path, original) = toolchain(&sandbox);
    let said = ok(&mut sandbox.brawn(&["--dry-run", "patch", "lib"]));
    assert!(said.contains("would be patched"), "{said}");
    assert_eq!(files(&sandbox), ["libc.a"]);
    ok(&mut sandbox.brawn(&["patch", "lib"]));
    ok(&mut sandbox.brawn(&["restore", "--dry-run", "lib"]));
    assert!(fs_err::read(path).unwrap() != original);
}

#[test]
fn links_start_from_the_original_of_a_patched_toolchain() {
    let sandbox = Sandbox::new();
    let (_, original) = toolchain(&sandbox);
    ok(&mut sandbox.brawn(&["patch", "lib"]));
    let manifest = ok(&mut sandbox.brawn(&["libc", "--json", "--malloc", "stock", "--from", "lib/libc.a"]));
    assert!(manifest.contains(&brawn_libc::sha256_hex(&original)), "{manifest}");
}

#[test]
fn a_plain_cargo_links_whole_programs_with_a_patched_toolchain() {
    // A toolchain that is this one, but for a libc.a of its own.
    let sandbox = Sandbox::new();
    let package = sandbox.package("plain");
    let libc = rust_libc(Arch::X86_64);
    let own = sandbox.path().join("self-contained");
    ok(sandbox.command("cp").arg("-r").arg(libc.parent().unwrap()).arg(&own));
    ok(&mut sandbox.brawn(&["patch", "self-contained"]));
    let flags = format!("-Lnative={}", own.display());
    ok(sandbox
        .command("cargo")
        .args(["build", "--target", "x86_64-unknown-linux-musl"])
        .current_dir(&package)
        .env("RUSTFLAGS", flags));
    let program = package.join("target/x86_64-unknown-linux-musl/debug/plain");
    let said = ok(sandbox.brawn(&["verify"]).arg(&program));
    assert!(said.contains(&format!("one heap: {DEFAULT_MALLOC}")), "{said}");
    assert_eq!(ok(&mut sandbox.command(program.to_str().unwrap())), "1 2 3\n");
}

#[test]
fn nothing_named_is_an_error() {
    let sandbox = Sandbox::new();
    let message = fails(&mut sandbox.brawn(&["patch"]), 2);
    assert!(message.contains("which libc.a? Give its path, --rustup or --system"), "{message}");
}

#[test]
fn the_rust_toolchains_targets_are_found_and_restored() {
    let sandbox = Sandbox::new();
    // A toolchain of its own: a rustc that only knows where it is, and both targets' libc.a.
    let script =
        format!("#!/bin/sh\necho {}/rust\necho x86_64-unknown-linux-gnu\n", sandbox.path().display());
    let rustc = sandbox.write("rustc", script);
    ok(sandbox.command("chmod").arg("+x").arg(&rustc));
    let place = |arch: Arch| format!("rust/lib/rustlib/{}/lib/self-contained/libc.a", arch.musl_triple());
    let originals = Arch::ALL.map(|arch| {
        let bytes = fs_err::read(rust_libc(arch)).unwrap();
        (sandbox.write(&place(arch), &bytes), bytes)
    });
    let run = |args: &[&str]| ok(sandbox.brawn(args).env("RUSTC", &rustc));
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
    let sandbox = Sandbox::new();
    let said = ok(&mut sandbox.brawn(&["patch", "--system", "--dry-run"]));
    assert!(said.contains(&format!("libc.a: would be patched, {DEFAULT_MALLOC} ")), "{said}");
    assert!(!said.contains("gnu/libc.a"), "that is glibc's: {said}");
}

#[test]
fn a_folder_that_cannot_be_written_stays_as_it_is() {
    let sandbox = Sandbox::new();
    let (path, original) = toolchain(&sandbox);
    // Permissions do not stop root; a file that stands where the original would be kept stops everyone.
    sandbox.write("lib/libc.a.brawn-original/in-the-way", "");
    let message = fails(&mut sandbox.brawn(&["patch", "lib"]), 5);
    assert!(message.starts_with("error: cannot write to lib/libc.a.brawn-original"), "{message}");
    assert!(fs_err::read(path).unwrap() == original);
}

#[test]
fn a_system_below_a_folder_is_patched_where_its_distribution_keeps_its_libc() {
    let bytes = fs_err::read(rust_libc(Arch::X86_64)).unwrap();
    for place in ["usr/lib", "usr/lib/x86_64-linux-musl", "usr/x86_64-linux-musl/lib"] {
        let sandbox = Sandbox::new();
        let path = sandbox.write(&format!("root/{place}/libc.a"), &bytes);
        // A glibc beside it is another system's.
        let other = sandbox.write("root/usr/lib/x86_64-linux-gnu/libc.a", "not ours");
        let said = ok(&mut sandbox.brawn(&["patch", "--system", "--root", "root"]));
        assert!(said.contains(&format!("{place}/libc.a: patched, ")), "{said}");
        assert!(fs_err::read(&path).unwrap() != bytes);
        assert_eq!(fs_err::read(&other).unwrap(), b"not ours");
        ok(&mut sandbox.brawn(&["restore", "--system", "--root", "root"]));
        assert!(fs_err::read(&path).unwrap() == bytes, "{place}");
    }
}

#[test]
fn a_folder_without_a_musl_and_a_link_out_of_it_are_refused() {
    let sandbox = Sandbox::new();
    let (outside, original) = toolchain(&sandbox);
    fs_err::create_dir_all(sandbox.path().join("root/usr/lib")).unwrap();
    fs_err::os::unix::fs::symlink(&outside, sandbox.path().join("root/usr/lib/libc.a")).unwrap();
    let said = fails(&mut sandbox.brawn(&["patch", "--system", "--root", "root"]), 2);
    assert!(said.starts_with("error: no libc.a of musl below "), "{said}");
    assert!(said.contains("musl-dev on Alpine"), "{said}");
    assert!(fs_err::read(&outside).unwrap() == original);
    fails(&mut sandbox.brawn(&["patch", "--root", "root"]), 2);
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
        eprintln!("skipped: this machine lets no one change the root folder");
        return;
    };
    if !executable.exists() {
        assert!(std::env::var_os("CI").is_none(), "`make brawn` builds {}", executable.display());
        eprintln!("skipped: `make brawn` builds the static executable");
        return;
    }
    let sandbox = Sandbox::new();
    let bytes = fs_err::read(rust_libc(Arch::host().unwrap())).unwrap();
    let path = sandbox.write("root/usr/lib/libc.a", &bytes);
    fs_err::create_dir_all(sandbox.path().join("root/usr/bin")).unwrap();
    fs_err::copy(&executable, sandbox.path().join("root/usr/bin/brawn")).unwrap();
    let root = sandbox.path().join("root");
    let run = |args: &[&str]| {
        let mut command = sandbox.command(chroot[0]);
        command.args(&chroot[1..]).arg(&root).arg("/usr/bin/brawn").args(args);
        ok(command.env("BRAWN_CACHE_DIR", "/cache"))
    };
    let said = run(&["patch", "--system", "--root", "/"]);
    assert!(said.starts_with("/usr/lib/libc.a: patched, "), "{said}");
    assert!(fs_err::read(&path).unwrap() != bytes);
    run(&["restore", "--system", "--root", "/"]);
    assert!(fs_err::read(&path).unwrap() == bytes);
}
