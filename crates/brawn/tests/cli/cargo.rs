//! `brawn cargo SUBCOMMAND`: what it says of each executable that cargo links or runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Sandbox, ok};

/// A package with a program and a test.
fn package(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.package("program");
    let text = fs_err::read_to_string(folder.join("src/main.rs")).unwrap();
    sandbox.write(
        "program/src/main.rs",
        format!("{text}\n#[test]\nfn one() {{ assert_eq!(vec![1].len(), 1); }}\n"),
    );
    folder
}

/// Runs a command that must succeed; gives standard output, and Brawn's own lines on standard error.
fn said(command: &mut Command) -> (String, Vec<String>) {
    let output = command.output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{command:?}: {error}");
    let lines = error.lines().filter(|line| line.starts_with("brawn: ")).map(str::to_owned).collect();
    (String::from_utf8(output.stdout).unwrap(), lines)
}

#[test]
fn each_executable_gets_one_line_whether_it_is_linked_or_up_to_date() {
    let sandbox = Sandbox::new();
    let folder = package(&sandbox);
    let cargo = |args: &[&str]| said(sandbox.brawn(&["cargo"]).args(args).current_dir(&folder));
    for (args, prints) in [(&["run", "--", "a"][..], "1 2 3\n"), (&["test"], "test one ... ok")] {
        for fresh in [false, true] {
            let (output, lines) = cargo(args);
            assert!(output.contains(prints), "{output}");
            let [line] = &lines[..] else { panic!("{args:?}: {lines:?}") };
            assert!(line.contains("program") && line.contains("musl 1."), "{line}");
            assert!(line.contains("preset balanced"), "{line}");
            assert!(line.contains("; verified: static, one heap: brawn "), "{line}");
            assert_eq!(line.contains(", up to date"), fresh, "{line}");
        }
    }
    let (_, lines) = cargo(&["run", "--quiet"]);
    assert!(lines.is_empty(), "{lines:?}");
    // What follows `--` is the program's.
    let (_, lines) = cargo(&["run", "--", "--quiet"]);
    assert_eq!(lines.len(), 1);

    let root = sandbox.path().join("root");
    let (_, lines) = cargo(&["install", "--path", ".", "--root", root.to_str().unwrap()]);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.starts_with("brawn: program: ") && line.contains("one heap"), "{line}");
    ok(sandbox.brawn(&["verify"]).arg(root.join("bin/program")));
}

#[test]
fn programs_get_the_same_as_an_object() {
    let sandbox = Sandbox::new();
    let folder = package(&sandbox);
    let output =
        sandbox.brawn(&["--message-format", "json", "cargo", "run"]).current_dir(folder).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    let object = error.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{error}"));
    let object: serde_json::Value = serde_json::from_str(object).unwrap();
    assert_eq!(object["reason"], "brawn-executable");
    assert!(object["heaps"].as_str().unwrap().starts_with("one heap: brawn"), "{object}");
    assert_eq!(output.stdout, b"1 2 3\n");
}

#[test]
fn the_runner_that_the_user_has_runs_the_program() {
    let sandbox = Sandbox::new();
    let folder = package(&sandbox);
    let runner = sandbox.write(
        "runner",
        "#!/bin/sh\necho \"with $1, and ${BRAWN_SOCKET:-no variable}\"; shift; exec \"$@\"\n",
    );
    ok(Command::new("chmod").arg("+x").arg(&runner));
    let text = format!("{} word", runner.display());
    let mut command = sandbox.brawn(&["cargo", "run"]);
    command.current_dir(&folder).env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUNNER", text);
    let (output, lines) = said(&mut command);
    assert_eq!(output, "with word, and no variable\n1 2 3\n");
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn an_executable_that_fails_the_gate_does_not_run() {
    let sandbox = Sandbox::new();
    let folder = package(&sandbox);
    let run = || sandbox.brawn(&["cargo", "run"]).current_dir(&folder).output().unwrap();
    assert!(run().status.success());
    // Another's file in the place of the one that cargo calls up to date, with its time.
    let program = folder.join("target/x86_64-unknown-linux-musl/debug/program");
    for path in [&program, &linked(&program)] {
        let time = path.metadata().unwrap().modified().unwrap();
        fs_err::remove_file(path).unwrap();
        ok(sandbox.command("cc").args(["-x", "c", "-", "-o"]).arg(path).stdin(std::process::Stdio::from(
            fs_err::File::open(sandbox.write("other.c", "int main(void) { return 0; }\n"))
                .unwrap()
                .into_parts()
                .0,
        )));
        fs_err::OpenOptions::new().append(true).open(path).unwrap().into_file().set_modified(time).unwrap();
    }
    let output = run();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{error}");
    assert!(error.contains("does not pass verification") && error.contains("dynamic"), "{error}");
}

/// The name under which cargo linked an executable.
fn linked(program: &Path) -> PathBuf {
    let folder = program.parent().unwrap().join("deps");
    let entries = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names = entries.filter(|path| path.extension().is_none());
    names.next().expect("cargo linked it")
}

/// An executable for each example, and one line for all of them.
#[test]
fn examples_in_the_documentation_get_a_line_together() {
    let sandbox = Sandbox::new();
    let folder = sandbox.package("program");
    let example = "//! ```\n//! assert_eq!(vec![1].len(), 1);\n//! ```\n";
    let alone = "//! ```standalone_crate\n//! assert_eq!(vec![1].len(), 1);\n//! ```\n";
    sandbox.write("program/src/lib.rs", [example, "//!\n", example, "//!\n", alone].concat());
    let (output, lines) = said(sandbox.brawn(&["cargo", "test", "--doc"]).current_dir(&folder));
    assert!(output.contains("2 passed") && output.contains("1 passed"), "{output}");
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.starts_with("brawn: examples in the documentation: "), "{line}");
    assert!(line.contains("; verified: static, one heap: brawn "), "{line}");
    let (_, lines) = said(sandbox.brawn(&["cargo", "test", "--doc", "--quiet"]).current_dir(&folder));
    assert!(lines.is_empty(), "{lines:?}");
}
