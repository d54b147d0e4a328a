//! The released executable, where `make brawn` has built it.

use std::path::{Path, PathBuf};

use brawn_elf::Arch;

use crate::common::{Bench, ok};
use crate::repository;

/// Folders of this machine that must not be in it.
fn private() -> Vec<String> {
    let cargo = std::env::var("CARGO_HOME").ok();
    let home = std::env::var("HOME").ok();
    let cargo = cargo.or_else(|| Some(format!("{}/.cargo", home?)));
    let mut folders = vec![repository().display().to_string()];
    folders.extend(cargo);
    folders
}

#[test]
fn it_names_no_folder_of_the_machine_that_built_it() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join(Arch::host().unwrap().musl_triple()).join("release");
    for name in ["brawn", "cargo-brawn"] {
        let path: PathBuf = folder.join(name);
        let Ok(bytes) = fs_err::read(&path) else {
            assert!(std::env::var_os("CI").is_none(), "`make brawn` builds {}", path.display());
            eprintln!("left out: there is no {}", path.display());
            return;
        };
        for private in private() {
            let found = memchr::memmem::find(&bytes, private.as_bytes());
            assert_eq!(found, None, "{} names {private}: `make brawn` builds it without", path.display());
        }
    }
}

#[test]
fn another_folder_makes_the_same_bytes() {
    let bench = Bench::new();
    let build = |name: &str| {
        let folder = bench.package("app");
        let place = bench.path().join(name);
        fs_err::create_dir_all(place.parent().unwrap()).unwrap();
        fs_err::rename(folder, &place).unwrap();
        // As scripts/release has it.
        let flags = format!("--remap-path-prefix={}=app", place.display());
        let mut command = bench.brawn(&["-q", "build", "--release"]);
        let built = ok(command.current_dir(&place).env("CARGO_ENCODED_RUSTFLAGS", flags));
        fs_err::read(built.trim()).unwrap()
    };
    let (one, other) = (build("one"), build("at/another/depth"));
    assert!(one == other, "{} and {} bytes, and not the same", one.len(), other.len());
    assert_eq!(memchr::memmem::find(&one, bench.path().to_str().unwrap().as_bytes()), None);
}
