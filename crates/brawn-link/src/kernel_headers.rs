//! The kernel's own headers for a musl compiler.
//!
//! `musl-gcc` offers only musl's headers, so everything that includes `linux/*.h` or `asm/*.h` fails to compile,
//! and adding the system's whole include folder mixes glibc's headers in. So a folder is made with links to just
//! what the kernel installs.

use std::path::{Path, PathBuf};

use brawn_elf::Arch;
use brawn_libc::Cache;
use brawn_libc::cache::HEADERS;

use crate::Error;

/// The folders that `make headers_install` of Linux writes, apart from `asm`, which is the architecture's own.
const FOLDERS: &[&str] = &[
    "asm-generic",
    "cxl",
    "drm",
    "linux",
    "misc",
    "mtd",
    "rdma",
    "regulator",
    "scsi/fc",
    "sound",
    "video",
    "xen",
];

/// A folder for `-idirafter`, if this machine has the kernel's headers for `arch`.
pub fn folder(cache: &Cache, arch: Arch) -> Result<Option<PathBuf>, Error> {
    let include = Path::new("/usr/include");
    // Debian's cross packages, Debian's own multiarch folder, and everyone else's.
    let cross = PathBuf::from(format!("/usr/{arch}-linux-gnu/include"));
    let native = Arch::host() == Some(arch);
    let multiarch = include.join(format!("{arch}-linux-gnu"));
    let (general, specific) = if native && multiarch.join("asm/types.h").exists() {
        (include, multiarch)
    } else if native && include.join("asm/types.h").exists() {
        (include, include.to_owned())
    } else if cross.join("asm/types.h").exists() {
        (cross.as_path(), cross.clone())
    } else {
        return Ok(None);
    };
    let wanted: Vec<(PathBuf, PathBuf)> = FOLDERS
        .iter()
        .map(|name| (PathBuf::from(name), general.join(name)))
        .chain([(PathBuf::from("asm"), specific.join("asm"))])
        .filter(|(_, source)| source.is_dir())
        .collect();
    let place = cache.part(HEADERS).join(arch.name());
    let complete = wanted
        .iter()
        .all(|(name, source)| fs_err::read_link(place.join(name)).is_ok_and(|target| target == *source));
    if complete {
        return Ok(Some(place));
    }
    for (name, source) in wanted {
        let link = place.join(name);
        fs_err::create_dir_all(link.parent().unwrap_or(&place))?;
        // Another process may be doing the same: anyone who comes second finds the link in place.
        let _ = fs_err::remove_file(&link);
        if let Err(error) = fs_err::os::unix::fs::symlink(&source, &link)
            && error.kind() != std::io::ErrorKind::AlreadyExists
        {
            return Err(error.into());
        }
    }
    Ok(Some(place))
}
