//! Standing in the linker's place.
//!
//! rustc judges by the linker's file name what arguments it wants, so the seam bears the name of the linker behind
//! it: `<cache>/brawn-seam/<triple>/<digest of the linker>/<name of the linker>` is a link to the `brawn` executable,
//! which looks at the path under which it was called; a file `linker` beside it says which linker that is. The path
//! is the same for every preset, so that cargo sees no change.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use brawn_base::temporary;
use brawn_elf::Arch;
use brawn_libc::{Cache, atomic, trust};

use crate::line::Line;
use crate::link::{self, Job};
use crate::report::{self, Message};
use crate::settings::{Layer, Settings};
use crate::toolchain::{Rust, musl_arch, on_path};
use crate::{Error, libraries, module, vars};

pub use crate::home::{cache, cache_folder};

const FOLDER: &str = brawn_libc::cache::SEAMS;

/// The file beside a seam that names the linker behind it.
const LINKER: &str = "linker";

/// A call under a seam's name.
pub struct Seam {
    triple: String,
    folder: PathBuf,
}

impl Seam {
    /// Whether the program was called through a seam, by the path of the call.
    pub fn from_call(argv0: &Path) -> Option<Seam> {
        let folder = argv0.parent()?;
        let triple = folder.parent()?.file_name()?.to_str()?.to_owned();
        let root = folder.parent()?.parent()?.file_name()?;
        (root == FOLDER).then(|| Seam { triple, folder: folder.to_owned() })
    }

    /// The linker behind it.
    pub(crate) fn linker(&self) -> Result<PathBuf, Error> {
        let named = self.folder.join(LINKER);
        trust::check(&named)?;
        Ok(brawn_base::file::text(named)?.into())
    }

    /// Performs the link.
    pub fn run(&self, args: impl IntoIterator<Item = OsString>) -> Result<(), Error> {
        let mut line = Line::parse(args)?;
        let arch = musl_arch(&self.triple)?;
        let linker = vec![self.linker()?.to_string_lossy().into_owned()];
        let shared = line.is_shared_library();
        if !(line.is_static_executable() || shared) || !line.wants_libc() {
            return link::pass_through(&linker, &line.args);
        }
        let cache = cache()?;
        libraries::provide_cxx(&mut line, arch, &cache)?;
        let package = vars::get("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let settings = Settings::collect(Layer::default(), package.as_deref())?;
        let choice = settings.choice()?;
        if shared {
            return module::perform(&linker, line, arch, &choice);
        }
        let libc = match line.libc() {
            Some(_) => None,
            None => crate::cc::default_libc(&linker)?,
        };
        let job = Job { linker, line, arch, libc, package, keep: link::Keep::Objects };
        let output = std::path::absolute(job.line.output())?;
        link::perform(&job, &cache, &choice, settings.gate())?;
        // rustc would show no warnings: the one above verifies again, and does.
        report::tell(&Message { path: output, runs_for: None });
        Ok(())
    }
}

/// Makes the seam in front of `linker` and gives its path. `executable` is the `brawn` that stands behind it. Anyone who calls
/// the linker through it has [`vars::CACHE_DIR`] lead to this cache.
pub fn install(cache: &Cache, triple: &str, linker: &Path, executable: &Path) -> Result<PathBuf, Error> {
    let text = linker.to_string_lossy();
    let folder = cache.part(FOLDER).join(triple).join(&brawn_libc::sha256_hex(text.as_bytes())[..12]);
    let seam = folder.join(linker.file_name().unwrap_or_default());
    fs_err::create_dir_all(&folder)?;
    let name = folder.join(LINKER);
    if brawn_base::file::text(&name).ok().as_deref() != Some(&*text) {
        // In one step: another build may be reading it.
        atomic::write(&name, text.as_bytes(), 0o600)?;
    }
    link_to(executable, &seam)?;
    Ok(seam)
}

/// Makes `path` a symbolic link to `executable`, in one step.
pub(crate) fn link_to(executable: &Path, path: &Path) -> Result<(), Error> {
    if fs_err::read_link(path).is_ok_and(|target| target == executable) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs_err::create_dir_all(folder)?;
    let fresh = temporary::folder_in(folder)?;
    let link = fresh.path().join("link");
    fs_err::os::unix::fs::symlink(executable, &link)?;
    fs_err::rename(&link, path)?;
    Ok(())
}

/// The linker that cargo would use for a musl target when the user has configured none: the C compiler driver for
/// this machine's own architecture, as rustc does; rustc's own linker for any other, or without a C compiler.
pub fn default_linker(rust: &Rust, arch: Arch) -> Result<PathBuf, Error> {
    let native = Arch::from_triple(&rust.host) == Some(arch);
    native
        .then(|| on_path("cc").map(|_| PathBuf::from("cc")))
        .flatten()
        .or_else(|| rust.rust_lld())
        .ok_or_else(|| Error::NoLinker { triple: arch.musl_triple().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_seams_own_folder_is_a_seam() {
        let path = "/home/u/.cache/brawn/brawn-seam/x86_64-unknown-linux-musl/0123/gcc";
        let seam = Seam::from_call(Path::new(path)).unwrap();
        assert_eq!(seam.triple, "x86_64-unknown-linux-musl");
        assert!(seam.folder.ends_with("0123"));
        for other in ["brawn", "/usr/bin/brawn", "/usr/bin/cargo-brawn", "/brawn-seam/brawn"] {
            assert!(Seam::from_call(Path::new(other)).is_none(), "{other}");
        }
    }
}
