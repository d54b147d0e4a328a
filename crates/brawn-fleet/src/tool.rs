//! Running the user's own `kubectl`, `ssh` and `sbatch`.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use brawn_base::text;

use crate::Error;

/// Runs a program to its end, with a text as its standard input. Its answer, whether it succeeded or not.
///
/// # Errors
/// [`Error::NoTool`], [`Error::Io`].
pub fn run<S: AsRef<OsStr>>(
    tool: &str,
    args: impl IntoIterator<Item = S>,
    input: &[u8],
) -> Result<Output, Error> {
    let mut command = Command::new(tool);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NoTool { tool: tool.to_owned() },
        _ => error.into(),
    })?;
    let mut stdin = child.stdin.take().expect("standard input is piped");
    std::thread::scope(|scope| {
        // Beside reading, so that neither pipe fills up. One that does not read all says why by its status.
        scope.spawn(move || stdin.write_all(input));
        Ok(child.wait_with_output()?)
    })
}

/// The last lines of what a program complained about.
pub fn said(output: &Output) -> String {
    text::tail(String::from_utf8_lossy(&output.stderr).trim(), 5)
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
