//! What `.ci/run` compiles has passed clippy, which is the compiler there.

use std::path::Path;
use std::process::{Command, Output};

/// Builds a crate of this text as `.ci/run` builds this project's.
fn build(folder: &Path, text: &str) -> Output {
    let write = |name: &str, text: &str| fs_err::write(folder.join(name), text).unwrap();
    write("Cargo.toml", "[package]\nname = \"linted\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n");
    write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"linted\"\nversion = \"0.0.0\"\n");
    write("lib.rs", text);
    let mut make = Command::new("make");
    // Those of a make that runs the tests would tell this one what to do.
    make.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("MAKELEVEL");
    make.arg("-C").arg(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
    make.arg(format!(
        "--eval=linted: ; cargo build $(CARGO_FLAGS) --manifest-path {}/Cargo.toml",
        folder.display()
    ));
    make.args(["linted", "LINTED=1"]).env("CARGO_TARGET_DIR", folder.join("target")).output().unwrap()
}

#[test]
fn what_clippy_finds_fails_the_build() {
    let folder = tempfile::tempdir().unwrap();
    let found = build(folder.path(), "pub fn same(it: bool) -> bool {\n    it == true\n}\n");
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(!found.status.success() && said.contains("bool_comparison"), "{said}");
    let passed = build(folder.path(), "pub fn same(it: bool) -> bool {\n    it\n}\n");
    assert!(passed.status.success(), "{}", String::from_utf8_lossy(&passed.stderr));
}
