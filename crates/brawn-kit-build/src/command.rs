//! Runs other programs.

use anyhow::{Context as _, Result, anyhow};
use std::process::Command;

/// Runs a program to its end, and gives what it printed.
pub fn run(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("could not run `{command:?}`"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(anyhow!("`{command:?}` failed:\n{}", said.trim_end()))
}
