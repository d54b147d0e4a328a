//! What several tests of the kit share.
#![allow(dead_code)]

use brawn_elf::Arch;
use object::read::archive::ArchiveFile;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says why a test did not look; in CI, where everything must be there, that is a failure.
pub fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
}

/// The libc.a that comes with the Rust target, if it is installed.
pub fn rustup_libc(arch: Arch) -> Option<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let path = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(arch.musl_triple())
        .join("lib/self-contained/libc.a");
    path.exists().then_some(path)
}

/// The symbols in the index of an archive.
pub fn defined_in(archive: &Path) -> BTreeSet<String> {
    let data = fs_err::read(archive).expect("the archive");
    let file = ArchiveFile::parse(&*data).expect("an archive");
    let symbols = file.symbols().expect("an index").expect("an index");
    symbols.map(|symbol| String::from_utf8_lossy(symbol.expect("a symbol").name()).into_owned()).collect()
}
