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
                    || is_rustcs(path)
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

/// Whether it lies in a folder that rustc makes for one link, beside the output: libraries of which LTO has taken a part.
fn is_rustcs(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let letters = folder.and_then(|folder| folder.strip_prefix("rustc"));
    letters.is_some_and(|letters| letters.len() == 6 && letters.chars().all(|c| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rustc_removes_after_a_link_is_kept() {
        let kept = |path: &str| Keep::Objects.applies(Path::new(path));
        assert!(kept("/p/target/release/deps/app.o"));
        assert!(kept("/p/target/release/deps/rustcLfGglt/libring-2b71e58fda388f31.rlib"));
        assert!(!kept("/p/target/release/deps/libring-2b71e58fda388f31.rlib"));
        assert!(!kept("/p/rustc-stable/libring.rlib") && !kept("/usr/lib/crt1.o"));
    }
}
