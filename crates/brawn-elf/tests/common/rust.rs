//! The Rust programs of `tests/projects`, linked against the stand-in for a kit's libc.a.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::archive::{replace_heap, with_note};
use super::once::once;
use super::{Sandbox, note, run, self_contained};

/// The folder of the built programs. They are built once per target folder, so the path that cargo sees must not change from
/// run to run. Not the one with jemalloc, whose configure alone takes a minute: the tests of the command look into it.
pub fn programs() -> PathBuf {
    let folder = once(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("projects"), build);
    folder.join("x86_64-unknown-linux-musl/debug")
}

fn build(target: &Path) {
    let libc = target.join("libc");
    fs_err::create_dir_all(&libc).unwrap();
    let sandbox = Sandbox::new();
    with_note(&sandbox, &self_contained().join("libc.a"), &note("mimalloc", Some("3.3.2")));
    replace_heap(&sandbox, "", &[]);
    fs_err::copy(sandbox.path("libc.a"), libc.join("libc.a")).unwrap();

    // cargo does not see that a libc.a has changed: make it link the programs again, and nothing else.
    let fingerprints = target.join("x86_64-unknown-linux-musl/debug/.fingerprint");
    for entry in fs_err::read_dir(&fingerprints).into_iter().flatten() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().contains("-program-") {
            fs_err::remove_dir_all(entry.path()).unwrap();
        }
    }
    run(Command::new(env!("CARGO"))
        .args(["build", "--locked", "--package", "plain-program", "--package", "mimalloc-program"])
        .args(["--target", "x86_64-unknown-linux-musl", "--target-dir"])
        .arg(target)
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/projects/Cargo.toml"))
        .env("CC_x86_64_unknown_linux_musl", "musl-gcc")
        .env("CARGO_ENCODED_RUSTFLAGS", format!("-Lnative={}", libc.display()))
        .env_remove("RUSTFLAGS"));
}
