//! The libraries for aarch64 on a machine that is not: the C program of the other tests, compiled by zig, started by Debian's
//! loaders for that architecture, glibc's and musl's, under qemu-user.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use brawn_elf::Arch;
use brawn_libc::Choice;
use brawn_preload::{Libc, Library, Program};

mod common;
#[path = "../../../tests/emulator.rs"]
mod emulator;
use common::skip;

/// What the program never takes, even on a busy machine: its children end by themselves after a minute.
const LIMIT: Duration = Duration::from_secs(180);

/// What brings a loader and its libc for aarch64, and can be unpacked anywhere: package, file, SHA-256.
fn package(libc: Libc) -> [&'static str; 3] {
    match libc {
        Libc::Glibc => [
            "libc6-arm64-cross",
            "libc6-arm64-cross_2.36-8cross1_all.deb",
            "91936cbbee75771c360ed16513f6e734a25ca5517fe7c3e13dfd7835d7553186",
        ],
        Libc::Musl => [
            "musl",
            "musl_1.2.3-1_arm64.deb",
            "6ccf2bf0f479b00411cb8e1eeb048e648718170db5d63bbb4bf4a89350b81468",
        ],
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn ok(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// The folder that programs for this libc take for the root, or why it cannot be had.
fn root(libc: Libc, folder: &Path) -> Result<PathBuf, String> {
    let [name, file, sha256] = package(libc);
    // Kept between runs, so that a second one needs no network.
    let downloads = Path::new(env!("CARGO_TARGET_TMPDIR")).join("downloads");
    let script = repository().join("crates/brawn-bench/debian-source");
    let fetched = Command::new(script).args([name, file, sha256]).arg(&downloads).output();
    let fetched = fetched.map_err(|error| error.to_string())?;
    if !fetched.status.success() {
        return Err(String::from_utf8_lossy(&fetched.stderr).into_owned());
    }
    let unpack = Command::new("dpkg-deb").arg("--extract").arg(downloads.join(file)).arg(folder).status();
    match unpack {
        Ok(status) if status.success() => {}
        _ => return Err(format!("dpkg-deb could not unpack {file}")),
    }
    // A cross package has everything below the folder of its architecture.
    Ok(if libc == Libc::Glibc { folder.join("usr/aarch64-linux-gnu") } else { folder.to_owned() })
}

/// The program and the module, for a libc that is loaded at run time.
fn compiled(zig: &Path, folder: &Path, libc: Libc) -> (PathBuf, PathBuf) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let compile = |args: &[&str], source: &str| {
        let output = folder.join(source).with_extension("elf");
        let mut command = Command::new(zig);
        command.arg("cc").args(match libc {
            // The oldest glibc that has threads in libc.so itself.
            Libc::Glibc => &["-target", "aarch64-linux-gnu.2.34"][..],
            // Without the word, zig links musl statically.
            Libc::Musl => &["-target", "aarch64-linux-musl", "-dynamic"],
        });
        command.args(["-O1", "-std=gnu11", "-pthread", "-fno-builtin", "-fno-sanitize=undefined"]).args(args);
        ok(command.arg(sources.join(source)).arg("-o").arg(&output));
        output
    };
    (compile(&["-rdynamic"], "family.c"), compile(&["-shared", "-fPIC"], "module.c"))
}

fn everything(libc: Libc) {
    if Arch::host() == Some(Arch::Aarch64) {
        return; // The other tests try the same without an emulator.
    }
    let qemu = ["qemu-aarch64-static", "qemu-aarch64"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(qemu) = qemu else {
        return skip("there is no qemu-aarch64-static; `make setup` installs it");
    };
    let zig = repository().join(".tools/zig/ziglang/zig");
    if !zig.exists() {
        return skip("there is no zig in .tools; `make setup` installs it");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let root = match root(libc, &folder.path().join("root")) {
        Ok(root) => root,
        Err(why) => return skip(&why),
    };
    let (program, module) = compiled(&zig, folder.path(), libc);
    let looked = Program::look(&program).expect("a program");
    assert_eq!((looked.libc, looked.arch), (libc, Arch::Aarch64));
    for name in brawn_kit::library_names() {
        let choice = Choice::malloc(name).expect("an allocator");
        let library = Library::new(&choice, libc, Arch::Aarch64).expect("a library");
        let library = library.placed(folder.path()).expect("it is written");
        let own = format!("libbrawn-{name}.so");
        let (wrote, said) = (folder.path().join("stdout"), folder.path().join("stderr"));
        let start = |preload: Option<&Path>| {
            let command = || {
                let mut command = Command::new(qemu);
                command.env_remove("LD_PRELOAD").arg("-L").arg(&root);
                if let Some(library) = preload {
                    command.arg("-E").arg(format!("LD_PRELOAD={}", library.display()));
                }
                command.arg(&program).arg(&own);
                command.arg(if libc == Libc::Musl { &own } else { "libc.so.6" });
                command.arg(&module).arg("5").stdin(Stdio::null());
                command.stdout(fs_err::File::create(&wrote)?.into_file());
                command.stderr(fs_err::File::create(&said)?.into_file());
                Ok(command)
            };
            let status = emulator::run(command, LIMIT, true).expect("it starts");
            let status = status.unwrap_or_else(|| panic!("{name} on {libc}: not done in {LIMIT:?}"));
            let read = |path: &Path| fs_err::read_to_string(path).expect("what it wrote");
            (status, read(&wrote), read(&said))
        };
        let (status, wrote, said) = start(Some(&library));
        assert!(status.success(), "{name} on {libc}: {status}: {said}");
        assert_eq!(wrote, "whole\n", "{name} on {libc}");
        assert!(said.is_empty(), "{name} on {libc}: {said}");
        // The program does notice when the heap is another.
        let (status, wrote, _) = start(None);
        assert!(!status.success() && wrote.is_empty(), "{libc}: not preloaded, and not noticed");
    }
}

#[test]
fn a_c_program_for_aarch64_on_glibc_stays_whole() {
    everything(Libc::Glibc);
}

#[test]
fn a_c_program_for_aarch64_on_musl_stays_whole() {
    everything(Libc::Musl);
}
