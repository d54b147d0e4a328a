//! What `brawn image --dockerfile` prints, built by buildah. No registry is asked: what stands in for the image `rust:1` is
//! this machine, its programs and its Rust toolchain mounted into an empty one.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use brawn_elf::Arch;

use super::package::greeter;
use super::{have, text};
use crate::common::{Sandbox, base_image, buildah, note, ok, rust_libc};

/// Makes the image that the Dockerfile starts from, and gives the `--volume` for each folder that it lacks.
fn rust(sandbox: &Sandbox) -> Vec<String> {
    let root = sandbox.path().join("rust");
    for folder in ["etc", "tmp", "root", "toolchain", "usr/local/bin"] {
        fs_err::create_dir_all(root.join(folder)).unwrap();
    }
    sandbox.write("rust/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
    // The targets are there already. That nothing else is asked of rustup is a part of the test.
    let targets = Arch::ALL.map(Arch::musl_triple).join(" ");
    let rustup = format!("#!/bin/sh\n[ \"$*\" = 'target add {targets}' ]\n");
    let rustup = sandbox.write("rust/usr/local/bin/rustup", rustup);
    fs_err::set_permissions(rustup, std::fs::Permissions::from_mode(0o755)).unwrap();
    let toolchain = rust_libc(Arch::host().unwrap()).ancestors().nth(6).unwrap().display().to_string();
    let mut volumes = vec![format!("--volume={toolchain}:/toolchain:ro")];
    // Debian's cc is a link to one in etc/alternatives; without it the image would link with another linker.
    for folder in ["usr/bin", "usr/lib", "usr/lib64", "bin", "lib", "lib64", "etc/alternatives"] {
        let (here, there) = (Path::new("/").join(folder), root.join(folder));
        if let Ok(to) = fs_err::read_link(&here) {
            symlink(to, there).unwrap();
        } else if here.is_dir() {
            fs_err::create_dir_all(there).unwrap();
            volumes.push(format!("--volume=/{folder}:/{folder}:ro"));
        }
    }
    base_image(sandbox, "rust", "/usr/local/bin:/toolchain/bin:/usr/bin:/bin", "docker.io/library/rust:1");
    volumes
}

/// Everything below a folder: its mode, and what a file holds.
fn files(root: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let data = fs_err::symlink_metadata(&path).unwrap();
            let content = if data.is_file() { fs_err::read(&path).unwrap() } else { Vec::new() };
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.insert(name, (data.permissions().mode(), content));
            if data.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

#[test]
fn buildah_makes_of_the_dockerfile_what_brawn_image_makes() {
    if !have(&["buildah"]) {
        return;
    }
    let sandbox = Sandbox::new();
    greeter(&sandbox);
    let with_options = |more: &[&str]| {
        let mut command = sandbox.brawn(&["-q", "image", "--with", "zones"]);
        command.args(more).env_remove("CI");
        ok(&mut command)
    };
    let platform = if Arch::host() == Some(Arch::X86_64) { "linux/amd64" } else { "linux/arm64" };
    let root = sandbox.path().join("root");
    with_options(&["--platform", platform, "--rootfs", text(&root)]);

    let context = sandbox.path().join("context");
    fs_err::create_dir_all(context.join("src")).unwrap();
    for file in ["Cargo.toml", "Cargo.lock", "src/main.rs"] {
        fs_err::copy(sandbox.path().join(file), context.join(file)).unwrap();
    }
    sandbox.write("context/Dockerfile", with_options(&["--dockerfile", "--", "--locked"]));
    fs_err::create_dir_all(sandbox.path().join("brawn")).unwrap();
    fs_err::copy(env!("CARGO_BIN_EXE_brawn"), sandbox.path().join("brawn/brawn")).unwrap();
    let volumes = rust(&sandbox);
    let brawn = format!("--build-context=brawn={}", sandbox.path().join("brawn").display());
    let mut build = buildah(&sandbox, &["bud", "--pull-never", "--quiet", &brawn]);
    ok(build.args(volumes).args(["--tag", "greeter", "context"]));

    let container = ok(&mut buildah(&sandbox, &["from", "--pull-never", "greeter"])).trim().to_owned();
    let mounted = ok(&mut buildah(&sandbox, &["mount", &container]));
    let (inside, outside) = (files(Path::new(mounted.trim())), files(&root));
    let names = |files: &BTreeMap<String, (u32, Vec<u8>)>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&inside), names(&outside));
    assert!(inside.contains_key("greeter") && inside.contains_key("usr/share/zoneinfo/Europe/Paris"));
    for (name, file) in &outside {
        assert_eq!(inside[name].0, file.0, "the mode of {name}");
        // The package and the toolchain lie in other folders there, which an executable shows. What it was linked against
        // is the same.
        assert!(inside[name].1 == file.1 || name == "greeter", "{name} is not the same");
    }
    assert_eq!(note(&Path::new(mounted.trim()).join("greeter")), note(&root.join("greeter")));
    // It runs as the user of the image, who is not root, and what is there beside it is enough.
    assert_eq!(ok(&mut buildah(&sandbox, &["run", &container, "--", "/greeter", "you"])), "[\"you\"]\n");
    let said = ok(&mut buildah(&sandbox, &["inspect", "--type", "image", "greeter"]));
    let config: serde_json::Value = serde_json::from_str(&said).unwrap();
    let config = &config["OCIv1"]["config"];
    assert_eq!(config["User"], "65532:65532");
    assert_eq!(config["Entrypoint"], serde_json::json!(["/greeter"]));
    assert_eq!(config["Cmd"], serde_json::json!(["--polite"]));
    assert_eq!(config["ExposedPorts"], serde_json::json!({ "8080/tcp": {} }));
    assert_eq!(config["Labels"]["org.opencontainers.image.version"], "1.2.3");
}
