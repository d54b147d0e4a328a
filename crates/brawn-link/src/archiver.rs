//! The archiver for build scripts that compile C and C++: this machine's, which knows every architecture, or zig's where
//! there is none, under a file name that takes no arguments with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use brawn_libc::Cache;

use crate::cc::{FOLDER, zig};
use crate::toolchain::on_path;
use crate::{Error, seam};

const NAME: &str = "brawn-ar";

/// Whether the program was called in the archiver's place.
pub fn is_called(argv0: &Path) -> bool {
    let folder = |path: &Path| Some(path.parent()?.parent()?.file_name()? == FOLDER);
    argv0.file_name().is_some_and(|name| name == NAME) && folder(argv0) == Some(true)
}

/// The file to call, if there is an archiver at all. `executable` is the `brawn` that stands before zig's.
pub(crate) fn find(cache: &Cache, triple: &str, executable: &Path) -> Result<Option<PathBuf>, Error> {
    if let Some(path) = on_path("ar").or_else(|| on_path("llvm-ar")) {
        return Ok(Some(path));
    }
    if zig().is_none() {
        return Ok(None);
    }
    let path = cache.part(FOLDER).join(triple).join(NAME);
    seam::link_to(executable, &path)?;
    Ok(Some(path))
}

/// Runs zig's archiver.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<ExitStatus, Error> {
    let program = zig().unwrap_or_else(|| "zig".to_owned());
    Command::new(&program).arg("ar").args(args).status().map_err(|source| Error::Spawn { program, source })
}
