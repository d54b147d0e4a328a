//! `brawn preload` and `brawn run`, as a user meets them. What the libraries stand is tested in `brawn-preload`.

use std::os::unix::fs::PermissionsExt as _;

use crate::common::{Sandbox, fails, ok, redact};
use brawn_elf::Arch;
use insta::assert_snapshot;

#[test]
fn a_library_is_written_and_described() {
    let sandbox = Sandbox::new();
    let said = ok(&mut sandbox.brawn(&[
        "preload",
        "--malloc",
        "jemalloc",
        "--libc",
        "glibc",
        "--target",
        "x86_64-unknown-linux-musl",
    ]));
    assert_eq!(said, "libbrawn-jemalloc.so\n");
    assert!(sandbox.path().join("libbrawn-jemalloc.so").exists());
    let arguments = [
        "preload",
        "--malloc",
        "mimalloc",
        "--knob",
        "mimalloc.purge_delay=7",
        "--libc",
        "musl",
        "-o",
        "a.so",
        "--target",
        "aarch64-unknown-linux-musl",
        "--message-format",
        "json",
    ];
    let document: serde_json::Value = serde_json::from_str(&ok(&mut sandbox.brawn(&arguments))).unwrap();
    let bytes = fs_err::read(sandbox.path().join("a.so")).unwrap();
    assert_eq!(document["size"], bytes.len());
    assert_eq!((&document["malloc"], &document["libc"]), (&"mimalloc".into(), &"musl".into()));
    assert_eq!((&document["arch"], &document["strings"]), (&"aarch64".into(), &true.into()));
    assert!(bytes.windows(14).any(|at| at == b"purge_delay:7,"), "the knob is inside");
    ok(&mut sandbox.brawn(&["preload", "--malloc", "rpmalloc", "--dry-run", "-o", "b.so"]));
    assert!(!sandbox.path().join("b.so").exists(), "--dry-run wrote something");
}

#[test]
fn inspect_knows_the_heap_in_a_library() {
    let sandbox = Sandbox::new();
    ok(&mut sandbox.brawn(&["preload", "--malloc", "mimalloc", "-o", "a.so"]));
    let said = ok(&mut sandbox.brawn(&["inspect", "--json", "a.so"]));
    assert!(said.contains("mimalloc"), "{said}");
}

#[test]
fn what_makes_no_library_is_refused() {
    let sandbox = Sandbox::new();
    let names = brawn_kit::library_names().collect::<Vec<_>>().join(", ");
    let refused = |args: &[&str], code| {
        let said = fails(sandbox.brawn(&["preload", "--libc", "musl"]).args(args), code);
        redact(&sandbox, &said).replace(&names, "[NAMES]")
    };
    assert_snapshot!(refused(&["--malloc", "brawn-hardened"], 2), @r"
    error: brawn-hardened cannot be preloaded: it works inside musl's own heap, which musl's libc.so keeps to itself, and glibc does not have
    hint: --malloc takes one of [NAMES]
    ");
    assert_snapshot!(refused(&["--malloc", "stock"], 2), @r"
    error: stock cannot be preloaded: it is the heap that the program has without us
    hint: --malloc takes one of [NAMES]
    ");
    assert_snapshot!(refused(&["--malloc", "mimalloc", "--cpu", "x86-64-v3"], 2), @r"
    error: --cpu x86-64-v3 has no effect on a library to preload
    hint: leave --cpu x86-64-v3 away
    ");
    let said = refused(&["--malloc", "mimalloc", "-o", "no/such/folder/a.so"], 5);
    assert!(said.starts_with("error: cannot write no/such/folder/a.so\n  caused by: No such file"), "{said}");
}

/// A script that says which library it was started with, run by the system's shell.
const SHOW: &str = "#!/bin/sh\necho \"$LD_PRELOAD\"; grep -c libbrawn- /proc/$$/maps; exit 7\n";

#[test]
fn a_program_runs_with_the_heap_and_keeps_its_arguments_and_status() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("show", SHOW);
    fs_err::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = sandbox.brawn(&["run", "--preload", "rpmalloc", "--", "./show"]);
    let output = command.env("LD_PRELOAD", "").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let mut lines = said.lines();
    assert!(lines.next().unwrap().ends_with("/libbrawn-rpmalloc.so"), "{said}");
    assert!(lines.next().unwrap().parse::<u32>().unwrap() > 0, "{said}: not loaded");
    assert_eq!(output.status.code(), Some(7));
    let said = ok(sandbox
        .brawn(&["run", "--malloc", "snmalloc", "--", "sh", "-c", "echo $0 $1", "one", "--two"])
        .env("LD_PRELOAD", ""));
    assert_eq!(said, "one --two\n");
}

#[test]
fn another_library_that_is_preloaded_stays_behind_ours() {
    let sandbox = Sandbox::new();
    ok(&mut sandbox.brawn(&["preload", "--malloc", "rpmalloc", "-o", "other.so"]));
    let other = sandbox.path().join("other.so");
    let said = ok(sandbox
        .brawn(&["run", "--preload", "mimalloc", "--", "sh", "-c", "echo $LD_PRELOAD"])
        .env("LD_PRELOAD", &other));
    let (ours, theirs) = said.trim().split_once(':').unwrap();
    assert!(ours.ends_with("/libbrawn-mimalloc.so") && theirs == other.to_string_lossy(), "{said}");
}

#[test]
fn programs_that_take_no_library_are_refused() {
    let sandbox = Sandbox::new();
    let refused = |program: &str, code| {
        redact(&sandbox, &fails(&mut sandbox.brawn(&["run", "--preload", "mimalloc", "--", program]), code))
    };
    assert_snapshot!(refused("no-such-program", 4), @r"
    error: there is no program no-such-program on PATH
    hint: give its path, with a slash in it
    ");
    sandbox.write("plain", "hello\n");
    assert_snapshot!(refused("./plain", 4), @r"
    error: there is no program ./plain
    hint: give an executable file (chmod +x)
    ");
    let executable = |name: &str, bytes: &[u8]| {
        let path = sandbox.write(name, bytes);
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    executable("text", b"hello\n");
    assert_snapshot!(refused("./text", 3), @r"
    error: ./text is neither an ELF executable nor a script
    hint: name the program that runs it in front of it
    ");
    // A static executable of Brawn's own making.
    let source = sandbox.write("main.rs", "fn main() {}");
    let arch = Arch::host().unwrap();
    let mut rustc = sandbox.command("rustc");
    rustc.arg(source).args([
        "--target",
        arch.musl_triple(),
        "-Cpanic=abort",
        "-Clinker=rust-lld",
        "-o",
        "static",
    ]);
    ok(&mut rustc);
    let said = refused("./static", 3);
    assert!(said.starts_with("error: ./static is a static executable"), "{said}");
    assert!(said.contains("hint: if Brawn made it, `brawn relink ./static"), "{said}");
}

/// A guide's blocks in a language.
fn blocks(guide: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    guide.split(&fence).skip(1).map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_guides_commands_work() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/preload.md");
    let guide = fs_err::read_to_string(guide).unwrap();
    let sandbox = Sandbox::new();
    let brawn = std::path::Path::new(env!("CARGO_BIN_EXE_brawn")).parent().unwrap();
    let path = format!("{}:{}", brawn.display(), std::env::var("PATH").unwrap());
    let shell = |script: &str| {
        let mut command = sandbox.command("bash");
        ok(command.args(["-euo", "pipefail", "-c", script]).env("PATH", &path).env("LD_PRELOAD", ""))
    };
    let said: Vec<String> = blocks(&guide, "sh").iter().map(|block| shell(block)).collect();
    assert_eq!(said, ["hello\n", "libbrawn-mimalloc\n"]);
    // The image's command, with the library in this folder.
    let image = blocks(&guide, "dockerfile").concat();
    let command = image.lines().find_map(|line| line.strip_prefix("RUN ")).unwrap();
    let (write, _) = command.split_once(" && ").unwrap();
    let place = image.lines().find_map(|line| line.strip_prefix("ENV LD_PRELOAD=")).unwrap();
    assert!(write.ends_with(place), "what is written is what is loaded");
    shell(&write.replace(place, "libheap.so"));
    assert!(shell("LD_PRELOAD=$PWD/libheap.so cat /proc/self/maps").contains("/libheap.so"));
}
