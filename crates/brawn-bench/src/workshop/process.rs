//! Running one step of a build.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Workshop;
use crate::Error;

/// Lines of a failed step that an error quotes.
const QUOTED: usize = 20;

impl Workshop {
    /// Runs a command that must succeed, in `folder` unless it names another one: a link that is recorded is done again
    /// in the same folder, which must still be there then. Everything that it writes goes to the file `log` in
    /// `folder`.
    ///
    /// # Errors
    /// [`Error::Build`] with the last lines of the log, [`Error::Spawn`].
    pub fn step(&self, doing: &str, folder: &Path, command: &mut Command) -> Result<(), Error> {
        let path = folder.join("log");
        let mut log = fs_err::OpenOptions::new().create(true).append(true).open(&path)?;
        writeln!(log, "$ {command:?}")?;
        let start = log.metadata()?.len();
        if command.get_current_dir().is_none() {
            command.current_dir(folder);
        }
        let log = log.into_file();
        let program = command.get_program().to_string_lossy().into_owned();
        let status = command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .status()
            .map_err(|source| Error::Spawn { program: program.clone(), source })?;
        if status.success() {
            return Ok(());
        }
        let bytes = brawn_base::file::read(&path, brawn_base::file::OBJECT)?;
        let text = String::from_utf8_lossy(&bytes[usize::try_from(start).unwrap_or(0).min(bytes.len())..]);
        Err(Error::Build {
            doing: doing.to_owned(),
            program,
            status: status.to_string(),
            tail: brawn_base::text::tail(&text, QUOTED),
            log: path,
        })
    }
}
