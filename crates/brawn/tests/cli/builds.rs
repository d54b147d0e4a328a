//! `brawn bench A B -- ARGS`: builds of the user's own program, compared.

use std::os::unix::fs::PermissionsExt;

use brawn_measure::results::Results;
use insta::assert_snapshot;

use crate::common::{Sandbox, fails, ok};

/// Allocates as long as `ROUNDS` says, and prints the same whatever that is.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    for (long round = 0; round < ROUNDS * 1000L; round++) {
        char *volatile block = malloc(64 + round % 64);
        block[0] = 1;
        free(block);
    }
    printf("%s done\n", argc > 1 ? argv[1] : "nothing");
    return 0;
}
"#;

/// The program by this machine's compiler, as `slow/app`, and by Brawn, as `fast/app`, with less to do.
fn builds() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", SOURCE);
    for folder in ["slow", "fast"] {
        fs_err::create_dir(sandbox.path().join(folder)).unwrap();
    }
    ok(sandbox.command("cc").args(["-O2", "-DROUNDS=600", "main.c", "-o", "slow/app"]));
    ok(&mut sandbox.brawn(&["cc", "-O2", "-DROUNDS=1", "main.c", "-o", "fast/app"]));
    sandbox
}

fn script(sandbox: &Sandbox, name: &str, text: &str) {
    let path = sandbox.write(name, format!("#!/bin/sh\n{text}\n"));
    fs_err::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn two_builds_are_a_table_with_what_is_inside() {
    let sandbox = builds();
    let bench = ["bench", "slow/app", "fast/app", "--no-noise", "--time", "0.3", "--out", "out"];
    let table = ok(sandbox.brawn(&bench).args(["--format", "markdown", "--", "it is"]));
    let row = |name: &str| {
        let start = format!("| {name} | ");
        let row = table.lines().find_map(|line| line.strip_prefix(&start)).expect("the row is there");
        row.trim_end_matches(" |").split(" | ").map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(table.starts_with("### `slow`, `fast`\n"), "{table}");
    assert!(row("time")[1].ends_with(" better") && row("time")[1].contains("**-"), "{table}");
    assert_eq!(row("peak memory").len(), 2, "{table}");
    assert!(row("libc")[0].starts_with("glibc, ") && row("libc")[1].starts_with("musl 1.2."), "{table}");
    assert!(row("functions")[1].starts_with("Brawn's: strings"), "{table}");
    assert_eq!(row("linkage")[1], "static-pie");

    let results = Results::load(&sandbox.path().join("out/results.json")).unwrap();
    assert!(results.is_of_builds() && results.complete);
    let inside = results.variants[1].inside.as_ref().unwrap();
    assert_eq!(inside.bytes, fs_err::metadata(sandbox.path().join("fast/app")).unwrap().len());
    assert!(inside.heap.contains("Brawn's kit"), "{inside:?}");
    assert_eq!(results.suites[0].cases[0].runs[0].argv[1], "it is");
    assert_eq!(fs_err::read_to_string(sandbox.path().join("out/results.md")).unwrap(), table);
    ok(&mut sandbox.brawn(&["bench", "compare", "out", "out", "--fail-if", "time>3%"]));
}

#[test]
fn builds_that_cannot_be_compared_are_refused() {
    let sandbox = Sandbox::new();
    script(&sandbox, "one", "echo one; cat");
    script(&sandbox, "two", "echo two");
    script(&sandbox, "broken", "echo it broke >&2; exit 3");
    sandbox.write("plain", "text");
    let run = |args: &[&str]| {
        let mut command = sandbox.brawn(&["bench", "--no-noise", "--time", "0.1"]);
        command.args(args);
        command
    };
    let refused = |args: &[&str], code| {
        let message = fails(&mut run(args), code);
        message.split("\n\nUsage").next().unwrap().trim_end().to_owned()
    };
    assert_snapshot!(refused(&["one", "none", "--"], 2), @r"
    error: there is no executable none
      caused by: No such file or directory (os error 2)
    hint: builds are named by their files, before `--`: brawn bench ./before ./after -- ARGS
    ");
    assert_snapshot!(refused(&["one", "plain", "--"], 2), @r"
    error: plain is not executable
    hint: `chmod +x` makes it so
    ");
    assert_snapshot!(refused(&["one", ".", "--"], 2), @r"
    error: . is no file
    hint: name the executable itself
    ");
    assert_snapshot!(refused(&["one", "--"], 2), @r"
    error: a comparison needs two builds or more
    hint: name them before `--`, the baseline first: brawn bench ./before ./after -- ARGS
    ");
    assert_snapshot!(refused(&["a=one", "a=two", "--"], 2), @r"
    error: build 'a' was given twice
    hint: give each build a name: NAME=FILE
    ");
    let message = refused(&["./one", "./two"], 2);
    assert!(
        message.starts_with("error: ./one is no suite. Builds of your own program stand before `--`"),
        "{message}"
    );
    let message = refused(&["one", "two", "--case", "x", "--"], 2);
    assert!(message.contains("--case is for suites"), "{message}");
    let message = refused(&["threads", "--stdin", "plain"], 2);
    assert!(message.contains("--stdin is for builds"), "{message}");
    let message = refused(&["one", "two", "--"], 1);
    // Which of them ran first is up to the seed.
    assert!(message.contains(" print different output, first at line 1\n"), "{message}");
    assert!(message.contains("one | one") && message.contains("two | two"), "{message}");
    let message = refused(&["one", "broken", "--"], 1);
    assert!(message.contains("variant `broken` ended with status 3, expected status 0"), "{message}");
    assert!(message.contains("it broke"), "{message}");
    // Nothing was measured, and nothing is left.
    let left = fs_err::read_dir(sandbox.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with("brawn-bench")));
    ok(&mut run(&["one", "same=one", "--stdin", "plain", "--"]));
    ok(&mut run(&["one", "two", "--output", "ignore", "--"]));
}
