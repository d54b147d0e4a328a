//! What `brawn verify` and `brawn inspect` print, and how they end.

mod common;

use common::{Bench, DEFAULT_MALLOC, fails, ok};
use insta::assert_snapshot;

const PROGRAM: &str =
    "#include <stdlib.h>\nint main(int n, char **v) { free(malloc(n)); return v[0] == 0; }\n";

#[test]
fn each_file_gets_its_verdict() {
    let bench = Bench::new();
    bench.write("program.c", PROGRAM);
    ok(&mut bench.brawn(&["cc", "program.c", "-o", "good"]));
    ok(bench.command("strip").args(["good", "-o", "stripped"]));
    ok(bench.command("cc").args(["program.c", "-o", "dynamic"]));
    ok(bench.command("musl-gcc").args(["-static", "program.c", "-o", "stock"]));
    ok(&mut bench.brawn(&["verify", "good", "stripped"]));

    let dynamic = fails(&mut bench.brawn(&["verify", "dynamic"]), 1);
    assert!(dynamic.starts_with("error: dynamic: "), "{dynamic}");
    assert!(dynamic.contains("[dynamic-executable]") || dynamic.contains("[not-static]"), "{dynamic}");
    let stock = fails(&mut bench.brawn(&["verify", "good", "stock"]), 1);
    assert!(stock.contains("error: stock: ") && stock.contains("note"), "{stock}");
    assert_snapshot!(fails(&mut bench.brawn(&["verify", "missing"]), 5), @r"
    error: failed to open file `missing`: No such file or directory (os error 2)
    ");
}

#[test]
fn json_is_for_programs() {
    let bench = Bench::new();
    bench.write("program.c", PROGRAM);
    ok(&mut bench.brawn(&["cc", "program.c", "-o", "program"]));
    for args in [&["verify", "--json", "program"][..], &["--message-format", "json", "verify", "program"]] {
        let value: serde_json::Value = serde_json::from_str(&ok(&mut bench.brawn(args))).unwrap();
        assert_eq!(value["ok"], true);
        assert_eq!(value["report"]["note"]["malloc"], DEFAULT_MALLOC);
    }
    let value: serde_json::Value =
        serde_json::from_str(&ok(&mut bench.brawn(&["inspect", "--json", "program"]))).unwrap();
    assert_eq!(value["libc"]["name"], "musl");
}

#[test]
fn any_executable_can_be_inspected_and_other_files_are_refused() {
    let bench = Bench::new();
    bench.write("text", "not an executable\n");
    let said = ok(&mut bench.brawn(&["inspect", env!("CARGO_BIN_EXE_brawn")]));
    assert!(said.contains("linkage") && said.contains("libc"), "{said}");
    let message = fails(&mut bench.brawn(&["inspect", "text"]), 3);
    assert!(message.starts_with("error: cannot inspect text\n  caused by: "), "{message}");
}
