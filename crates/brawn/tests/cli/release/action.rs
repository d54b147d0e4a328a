//! What `action.yml` runs, on a runner that is a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;

use super::{repository, script};
use crate::common::{Sandbox, fails, note, ok};

/// The step, with the files that a runner reads after it.
fn step(sandbox: &Sandbox, inputs: &[(&str, &str)]) -> Command {
    let mut command = script(sandbox, "action");
    for name in ["GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT"] {
        command.env(name, sandbox.write(name, ""));
    }
    command.env("RUNNER_TEMP", sandbox.path()).env("RUNNER_TOOL_CACHE", sandbox.path().join("tools"));
    for (name, value) in inputs {
        command.env(format!("BRAWN_ACTION_{name}"), value);
    }
    command
}

fn told(sandbox: &Sandbox, file: &str) -> String {
    fs_err::read_to_string(sandbox.path().join(file)).unwrap()
}

/// The variables of a file in the form that runners read: `NAME<<DELIMITER`, lines, the delimiter.
fn variables(text: &str) -> BTreeMap<String, String> {
    let mut lines = text.lines();
    let mut variables = BTreeMap::new();
    while let Some(line) = lines.next() {
        let (name, delimiter) = line.split_once("<<").expect("NAME<<DELIMITER");
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != delimiter).collect();
        variables.insert(name.to_owned(), value.join("\n"));
    }
    variables
}

/// A release's archive of the brawn under test, and its SHA-256.
fn archive(sandbox: &Sandbox) -> (PathBuf, String) {
    let folder = sandbox.path().join("brawn-0.1.0");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::hard_link(env!("CARGO_BIN_EXE_brawn"), folder.join("brawn"))
        .or_else(|_| fs_err::copy(env!("CARGO_BIN_EXE_brawn"), folder.join("brawn")).map(drop))
        .unwrap();
    ok(sandbox.command("tar").args(["-cf", "brawn.tar", "brawn-0.1.0"]));
    ok(sandbox.command("gzip").args(["-1", "brawn.tar"]));
    let path = sandbox.path().join("brawn.tar.gz");
    let sum = ok(sandbox.command("sha256sum").arg(&path));
    (path, sum.split(' ').next().unwrap().to_owned())
}

#[test]
fn every_input_reaches_the_script() {
    let action = fs_err::read_to_string(repository().join("action.yml")).unwrap();
    let script = fs_err::read_to_string(repository().join("scripts/action")).unwrap();
    let inputs = action.split("\ninputs:\n").nth(1).unwrap().split("\noutputs:").next().unwrap();
    let inputs: Vec<&str> = inputs
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|name| !name.starts_with(' '))
        .collect();
    assert!(inputs.len() > 5, "{inputs:?}");
    for name in inputs {
        let upper = name.to_uppercase();
        assert!(action.contains(&format!("BRAWN_ACTION_{upper}: ${{{{ inputs.{name} }}}}")), "{name}");
        assert!(script.contains(&format!("$(input {upper})")), "{name}");
    }
}

#[test]
fn steps_that_follow_build_with_brawn() {
    let sandbox = Sandbox::new();
    ok(&mut step(
        &sandbox,
        &[("PATH", env!("CARGO_BIN_EXE_brawn")), ("MALLOC", "mimalloc2"), ("ENVIRONMENT", "true")],
    ));
    let folder = Path::new(env!("CARGO_BIN_EXE_brawn")).parent().unwrap().canonicalize().unwrap();
    assert_eq!(Path::new(told(&sandbox, "GITHUB_PATH").trim()).canonicalize().unwrap(), folder);
    assert!(told(&sandbox, "GITHUB_OUTPUT").contains(concat!("version=", env!("CARGO_PKG_VERSION"), "\n")));
    let variables = variables(&told(&sandbox, "GITHUB_ENV"));
    assert!(variables.contains_key("CC") && variables.contains_key("CARGO_BUILD_TARGET"), "{variables:?}");
    // The next step is plain cargo, and knows nothing of Brawn.
    let package = sandbox.package("app");
    ok(sandbox.command("cargo").args(["build", "--quiet"]).current_dir(&package).envs(&variables));
    let triple = Arch::host().unwrap().musl_triple();
    let built = package.join("target").join(triple).join("debug/app");
    assert_eq!(note(&built).malloc, "mimalloc2");
    // And one that calls the C compiler of the environment.
    sandbox.write("main.c", "int main(void) { return 7; }\n");
    ok(sandbox.command("sh").args(["-c", "$CC main.c -o main"]).envs(&variables));
    fails(&mut sandbox.command("./main"), 7);
    assert_eq!(note(&sandbox.path().join("main")).malloc, "mimalloc2");
}

#[test]
fn an_archive_is_installed_when_its_checksum_is_right() {
    let sandbox = Sandbox::new();
    let (archive, sum) = archive(&sandbox);
    let inputs = [("ARCHIVE", archive.to_str().unwrap()), ("CHECKSUM", &sum), ("ENVIRONMENT", "false")];
    // A second run finds it installed.
    for _ in 0..2 {
        ok(&mut step(&sandbox, &inputs));
        let folder = PathBuf::from(told(&sandbox, "GITHUB_PATH").trim());
        assert!(folder.starts_with(sandbox.path().join("tools")), "{folder:?}");
        assert!(ok(Command::new(folder.join("brawn")).arg("--version")).starts_with("brawn "));
        assert_eq!(told(&sandbox, "GITHUB_ENV"), "");
    }

    let wrong = sum.replace(|c: char| c.is_ascii_digit(), "a");
    let error =
        fails(&mut step(&sandbox, &[("ARCHIVE", archive.to_str().unwrap()), ("CHECKSUM", &wrong)]), 1);
    assert!(
        error.contains("the archive is not the one that was asked for") && error.contains("hint: "),
        "{error}"
    );
    assert_eq!(told(&sandbox, "GITHUB_PATH"), "");
}

#[test]
fn what_cannot_be_installed_is_said() {
    let sandbox = Sandbox::new();
    let executable = env!("CARGO_BIN_EXE_brawn");
    let text = sandbox.write("brawn", "text");
    for (inputs, message) in [
        (&[][..], "it is not said which brawn to install"),
        (&[("ARCHIVE", "x.tar.gz")], "there is no checksum for x.tar.gz"),
        (&[("ARCHIVE", "x.tar.gz"), ("CHECKSUM", "0")], "there is no archive at x.tar.gz"),
        (&[("ARCHIVE", "http://host/x.tar.gz"), ("CHECKSUM", "0")], "no address that is safe to fetch from"),
        (&[("VERSION", "1"), ("PATH", executable)], "several of version, archive and path are given"),
        (&[("PATH", text.to_str().unwrap())], "there is no executable at "),
        (
            &[("PATH", executable), ("ENVIRONMENT", "true"), ("MALLOC", "mimaloc")],
            "brawn env --make --target",
        ),
    ] {
        let error = fails(&mut step(&sandbox, inputs), 1);
        assert!(error.contains(message) && error.contains("hint: "), "{inputs:?}: {error}");
    }
    let error = fails(step(&sandbox, &[]).env_remove("GITHUB_ENV"), 1);
    assert!(error.contains("GITHUB_ENV is not set"), "{error}");
}
