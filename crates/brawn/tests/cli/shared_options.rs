//! Options that mean the same everywhere: a command uses them and shows them in its help, or it refuses them.

use crate::common::{Sandbox, commands, fails, ok};
use insta::assert_snapshot;

/// An option and a value for it.
const OPTIONS: &[&[&str]] = &[
    &["--target", "x86_64-unknown-linux-musl"],
    &["--preset", "stock"],
    &["--malloc", "stock"],
    &["--no-strings"],
    &["--musl", "environment"],
    &["--cpu", "x86-64-v3"],
    &["--knob", "strings.level=avx2"],
    &["--strict"],
    &["--allow-second-heap"],
    &["--one-heap"],
    &["--message-format", "json"],
    &["--dry-run"],
    &["--verbose"],
    &["--quiet"],
];

/// Commands with what they need on their line, and what they do not use. Those that hand their arguments on have no
/// options in their help to compare with.
const PASSED_ON: &[(&str, &[&str])] = &[
    ("build", &[]),
    ("cargo", &[]),
    ("cc", &["--message-format", "--dry-run"]),
    ("c++", &["--message-format", "--dry-run"]),
];

/// Enough arguments for each command to be read.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("graft", &["file", "-o", "new"]),
    ("relink", &["file"]),
    ("run", &["--", "true"]),
    ("verify", &["file"]),
    ("inspect", &["file"]),
    ("check", &["file"]),
    ("bench compare", &["file", "file"]),
    ("bench report", &["file"]),
    ("tune", &["--", "true"]),
    ("fleet canary", &["--response", "m=file,file"]),
    ("fleet collect", &["file", "--from", "file"]),
    ("fleet report", &["file"]),
    ("fleet status", &["folder"]),
    ("fleet delete", &["folder"]),
    ("completions", &["bash"]),
];

/// Every command in the help, and those of commands.
fn all_commands(sandbox: &Sandbox) -> Vec<String> {
    let mut all = commands(sandbox);
    // It is nothing without one of its own commands.
    all.retain(|command| command != "fleet");
    let inner = ["bench compare", "bench report", "cache clear", "cache trim"];
    let fleet = [
        "fleet canary",
        "fleet collect",
        "fleet report",
        "fleet plan",
        "fleet run",
        "fleet status",
        "fleet delete",
    ];
    all.extend(inner.iter().chain(&fleet).map(|command| (*command).to_owned()));
    assert!(all.len() > 20, "{all:?}");
    all
}

#[test]
fn what_a_command_does_not_use_it_refuses_before_it_does_anything() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "not an executable");
    let shared = ok(&mut sandbox.brawn(&["--help"]));
    let mut refused = 0;
    for command in all_commands(&sandbox) {
        let words: Vec<&str> = command.split(' ').collect();
        let passed_on = PASSED_ON.iter().find(|(name, _)| *name == command);
        let help = match passed_on {
            Some(_) => String::new(),
            None => ok(sandbox.brawn(&words).arg("--help")),
        };
        let shows = |help: &str, option: &str| {
            help.split_whitespace().any(|word| word.trim_end_matches("...") == option)
        };
        let arguments =
            ARGUMENTS.iter().find(|(name, _)| *name == command).map_or(&[][..], |(_, rest)| *rest);
        for option in OPTIONS {
            assert!(shows(&shared, option[0]), "{} is no option of all commands", option[0]);
            let used = match passed_on {
                Some((_, unused)) => !unused.contains(&option[0]),
                None => shows(&help, option[0]),
            };
            if used {
                continue;
            }
            refused += 1;
            let mut before = sandbox.brawn(option);
            before.args(&words).args(arguments);
            let mut after = sandbox.brawn(&words);
            after.args(*option).args(arguments);
            // Behind these, every argument is the other program's.
            let lines = if passed_on.is_some() || command == "completions" {
                vec![before]
            } else {
                vec![before, after]
            };
            for mut line in lines {
                let said = fails(&mut line, 2);
                let expected = format!("error: `brawn {command}` does not use {}", option[0]);
                assert!(said.starts_with(&expected), "{line:?}: {said}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
    assert_eq!(fs_err::read_dir(sandbox.path()).unwrap().count(), 1, "something was written");
}

#[test]
fn the_message_says_what_does_it_instead() {
    let sandbox = Sandbox::new();
    assert_snapshot!(fails(&mut sandbox.brawn(&["inspect", "--malloc", "mimalloc", "file"]), 2), @r"
    error: `brawn inspect` does not use --malloc: it says what is inside; `brawn verify` compares that with what is asked for

    Usage: brawn inspect [OPTIONS] <FILE>...

    For more information, try '--help'.
    ");
    let said = fails(&mut sandbox.brawn(&["bench", "--preset", "fast", "quick"]), 2);
    assert!(said.contains("does not use --preset: what is compared is said with --variants"), "{said}");
}

#[test]
fn options_for_what_is_built_are_refused_where_nothing_is() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "not an executable");
    for (args, option) in [
        (&["image", "file", "--preset", "small", "-o", "x.tar"][..], "--preset"),
        (&["image", "file", "--no-strings", "-o", "x.tar"], "--no-strings"),
        (&["tune", "--exe", "file", "--knob", "jemalloc.narenas=2", "--"], "--knob"),
        (&["tune", "--also", "--malloc brawn --target x", "--"], "--target"),
        (&["check", "--dry-run", "file"], "--dry-run"),
        (&["man", "--dry-run"], "--dry-run"),
    ] {
        let said = fails(&mut sandbox.brawn(args), 2);
        assert!(said.contains(&format!("does not use {option} here: ")), "{said}");
    }
}
