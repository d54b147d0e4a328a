//! `brawn fleet` with engines that answer what a test says: programs in a folder that stands first in `PATH`.

mod answers;
mod kubernetes;
mod machines;
mod real;
mod slurm;

use std::process::Command;

use crate::common::{Sandbox, built};

/// Makes a program of this name, which `brawn` finds before any other.
fn fake(sandbox: &Sandbox, name: &str, script: &str) {
    let path = sandbox.write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(path, mode).unwrap();
}

/// `brawn fleet ARGS` in that environment.
fn fleet(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.brawn(&["fleet"]);
    let path = std::env::var("PATH").unwrap();
    command.args(args).env("PATH", format!("{}/bin:{path}", sandbox.path().display()));
    command.env("FAKE", sandbox.path().join("fake")).env("HOME", sandbox.path());
    command
}

/// Writes `fleet.toml`: two candidates that print `1 2 3`, with these lines before and after them.
fn spec(sandbox: &Sandbox, before: &str, after: &str) {
    for name in ["old", "new"] {
        fs_err::copy(built("counts"), sandbox.path().join(name)).unwrap();
    }
    sandbox.write(
        "fleet.toml",
        format!(
            "seed = 7\nblocks = 3\n{before}\n[[candidates]]\nname = \"now\"\nexecutable = \"old\"\n\n\
             [[candidates]]\nname = \"brawn\"\nexecutable = \"new\"\n\n{after}\n"
        ),
    );
}

/// The only folder that a run has left.
fn kept(sandbox: &Sandbox) -> Option<String> {
    let names = fs_err::read_dir(sandbox.path()).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.find(|name| name.starts_with("brawn-fleet-"))
}
