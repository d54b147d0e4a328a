//! `brawn image` as a user runs it, against what others make of the result: a registry, skopeo, umoci, chroot.

#[path = "../../../../brawn-image/tests/common/hostile.rs"]
mod attacks;
mod dockerfile;
mod errors;
mod hostile;
mod login;
mod others;
mod package;
#[path = "../../../../brawn-image/tests/common/stub.rs"]
pub mod stub;
pub mod tls;

use crate::common;
use std::path::Path;
use std::process::Command;

/// A static program that prints `1 2 3`, built once for all tests.
pub fn hello() -> &'static Path {
    common::built("hello")
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Whether a program that these tests use is there; in CI it must be.
pub fn have(programs: &[&str]) -> bool {
    for program in programs {
        let found = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
        if !found {
            assert!(std::env::var_os("CI").is_none(), "there is no {program}: `make setup` installs it");
            eprintln!("left out: there is no {program}");
            return false;
        }
    }
    true
}

/// `chroot ROOT ARGS`, in a user namespace of its own where that needs one.
pub fn chroot(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    let root_user = std::process::Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if root_user {
        command = Command::new("chroot");
    } else {
        command.args(["-r", "chroot"]);
    }
    command.arg(root).args(args);
    command
}
