//! A link, as it is asked for.

use std::path::{Path, PathBuf};

use brawn_elf::Arch;

use crate::line::Line;

/// A link that is about to be done.
pub struct Job {
    /// Program and fixed arguments.
    pub linker: Vec<String>,
    /// The arguments.
    pub line: Line,
    /// The architecture of the target.
    pub arch: Arch,
    /// Where the `libc.a` is, when the arguments do not tell.
    pub libc: Option<PathBuf>,
    /// The folder of the package that is being built, for its settings at replay.
    pub package: Option<PathBuf>,
    /// Which inputs will not outlive the link.
    pub keep: Keep,
}

/// Which inputs of a link have to be copied, because the build system removes them after it.
pub enum Keep {
    /// Every object file, and whatever lies in a temporary folder: rustc removes both.
    Objects,
    /// What lies below this folder, or else in a temporary one: Go removes what it links.
    Below(PathBuf),
}

impl Keep {
    pub(crate) fn applies(&self, path: &Path) -> bool {
        match self {
            Keep::Objects => {
                path.extension().is_some_and(|extension| extension == "o") && !path.starts_with("/usr")
                    || path.starts_with(std::env::temp_dir())
            }
            // A project may lie in the temporary folder itself.
            Keep::Below(folder) => {
                path.starts_with(folder)
                    || path.starts_with(std::env::temp_dir())
                        && std::env::current_dir().is_ok_and(|here| !path.starts_with(here))
            }
        }
    }
}
