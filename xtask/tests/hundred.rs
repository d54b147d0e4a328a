//! Programs of docs/hundred built from nothing, for glibc and as every variant, checked by `brawn verify`, and run on their work,
//! whose output is known.

use std::path::Path;
use std::process::Command;

/// Small ones.
const SMALL: &[&str] = &["bzip2", "daemon", "jq", "unzip", "zip"];

/// Those that took longest to build for musl, of the programs that verify accepts.
const SLOW: &[&str] = &[
    "bat",
    "cargo-cache",
    "cargo-chef",
    "cargo-deny",
    "cargo-edit",
    "cargo-expand",
    "cargo-rdme",
    "cargo-release",
    "clippy-sarif",
    "cocogitto",
    "ghostscript",
    "git",
    "grcov",
    "mdbook",
    "p7zip",
    "poppler",
    "python3.11",
    "subversion",
    "wasm-bindgen-cli",
    "wget",
];

fn build(names: &[&str]) {
    let xtask = Path::new(env!("CARGO_BIN_EXE_xtask"));
    let zig = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.tools/zig/ziglang/zig");
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(xtask);
    command.args(["hundred", "run", "--build", "--brawn"]).arg(xtask.with_file_name("brawn"));
    command.arg("--work").arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("hundred"));
    let output = command.arg("--out").arg(out.path()).args(names).env("BRAWN_ZIG", zig).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches(": verified, time ").count(), names.len(), "{said}");
}

#[test]
fn small_programs_build_and_do_their_work() {
    build(SMALL);
}

#[test]
fn slow_programs_build_and_do_their_work() {
    if std::env::var_os("BRAWN_TEST_LONG").is_some() {
        build(SLOW);
    }
}
