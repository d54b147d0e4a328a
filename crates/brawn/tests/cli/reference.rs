//! `docs/reference/cli.md` is made from the program's own help; this test says when it is stale.

use std::path::Path;

use brawn_base::Code;

use crate::common::{Sandbox, ok};

const COMMANDS: &[&str] = &[
    "init",
    "build",
    "cargo",
    "cc",
    "c++",
    "env",
    "libc",
    "patch",
    "restore",
    "relink",
    "graft",
    "verify",
    "inspect",
    "check",
    "doctor",
    "bench",
    "tune",
    "fleet",
    "image",
    "preload",
    "run",
    "cache",
    "completions",
    "man",
];

/// Commands of commands.
const INNER: &[(&str, &str)] = &[
    ("bench", "compare"),
    ("bench", "report"),
    ("fleet", "plan"),
    ("fleet", "run"),
    ("fleet", "status"),
    ("fleet", "collect"),
    ("fleet", "report"),
    ("fleet", "delete"),
    ("fleet", "canary"),
    ("cache", "trim"),
    ("cache", "clear"),
];

fn reference() -> String {
    let sandbox = Sandbox::new();
    let help = |args: &[&str]| {
        // A fixed width, and no trailing blanks, whatever the terminal.
        let text = ok(sandbox.brawn(args).env("COLUMNS", "100"));
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
    };
    let mut text = String::from(
        "# Commands\n\nMade from the program's own help:\n`BRAWN_RENEW=1 cargo test -p brawn --test cli -- reference` writes it again.\n",
    );
    text.push_str(&format!("\n## `brawn`\n\n```text\n{}\n```\n", help(&["--help"])));
    for command in COMMANDS {
        text.push_str(&format!("\n## `brawn {command}`\n\n```text\n{}\n```\n", help(&[command, "--help"])));
    }
    for (command, inner) in INNER {
        let help = help(&[command, inner, "--help"]);
        text.push_str(&format!("\n## `brawn {command} {inner}`\n\n```text\n{help}\n```\n"));
    }
    text
}

#[test]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
    let reference = reference();
    if std::env::var_os("BRAWN_RENEW").is_some() {
        fs_err::write(&path, &reference).unwrap();
    }
    let committed = fs_err::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == reference,
        "docs/reference/cli.md is stale: renew it with `BRAWN_RENEW=1 cargo test -p brawn --test cli -- reference`"
    );
}

#[test]
fn every_command_is_in_the_reference() {
    let sandbox = Sandbox::new();
    let help = ok(&mut sandbox.brawn(&["--help"]));
    // Groups of commands, each with a heading, stand before the options.
    let listed = help.lines().skip_while(|line| *line != "Build:").take_while(|line| *line != "Options:");
    // Names stand two columns in; the lines of a long description stand further in.
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<_> = names.filter(|name| !name.is_empty() && *name != "help").collect();
    assert_eq!(names, COMMANDS);
}

#[test]
fn every_exit_code_is_published() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
    let committed = fs_err::read_to_string(committed).unwrap();
    let help = ok(Sandbox::new().brawn(&["--help"]).env("COLUMNS", "100"));
    for text in [committed, help] {
        let list = text.lines().skip_while(|line| *line != "Exit codes:").skip(1);
        let rows: Vec<&str> = list.take_while(|line| !line.starts_with("  `")).collect();
        let codes = Code::ALL.iter().map(|code| format!("  {}  {}", *code as u8, code.meaning()));
        let codes: Vec<String> = std::iter::once("  0  success".to_owned()).chain(codes).collect();
        assert_eq!(rows, codes);
    }
}
