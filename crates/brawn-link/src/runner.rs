//! Standing in the place of cargo's runner, so that `brawn cargo` knows what cargo runs, fresh or not.
//!
//! Cargo calls `<cache>/brawn-runner/<triple>/brawn-runner PROGRAM ARGS`, a link to the `brawn` executable.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_libc::Cache;

use crate::error::upper;
use crate::report::{Message, tell};
use crate::{Error, seam, vars};

const NAME: &str = "brawn-runner";

/// A runner in front of the one that cargo would use.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    /// The target.
    pub triple: String,
    /// The words of the command behind it, if there is one.
    pub behind: Vec<String>,
    path: PathBuf,
}

impl Runner {
    /// Makes the file under whose name `executable` is the runner for `triple`. There is none where the path to it has a
    /// blank, at which cargo would divide it.
    pub(crate) fn install(
        cache: &Cache,
        triple: &str,
        behind: Vec<String>,
        executable: &Path,
    ) -> Result<Option<Runner>, Error> {
        let path = cache.root().join(NAME).join(triple).join(NAME);
        if path.to_str().is_none_or(|path| path.contains(char::is_whitespace)) {
            return Ok(None);
        }
        seam::link_to(executable, &path)?;
        Ok(Some(Runner { triple: triple.to_owned(), behind, path }))
    }

    /// The variable that makes cargo use it.
    pub(crate) fn variable(&self) -> (String, &Path) {
        (format!("CARGO_TARGET_{}_RUNNER", upper(&self.triple)), &self.path)
    }
}

/// The target triple, if the program was called as a runner.
pub fn from_call(argv0: &Path) -> Option<String> {
    let folder = argv0.parent()?;
    let ours = argv0.file_name()? == NAME && folder.parent()?.file_name()? == NAME;
    ours.then(|| Some(folder.file_name()?.to_str()?.to_owned()))?
}

/// Becomes the program, unless it is refused: then gives false, for the one above has said why.
pub fn run(triple: String, args: impl IntoIterator<Item = OsString>) -> Result<bool, Error> {
    let mut args = args.into_iter();
    let program = args.next().ok_or_else(|| Error::Unsupported {
        what: "a runner is called with a program".into(),
        hint: "it is cargo that calls it".into(),
    })?;
    let path = std::path::absolute(&program)?;
    let answer = tell(&Message { path, runs_for: Some(triple) }).unwrap_or_default();
    if answer.refused {
        return Ok(false);
    }
    let mut words = answer.with.into_iter().map(OsString::from).chain([program]).chain(args);
    let first = words.next().expect("there is the program");
    let mut command = Command::new(&first);
    let source = command.args(words).env_remove(vars::SOCKET).exec();
    Err(Error::Spawn { program: first.to_string_lossy().into_owned(), source })
}
