//! What a release consists of, as far as it can be tested without building `brawn` once more: `make release-check` does that.

mod action;
mod archives;
mod builder_image;
pub mod executable;
mod install;
mod manual;
mod packages;
mod report;
mod services;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::Sandbox;

/// The root of the repository.
pub fn repository() -> PathBuf {
    fs_err::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap()
}

/// One of the repository's scripts, in the test's folder.
pub fn script(sandbox: &Sandbox, name: &str) -> Command {
    let mut command = sandbox.command(repository().join("scripts").join(name).to_str().unwrap());
    command.env_remove("SOURCE_DATE_EPOCH");
    command
}

/// A static program called `brawn-probe`, which prints `1 2 3`, built once for all tests.
pub fn probe() -> &'static Path {
    common::built("brawn-probe")
}
