//! `scripts/release archives`, with a small static program in the place of `brawn`.

use std::path::PathBuf;

use brawn_elf::Arch;

use super::{probe, script};
use crate::common::{Sandbox, fails, note, ok};

/// `scripts/release ARGUMENTS`, for a target folder of the test's own.
pub fn release(sandbox: &Sandbox, arguments: &[&str]) -> std::process::Command {
    let mut command = script(sandbox, "release");
    command.args(arguments).env("BRAWN_DRIVER", env!("CARGO_BIN_EXE_brawn"));
    command.env("CARGO_TARGET_DIR", sandbox.path().join("target")).env("SOURCE_DATE_EPOCH", "1700000000");
    command
}

/// A sandbox where `brawn` and `cargo-brawn` seem to be built.
pub fn built() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = sandbox.path().join("target").join(Arch::host().unwrap().musl_triple()).join("release");
    fs_err::create_dir_all(&folder).unwrap();
    for name in ["brawn", "cargo-brawn"] {
        fs_err::copy(probe(), folder.join(name)).unwrap();
    }
    sandbox
}

#[test]
fn they_hold_what_an_installation_needs_and_are_the_same_each_time() {
    let arch = Arch::host().unwrap();
    let (one, other) = (built(), built());
    let sums = ok(&mut release(&one, &["archives"]));
    assert_eq!(sums, ok(&mut release(&other, &["archives"])));
    let name = format!("brawn-{}-{arch}-linux", env!("CARGO_PKG_VERSION"));
    assert!(sums.lines().any(|line| line.ends_with(&format!("  {name}.tar.gz"))), "{sums}");
    for file in [".whl", "  install.sh"] {
        assert!(sums.lines().any(|line| line.ends_with(file)), "{sums}");
    }
    let dist = one.path().join("target/dist");
    ok(one.command("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&dist));

    ok(one.command("tar").arg("-xzf").arg(dist.join(format!("{name}.tar.gz"))));
    let unpacked = one.path().join(&name);
    assert_eq!(ok(one.command("./brawn").current_dir(&unpacked)), "1 2 3\n");
    assert_eq!(note(&unpacked.join("cargo-brawn")), note(probe()));
    for file in [
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "CHANGELOG.md",
        "man/man1/brawn.1",
        "man/man1/brawn-image.1",
        "completions/brawn.bash",
        "completions/_brawn",
        "completions/brawn.fish",
    ] {
        assert!(fs_err::metadata(unpacked.join(file)).unwrap().len() > 100, "{file}");
    }
}

#[test]
fn what_is_not_static_or_not_there_is_not_packed() {
    let sandbox = built();
    let folder = PathBuf::from("target").join(Arch::host().unwrap().musl_triple()).join("release");
    fs_err::copy(env!("CARGO_BIN_EXE_cargo-brawn"), sandbox.path().join(&folder).join("cargo-brawn"))
        .unwrap();
    let output = release(&sandbox, &["archives"]).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(fs_err::read_dir(sandbox.path().join("target/dist")).unwrap().count(), 0);

    let empty = Sandbox::new();
    let error = fails(&mut release(&empty, &["archives"]), 1);
    assert!(error.contains("error: no brawn was built\nhint: scripts/release build"), "{error}");
    let error = fails(&mut release(&empty, &["build", "riscv64"]), 1);
    assert!(error.contains("brawn is not released for riscv64\nhint: "), "{error}");
    let error = fails(&mut release(&empty, &["publish"]), 2);
    assert!(error.contains("usage: scripts/release build [ARCH…]"), "{error}");
}
