//! The Dockerfile of `docs/guides/builder-image.md`, as it stands there, built by buildah. No registry is asked: the image that it
//! starts from is made here, with busybox and the toolchain's `libc.a` where Alpine has them.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use brawn_elf::Arch;

use super::repository;
use crate::common::{Sandbox, base_image, buildah, fails, ok, rust_libc};

/// The first block of the guide in this language.
fn block(language: &str) -> String {
    let guide = fs_err::read_to_string(repository().join("docs/guides/builder-image.md")).unwrap();
    let block = guide.split(&format!("```{language}\n")).nth(1).expect("a block of the language");
    block.split("```").next().unwrap().to_owned()
}

/// What stands in for Alpine.
fn distribution(sandbox: &Sandbox, busybox: &Path, libc: &[u8]) {
    fs_err::create_dir_all(sandbox.path().join("root/bin")).unwrap();
    fs_err::create_dir_all(sandbox.path().join("root/root")).unwrap();
    sandbox.write("root/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
    fs_err::create_dir_all(sandbox.path().join("root/tmp")).unwrap();
    fs_err::copy(busybox, sandbox.path().join("root/bin/busybox")).unwrap();
    for name in ["sh", "rm", "cat"] {
        symlink("busybox", sandbox.path().join("root/bin").join(name)).unwrap();
    }
    // What `apk add build-base` brings is there already.
    let apk = sandbox.write("root/bin/apk", "#!/bin/sh\nexit 0\n");
    fs_err::set_permissions(apk, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write("root/usr/lib/libc.a", libc);
    base_image(sandbox, "root", "/usr/local/bin:/bin", "docker.io/library/alpine:3.22");
}

#[test]
fn the_guides_dockerfile_makes_an_image_with_a_patched_libc() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let released = target.join(Arch::host().unwrap().musl_triple()).join("release/brawn");
    let found = |name: &str| {
        std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|folder| folder.join(name))
            .find(|path| path.exists())
    };
    let (Some(busybox), Some(_), true) = (found("busybox"), found("buildah"), released.exists()) else {
        assert!(
            std::env::var_os("CI").is_none(),
            "`make setup` installs buildah and busybox, `make brawn` builds brawn"
        );
        eprintln!("left out: there is no buildah, no busybox, or no {}", released.display());
        return;
    };
    let sandbox = Sandbox::new();
    let original = fs_err::read(rust_libc(Arch::host().unwrap())).unwrap();
    distribution(&sandbox, &busybox, &original);

    let dockerfile = block("dockerfile");
    assert!(dockerfile.starts_with("FROM alpine:3.22\n"), "{dockerfile}");
    sandbox.write("context/Dockerfile", dockerfile);
    fs_err::copy(&released, sandbox.path().join("context/brawn")).unwrap();
    ok(&mut buildah(&sandbox, &["bud", "--pull-never", "--quiet", "--tag", "builder", "context"]));

    let container = ok(&mut buildah(&sandbox, &["from", "--pull-never", "builder"])).trim().to_owned();
    let run = |args: &[&str]| buildah(&sandbox, &[&["run", &container, "--"], args].concat());
    let archive = |run: &mut Command| run.output().unwrap().stdout;
    let patched = archive(&mut run(&["cat", "/usr/lib/libc.a"]));
    assert!(patched.starts_with(b"!<arch>\n") && patched != original);
    // The image holds no cache, and what was replaced can be had back.
    fails(&mut run(&["cat", "/root/.cache/brawn"]), 1);
    ok(&mut run(&["brawn", "restore", "--system", "--root", "/"]));
    assert!(archive(&mut run(&["cat", "/usr/lib/libc.a"])) == original);
}
