//! What a thread costs with each allocator preloaded, in system calls: those that it makes without one, and
//! what the allocator's row in `allocators.toml` adds (`kit-threads`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use brawn_kit_build::table;
use brawn_libc::Choice;
use brawn_preload::{Libc, Library};

mod common;
use common::skip;

/// Between these two numbers of threads lies what a thread costs, without what a start costs.
const FEW: i64 = 50;
const MANY: i64 = 150;

/// How many calls a run of the program makes, by name.
fn calls(folder: &Path, program: &Path, library: Option<&Path>, threads: i64) -> BTreeMap<String, i64> {
    let trace = folder.join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(&trace);
    if let Some(library) = library {
        // For the program alone, not for strace.
        command.arg("-E").arg(format!("LD_PRELOAD={}", library.display()));
    }
    let status = command.arg(program).arg(threads.to_string()).status().expect("strace starts");
    assert!(status.success(), "{library:?}: {status}");
    let text = fs_err::read_to_string(trace).expect("a trace");
    let mut calls = BTreeMap::new();
    for line in text.lines() {
        // PID NAME(ARGUMENTS…: the second halves of calls that another thread's came between begin with `<`.
        let Some((name, _)) = line.split_once(' ').and_then(|(_, call)| call.trim_start().split_once('('))
        else {
            continue;
        };
        // Which of the two gives memory back is the kernel's age.
        let name = if name == "process_madvise" { "madvise" } else { name };
        // Whether somebody has to wait for the end of a thread is a matter of time.
        if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && name != "futex" {
            *calls.entry(name.to_owned()).or_default() += 1;
        }
    }
    calls
}

/// How many calls one thread makes, by name: none of those that it does not make each time.
fn of_a_thread(folder: &Path, program: &Path, library: Option<&Path>) -> BTreeMap<String, i64> {
    let few = calls(folder, program, library, FEW);
    let many = calls(folder, program, library, MANY).into_iter();
    let threads = MANY - FEW;
    many.map(|(name, count)| {
        let more = count - few.get(&name).copied().unwrap_or(0);
        (name, (more + threads / 2).div_euclid(threads))
    })
    .filter(|(_, count)| *count != 0)
    .collect()
}

fn compiled(folder: &Path) -> PathBuf {
    let program = folder.join("threads");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/threads.c");
    let mut command = Command::new("cc");
    command.args(["-O1", "-std=gnu11", "-pthread", "-fno-builtin"]).arg(source).arg("-o").arg(&program);
    assert!(command.status().expect("the compiler runs").success());
    program
}

#[test]
fn a_thread_makes_the_system_calls_that_its_allocator_needs_and_no_other() {
    if brawn_preload::program::libc_of_system().ok() != Some(Libc::Glibc) {
        return skip("the programs of this machine do not load glibc");
    }
    let Ok(version) = Command::new("strace").arg("--version").output() else {
        return skip("no strace; `make setup` as root installs it");
    };
    let traces = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !version.status.success() || !traces.expect("strace starts").success() {
        return skip("this machine does not let strace look into programs");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = compiled(folder.path());
    let alone = of_a_thread(folder.path(), &program, None);
    assert!(alone.values().sum::<i64>() > 3, "a thread is begun and ended: {alone:?}");
    let rows = table::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-kit/libc/malloc"));
    let rows = rows.expect("the table of allocators");
    for name in brawn_kit::library_names() {
        let row = rows.iter().find(|row| row.name == name).expect("a row");
        let choice = Choice::malloc(name).expect("an allocator");
        let arch = Arch::host().expect("an architecture of the kit");
        let library = Library::new(&choice, Libc::Glibc, arch).expect("a library");
        let library = library.placed(folder.path()).expect("it is written");
        let mut expected = alone.clone();
        for call in row.exception("kit-threads", false).iter().flat_map(|exception| &exception.add) {
            *expected.entry(call.clone()).or_default() += 1;
        }
        assert_eq!(of_a_thread(folder.path(), &program, Some(&library)), expected, "{name}");
    }
}
