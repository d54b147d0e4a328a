//! `brawn graft`, and `brawn restore` of what it wrote.

use crate::common::{Sandbox, fails, ok};
use insta::assert_snapshot;

const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
    int main(int n, char **v) {\n  char line[99];\n  while (fgets(line, 99, stdin)) printf(\"%zu %s\", strlen(line), line);\n\
    if (n > 1) printf(\"%s %d\\n\", v[1], !strcmp(v[1], \"pid\") ? getpid() : n);\n\
    return n > 2 ? atoi(v[2]) : *(unsigned char *)&memcpy == 0xe9 && n == 1; }\n";

fn stock(sandbox: &Sandbox) {
    sandbox.write("program.c", PROGRAM);
    ok(sandbox.command("musl-gcc").args(["-O1", "-fno-builtin", "-static", "program.c", "-o", "old"]));
}

#[test]
fn a_program_is_grafted_compared_verified_and_restored() {
    let sandbox = Sandbox::new();
    stock(&sandbox);
    let read = |name: &str| fs_err::read(sandbox.path().join(name)).unwrap();
    let before = read("old");
    let said = ok(&mut sandbox.brawn(&["graft", "old", "-o", "new", "--check", "--", "words", "7"]));
    assert!(said.starts_with("new: ") && said.contains("grafted") && said.contains("strlen"), "{said}");
    assert!(said.contains("left         vfprintf: it reads musl's streams"), "{said}");
    assert!(read("old") == before);
    let said = ok(&mut sandbox.brawn(&["verify", "new"]));
    assert!(
        said.starts_with("new: static, no heap: nothing in it allocates, ") && said.contains("grafted"),
        "{said}"
    );
    let said = ok(&mut sandbox.brawn(&["inspect", "new"]));
    assert!(said.contains("grafted") && said.contains("strings        Brawn's"), "{said}");

    // What it does differently is seen, and then nothing is written.
    assert_snapshot!(fails(&mut sandbox.brawn(&["graft", "old", "-o", "other", "--check"]), 1), @r"
    error: other was not written
      caused by: the grafted program does not do the same: one ended with exit status: 0, one with exit status: 1
    hint: this is a fault in Brawn worth a report; with --musl FAMILY its own functions stay
    ");
    let unsteady = fails(&mut sandbox.brawn(&["graft", "old", "-o", "other", "--check", "--", "pid"]), 1);
    assert!(unsteady.contains("does not do the same twice"), "{unsteady}");
    assert!(!sandbox.path().join("other").exists());

    ok(&mut sandbox.brawn(&["restore", "new", "--dry-run"]));
    ok(&mut sandbox.brawn(&["restore", "new"]));
    assert!(read("new") == before);
    ok(&mut sandbox.brawn(&["graft", "old", "--in-place", "--musl", "numbers,sort"]));
    assert!(read("old") != before);
    ok(&mut sandbox.brawn(&["restore", "old"]));
    assert!(read("old") == before);
}

/// The programs of `tests/libc` that are tried with a heap that was grafted, with their arguments: blocks and their ends, threads
/// and their own data, fork, large blocks.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("model", &["1", "threads=8"]),
    ("thread_data", &["1"]),
    ("thread_churn", &["1"]),
    ("fork_from_threads", &["1"]),
    ("large", &["1"]),
    ("containers", &["1"]),
];

#[test]
fn a_stripped_program_gets_a_heap() {
    let sandbox = Sandbox::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/libc");
    for (name, args) in PROGRAMS {
        let source = format!("{folder}/{name}.c");
        let flags = ["-O1", "-w", "-D_GNU_SOURCE", "-pthread", "-static", "-s"];
        ok(sandbox.command("musl-gcc").args(flags).args([&source, "-o", name]));
        let new = format!("{name}.new");
        let said = ok(&mut sandbox.brawn(&["graft", name, "-o", &new, "--malloc", "brawn"]));
        assert!(said.contains("  heap         ") && said.contains("free"), "{said}");
        ok(sandbox.command(&format!("./{new}")).args(*args));
        let said = ok(&mut sandbox.brawn(&["verify", &new]));
        assert!(said.contains("static, one heap: brawn 0.1.0, "), "{said}");
        ok(&mut sandbox.brawn(&["restore", &new]));
        let read = |name: &str| fs_err::read(sandbox.path().join(name)).unwrap();
        assert!(read(&new) == read(name), "{name}");
    }
    // It is that heap indeed.
    sandbox.write(
        "twice.c",
        "#include <stdlib.h>\nint main(void) { void *volatile p = malloc(40); free(p); free(p); }\n",
    );
    ok(sandbox.command("musl-gcc").args(["-O1", "-w", "-static", "-s", "twice.c", "-o", "twice"]));
    for heap in ["brawn", "brawn-hardened"] {
        ok(&mut sandbox.brawn(&["graft", "twice", "-o", "twice.new", "--malloc", heap]));
        let output = sandbox.command("./twice.new").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains("brawn: a block was freed twice"),
            "{heap}: {output:?}"
        );
    }
    ok(&mut sandbox.brawn(&["graft", "twice", "-o", "twice.new", "--malloc", "stock"]));
    let output = sandbox.command("./twice.new").output().unwrap();
    assert!(!output.status.success() && output.stderr.is_empty(), "{output:?}");
}

const THREADS: &str = "use std::{cell::RefCell, thread};\n\
    thread_local! { static OWN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) }; }\n\
    fn main() {\n  let work = |n: usize| thread::spawn(move || {\n    let all: Vec<Vec<u8>> = (0..9999).map(|i| vec![7; i * n % 3000]).collect();\n\
    OWN.with(|own| own.borrow_mut().push(\"x\".repeat(n)));\n    all.iter().map(Vec::len).sum::<usize>()\n  });\n\
    let all: Vec<_> = (1..5).map(work).collect();\n  for one in all { println!(\"{}\", one.join().unwrap()); }\n}\n";

#[test]
fn so_do_programs_that_are_loaded_anywhere_on_both_architectures() {
    let sandbox = Sandbox::new();
    sandbox.write("threads.rs", THREADS);
    for (arch, run) in [("x86_64", ""), ("aarch64", "qemu-aarch64-static")] {
        let target = format!("{arch}-unknown-linux-musl");
        for strip in ["symbols", "none"] {
            let mut rustc = sandbox.command("rustc");
            rustc.args(["-O", "--target", &target, "-Clinker=rust-lld", &format!("-Cstrip={strip}")]);
            ok(rustc.args(["threads.rs", "-o", "old"]));
            let said = ok(&mut sandbox.brawn(&["graft", "old", "-o", "new", "--malloc", "brawn"]));
            assert!(said.contains("  heap         "), "{said}");
            let output = |name: &str| {
                let words = [run, name];
                let mut words = words.into_iter().filter(|word| !word.is_empty());
                ok(sandbox.command(words.next().unwrap()).args(words))
            };
            assert_eq!(output("./old"), output("./new"), "{arch} {strip}");
        }
    }
}

#[test]
fn json_and_dry_runs_tell_what_would_be_done() {
    let sandbox = Sandbox::new();
    stock(&sandbox);
    let said = ok(&mut sandbox.brawn(&["graft", "old", "--dry-run", "--json", "--musl", "text"]));
    let value: serde_json::Value = serde_json::from_str(&said).unwrap();
    let rows = value["report"]["functions"].as_array().unwrap();
    let row = |name: &str| {
        rows.iter().find(|row| row["names"].to_string().contains(&format!("\"{name}\""))).unwrap()
    };
    assert!(row("memcpy")["refused"].is_null());
    assert!(row("vfprintf")["refused"].is_string());
    assert!(value["path"].is_null());
    assert_eq!(fs_err::read_dir(sandbox.path()).unwrap().count(), 2);
}

#[test]
fn what_cannot_be_grafted_onto_says_why() {
    let sandbox = Sandbox::new();
    stock(&sandbox);
    let old = fs_err::read(sandbox.path().join("old")).unwrap();
    let refused = |name: &str, code: i32, why: &str| {
        let said = fails(&mut sandbox.brawn(&["graft", name, "-o", "new"]), code);
        assert!(said.contains(why), "{name}: {said}");
        assert!(!sandbox.path().join("new").exists(), "{name}");
    };
    sandbox.write("cut", &old[..old.len() / 2]);
    refused("cut", 3, "the file ends before its last segment does");
    sandbox.write("text", "#!/bin/sh\n");
    refused("text", 3, "not an ELF file");
    let mut packed = old.clone();
    packed[0x200..0x204].copy_from_slice(b"UPX!");
    sandbox.write("packed", &packed);
    refused("packed", 3, "it is packed with UPX");
    sandbox.write("archive", [&old[..], b"PK and more"].concat());
    refused("archive", 3, "11 bytes of data follow the executable");
    let mut machine = old.clone();
    machine[18] = 243;
    sandbox.write("machine", &machine);
    refused("machine", 3, "it is for riscv64, which there is no kit for");
    ok(sandbox.command("cc").args(["program.c", "-o", "dynamic"]));
    refused("dynamic", 3, "it is dynamic");
    ok(sandbox.command("cc").args(["-static", "program.c", "-o", "glibc"]));
    refused("glibc", 3, "its libc is glibc, not musl");
    ok(&mut sandbox.brawn(&["cc", "program.c", "-o", "made"]));
    refused("made", 3, "Brawn linked it");
    ok(&mut sandbox.brawn(&["graft", "old", "-o", "grafted"]));
    refused("grafted", 3, "functions were grafted onto it already");
    refused(".", 3, "is a directory");

    let wrong = |args: &[&str], code: i32, why: &str| {
        let said = fails(sandbox.brawn(&["graft", "old"]).args(args), code);
        assert!(said.contains(why), "{args:?}: {said}");
    };
    wrong(&["-o", "old"], 2, "say --in-place");
    wrong(&[], 2, "--output <NEW>");
    wrong(&["-o", "new", "--malloc", "mimalloc"], 3, "it cannot get the heap mimalloc: ");
    wrong(&["-o", "new", "--malloc", "brawn", "--from", "no/libc.a"], 5, "no/libc.a");
    wrong(&["-o", "new", "--musl", "thread"], 2, "there is no family of functions thread");
    wrong(&["-o", "new", "--knob", "strings.level=mmx"], 2, "there is no level of string functions mmx");
    wrong(&["-o", "new", "--preset", "fast"], 2, "does not use --preset");
    wrong(&["-o", "no/such/folder"], 5, "cannot write to no/such/folder");
    assert!(fails(&mut sandbox.brawn(&["restore", "old"]), 3).contains("nothing was grafted onto it"));
    ok(sandbox.command("strip").args(["grafted", "-o", "stripped"]));
    assert!(fails(&mut sandbox.brawn(&["restore", "stripped"]), 3).contains("not as `brawn graft` left it"));
}

#[test]
fn a_file_is_whole_or_absent() {
    let sandbox = Sandbox::new();
    // It changes when it was written last.
    sandbox.write(
        "program.c",
        "#include <stdio.h>\n#include <string.h>\n#include <utime.h>\n\
         int main(int n, char **v) { printf(\"%zu\\n\", strlen(v[n - 1])); return utime(v[n - 1], 0); }\n",
    );
    ok(sandbox.command("musl-gcc").args(["-O1", "-fno-builtin", "-static", "program.c", "-o", "old"]));
    let before = fs_err::read(sandbox.path().join("old")).unwrap();
    let kept = |said: &str| {
        assert!(fs_err::read(sandbox.path().join("old")).unwrap() == before, "{said}");
        let entries = fs_err::read_dir(sandbox.path()).unwrap();
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name == "new"), "{said}: {names:?}");
        let left = names.iter().filter(|name| name.to_string_lossy().starts_with(".brawn"));
        assert_eq!(left.count(), 0, "{said}: {names:?}");
    };
    let said = fails(&mut sandbox.brawn(&["graft", "old", "-o", "new", "--check", "--", "old"]), 3);
    assert!(said.contains("was written to meanwhile"), "{said}");
    kept(&said);
    let said = fails(&mut sandbox.brawn(&["graft", "old", "-o", "/proc/new"]), 5);
    assert!(said.contains("cannot write to /proc/new"), "{said}");
    // 8 KiB, and no signal: as on a full disk, but for the number of the error.
    let brawn = sandbox.brawn(&["graft", "old", "-o", "new"]);
    let line = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    let mut full = sandbox.command("sh");
    full.args(["-c", line]).arg(brawn.get_program()).args(brawn.get_args());
    full.envs(brawn.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let said = fails(&mut full, 5);
    assert!(said.contains("cannot write to new"), "{said}");
    kept(&said);
}

#[test]
fn what_speaks_of_the_old_file_is_named() {
    let sandbox = Sandbox::new();
    stock(&sandbox);
    let digest = ok(sandbox.command("sha256sum").arg("old"));
    sandbox.write("old.asc", "signed");
    sandbox.write("SHA256SUMS", &digest);
    sandbox.write("other.cdx.json", "{}");
    let output = sandbox.brawn(&["graft", "old", "-o", "new"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.lines().count() == 2, "{said}");
    assert!(
        said.contains("old.asc is not one of the grafted file") && said.contains("SHA256SUMS has the digest"),
        "{said}"
    );
}
