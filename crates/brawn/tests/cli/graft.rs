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
    wrong(&["-o", "new", "--malloc", "mimalloc"], 2, "a heap cannot be grafted yet");
    wrong(&["-o", "new", "--musl", "thread"], 2, "there is no family of functions thread");
    wrong(&["-o", "new", "--knob", "strings.level=mmx"], 2, "there is no level of string functions mmx");
    wrong(&["-o", "new", "--preset", "fast"], 2, "does not use --preset");
    wrong(&["-o", "no/such/folder"], 5, "cannot write to no/such/folder");
    assert!(fails(&mut sandbox.brawn(&["restore", "old"]), 3).contains("nothing was grafted onto it"));
    ok(sandbox.command("strip").args(["grafted", "-o", "stripped"]));
    assert!(fails(&mut sandbox.brawn(&["restore", "stripped"]), 3).contains("not as `brawn graft` left it"));
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
