//! What `brawn verify` and `brawn inspect` print, and how they end.

use crate::common;
use crate::common::{DEFAULT_MALLOC, Sandbox, fails, ok};
use insta::assert_snapshot;

const PROGRAM: &str =
    "#include <stdlib.h>\nint main(int n, char **v) { free(malloc(n)); return v[0] == 0; }\n";

#[test]
fn each_file_gets_its_verdict() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", PROGRAM);
    ok(&mut sandbox.brawn(&["cc", "program.c", "-o", "good"]));
    ok(sandbox.command("strip").args(["good", "-o", "stripped"]));
    ok(sandbox.command("cc").args(["program.c", "-o", "dynamic"]));
    ok(sandbox.command("musl-gcc").args(["-static", "program.c", "-o", "stock"]));
    ok(&mut sandbox.brawn(&["verify", "good", "stripped"]));

    let dynamic = fails(&mut sandbox.brawn(&["verify", "dynamic"]), 1);
    assert!(dynamic.starts_with("error: dynamic: "), "{dynamic}");
    assert!(dynamic.contains("[dynamic-executable]") || dynamic.contains("[not-static]"), "{dynamic}");
    let stock = fails(&mut sandbox.brawn(&["verify", "good", "stock"]), 1);
    assert!(stock.contains("error: stock: ") && stock.contains("note"), "{stock}");
    assert_snapshot!(fails(&mut sandbox.brawn(&["verify", "missing"]), 5), @r"
    error: failed to open file `missing`: No such file or directory (os error 2)
    ");
}

#[test]
fn json_is_for_programs() {
    let sandbox = Sandbox::new();
    sandbox.write("program.c", PROGRAM);
    ok(&mut sandbox.brawn(&["cc", "program.c", "-o", "program"]));
    for args in [&["verify", "--json", "program"][..], &["--message-format", "json", "verify", "program"]] {
        let value: serde_json::Value = serde_json::from_str(&ok(&mut sandbox.brawn(args))).unwrap();
        assert_eq!(value["ok"], true);
        assert_eq!(value["report"]["note"]["malloc"], DEFAULT_MALLOC);
    }
    let value: serde_json::Value =
        serde_json::from_str(&ok(&mut sandbox.brawn(&["inspect", "--json", "program"]))).unwrap();
    assert_eq!(value["libc"]["name"], "musl");
}

#[test]
fn any_executable_can_be_inspected_and_other_files_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("text", "not an executable\n");
    let said = ok(&mut sandbox.brawn(&["inspect", env!("CARGO_BIN_EXE_brawn")]));
    assert!(said.contains("linkage") && said.contains("libc"), "{said}");
    let message = fails(&mut sandbox.brawn(&["inspect", "text"]), 3);
    assert!(message.starts_with("error: cannot inspect text\n  caused by: "), "{message}");
}

/// The same program, linked in other ways.
fn linked(sandbox: &Sandbox, options: &[&str], name: &str) {
    sandbox.write("program.c", PROGRAM);
    ok(sandbox.brawn(options).args(["cc", "program.c", "-o", name]));
}

#[test]
fn what_is_asked_for_has_to_be_inside() {
    let sandbox = Sandbox::new();
    linked(&sandbox, &[], "default");
    linked(&sandbox, &["--preset", "fast", "--knob", "jemalloc.narenas=2"], "knob");
    linked(&sandbox, &["--malloc", "jemalloc", "--no-strings"], "strings");
    linked(&sandbox, &["--malloc", "mimalloc", "--cpu", "x86-64-v3"], "cpu");
    let held = |args: &[&str], file: &str| ok(sandbox.brawn(&["verify"]).args(args).arg(file));
    let broken = |args: &[&str], file: &str| fails(sandbox.brawn(&["verify"]).args(args).arg(file), 1);

    for (args, file) in [
        (&["--malloc", DEFAULT_MALLOC][..], "default"),
        (&["--preset", "balanced"], "default"),
        (&["--target", "x86_64-unknown-linux-musl"], "default"),
        (&["--knob", "jemalloc.tcache_max=65536"], "knob"),
        // What the note does not name is as the allocator has it built in.
        (&["--malloc", "brawn", "--knob", "brawn.keep=100"], "default"),
        (&["--malloc", "jemalloc"], "knob"),
        (&["--preset", "fast", "--knob", "jemalloc.narenas=2"], "knob"),
        (&["--no-strings"], "strings"),
        (&["--malloc", "mimalloc", "--cpu", "x86-64-v3"], "cpu"),
    ] {
        held(args, file);
    }
    for (args, file, said) in [
        (&["--malloc", "mimalloc"][..], "default", "expected allocator mimalloc, found brawn"),
        (&["--malloc", "jemalloc"], "cpu", "expected allocator jemalloc, found mimalloc"),
        (&["--preset", "fast"], "default", "expected preset fast, found balanced"),
        (&["--preset", "small"], "default", "expected knob brawn.keep 25, found none"),
        // A preset is all of it, and nothing else.
        (&["--preset", "fast"], "knob", "expected knob jemalloc.narenas none, found 2"),
        (&["--preset", "fast", "--cpu", "x86-64-v3"], "knob", "for the processor x86-64-v3, found any"),
        (&["--preset", "balanced"], "strings", "expected preset balanced, found none"),
        (&["--preset", "balanced"], "strings", "expected string functions Brawn's, found musl's own"),
        (&["--knob", "jemalloc.narenas=4"], "knob", "expected knob jemalloc.narenas 4, found 2"),
        (&["--knob", "jemalloc.narenas=2"], "default", "expected knob jemalloc.narenas 2, found none"),
        (&["--no-strings"], "default", "expected string functions musl's own, found Brawn's"),
        (
            &["--cpu", "x86-64-v4"],
            "cpu",
            "expected string functions for the processor x86-64-v4, found x86-64-v3",
        ),
        (&["--target", "aarch64-unknown-linux-musl"], "default", "is for x86_64, not for aarch64"),
    ] {
        let message = broken(args, file);
        assert!(message.contains(said), "{args:?}: {message}");
    }
    assert_snapshot!(broken(&["--malloc", "mimalloc"], "default"), @r"
    error: default: expected allocator mimalloc, found brawn [not-as-asked]
    hint: an older executable may have been left in place, or built with other settings: link again
    ");
    let json = sandbox.brawn(&["verify", "--json", "--malloc", "mimalloc", "default"]).output().unwrap();
    assert_eq!(json.status.code(), Some(1));
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&value["ok"], &value["report"]["findings"][0]["code"]),
        (&false.into(), &"not-as-asked".into())
    );
}

#[test]
fn the_environment_asks_as_well_and_a_file_does_not() {
    let sandbox = Sandbox::new();
    linked(&sandbox, &[], "default");
    let verify = |variable: &str, value: &str, args: &[&str]| {
        let mut command = sandbox.brawn(&["verify"]);
        command.args(args).arg("default").env(variable, value);
        command
    };
    for (variable, value) in [
        ("BRAWN_MALLOC", "mimalloc"),
        ("BRAWN_PRESET", "fast"),
        ("BRAWN_KNOBS", "jemalloc.narenas=2"),
        ("BRAWN_STRINGS", "no"),
        ("BRAWN_CPU", "x86-64-v3"),
        ("BRAWN_TARGET", "aarch64-unknown-linux-musl"),
    ] {
        fails(&mut verify(variable, value, &[]), 1);
    }
    ok(&mut verify("BRAWN_MALLOC", DEFAULT_MALLOC, &[]));
    // The command line comes first.
    ok(&mut verify("BRAWN_MALLOC", "mimalloc", &["--preset", "balanced"]));
    sandbox.write("config/brawn/config.toml", "preset = \"hardened\"\n");
    ok(&mut sandbox.brawn(&["verify", "default"]));
}

#[test]
fn what_does_not_exist_cannot_be_asked_for() {
    let sandbox = Sandbox::new();
    linked(&sandbox, &[], "default");
    for args in [
        ["--malloc", "mimaloc"],
        ["--preset", "balancd"],
        ["--knob", "jemalloc.narena=2"],
        ["--knob", "mimalloc.purge_delay=-2"],
        ["--cpu", "x86-64-v5"],
        ["--target", "x86_64-unknown-linux-gnu"],
    ] {
        let said = fails(sandbox.brawn(&["verify"]).args(args).arg("default"), 2);
        assert!(said.starts_with("error: ") && said.contains("hint: "), "{said}");
    }
    let both = ["--malloc", "mimalloc", "--preset", "balanced"];
    assert!(fails(sandbox.brawn(&["verify"]).args(both).arg("default"), 2).contains("malloc 'mimalloc'"));
}

#[test]
fn a_program_that_never_allocates_is_said_to_have_no_heap() {
    let sandbox = Sandbox::new();
    sandbox.write("nothing.c", "int main(void) { return 0; }\n");
    ok(&mut sandbox.brawn(&["--malloc", "mimalloc", "cc", "nothing.c", "-o", "nothing"]));
    let said = ok(&mut sandbox.brawn(&["verify", "nothing"]));
    let version = common::note(&sandbox.path().join("nothing")).malloc_version.unwrap();
    let expected =
        format!("nothing: static, no heap: nothing in it allocates (mimalloc {version} was asked for), musl");
    assert!(said.starts_with(&expected), "{said}");
    linked(&sandbox, &[], "program");
    let said = ok(&mut sandbox.brawn(&["verify", "program"]));
    assert!(said.contains(&format!("program: static, one heap: {DEFAULT_MALLOC} ")), "{said}");
}
