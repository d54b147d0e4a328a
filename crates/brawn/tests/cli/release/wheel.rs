//! The wheel, installed as Python's users install it.

use std::path::{Path, PathBuf};

use brawn_elf::Arch;

use super::{probe, script};
use crate::common::{Sandbox, fails, ok};

fn arch() -> String {
    Arch::host().unwrap().to_string()
}

fn make(sandbox: &Sandbox, out: &str) -> PathBuf {
    let mut command = script(sandbox, "wheel");
    command.args(["--version", "0.1.0", "--arch", &arch(), "--out", out]).arg(probe());
    PathBuf::from(ok(&mut command).trim())
}

#[test]
fn it_installs_into_an_environment_and_runs() {
    let sandbox = Sandbox::new();
    let wheel = make(&sandbox, "wheels");
    ok(sandbox.command("python3").args(["-m", "venv", "--without-pip", "environment"]));
    let pip =
        ["-m", "pip", "--python", "environment/bin/python", "install", "--no-index", "--no-deps", "--quiet"];
    ok(sandbox
        .command("python3")
        .args(pip)
        .arg(sandbox.path().join(&wheel))
        .env("PIP_ROOT_USER_ACTION", "ignore"));
    let program = sandbox.path().join("environment/bin/brawn-probe");
    assert_eq!(ok(&mut sandbox.command(program.to_str().unwrap())), "1 2 3\n");
    assert_eq!(fs_err::read(&program).unwrap(), fs_err::read(probe()).unwrap());
    let shown = ok(sandbox.command("python3").args([
        "-m",
        "pip",
        "--python",
        "environment/bin/python",
        "show",
        "brawn",
    ]));
    assert!(shown.contains("Version: 0.1.0") && shown.contains("MIT OR Apache-2.0"), "{shown}");
}

/// As `uvx brawn` runs it, from a folder in the index's place.
#[test]
fn uv_runs_it_without_an_installation() {
    let sandbox = Sandbox::new();
    make(&sandbox, "wheels");
    let uvx = |found: &[&str]| {
        let mut command = sandbox.command("uvx");
        command.args(["--offline", "--no-index", "--quiet"]).args(found);
        command.args(["--from", "brawn", "brawn-probe"]).env("UV_CACHE_DIR", sandbox.path().join("uv"));
        command
    };
    if uvx(&["--version"]).output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "`make setup` installs uv");
        eprintln!("left out: there is no uvx");
        return;
    }
    assert_eq!(ok(&mut uvx(&["--find-links", "wheels"])), "1 2 3\n");
    let error = uvx(&[]).output().unwrap();
    assert!(!error.status.success(), "it is from that folder, and from nowhere else");
}

#[test]
fn the_same_executable_makes_the_same_wheel() {
    let sandbox = Sandbox::new();
    let bytes = |path: &Path| fs_err::read(sandbox.path().join(path)).unwrap();
    let one = bytes(&make(&sandbox, "one"));
    assert_eq!(one, bytes(&make(&sandbox, "two")));
}

#[test]
fn what_would_not_run_everywhere_is_refused() {
    let sandbox = Sandbox::new();
    let refused = |arch: &str, executable: &str| {
        let mut command = script(&sandbox, "wheel");
        let stderr =
            fails(command.args(["--version", "0.1.0", "--arch", arch, "--out", "wheels", executable]), 1);
        assert!(!sandbox.path().join("wheels").exists());
        stderr
    };
    // What the tests run is linked with glibc.
    let dynamic = refused(&arch(), env!("CARGO_BIN_EXE_brawn"));
    assert!(dynamic.contains("is dynamic, and would not run on every Linux\nhint: "), "{dynamic}");
    let other = if arch() == "x86_64" { "aarch64" } else { "x86_64" };
    assert!(refused(other, probe().to_str().unwrap()).contains("is for another architecture than"));
    let text = sandbox.write("text", "#!/bin/sh\n");
    assert!(refused(&arch(), text.to_str().unwrap()).contains("is no 64-bit ELF executable"));
    assert!(refused(&arch(), "nowhere").contains("No such file"));
}
