//! From a package to an image, in one command.

use std::path::Path;
use std::process::Command;

use super::chroot;
use crate::common::{DEFAULT_MALLOC, Sandbox, fails, ok};

const MANIFEST: &str = r#"
[package]
name = "greeter"
version = "1.2.3"
edition = "2024"
license = "MIT"
description = "Greets."
repository = "https://example.com/greeter"

[package.metadata.brawn.image]
args = ["--polite"]
ports = ["8080"]
with = ["tmp"]
platforms = ["linux/amd64", "linux/arm64"]

[workspace]
"#;

pub fn greeter(sandbox: &Sandbox) {
    sandbox.write("Cargo.toml", MANIFEST);
    sandbox.write(
        "src/main.rs",
        "fn main() { println!(\"{:?}\", std::env::args().skip(1).collect::<Vec<_>>()); }\n",
    );
}

#[test]
fn a_package_becomes_an_index_for_two_platforms() {
    let sandbox = Sandbox::new();
    greeter(&sandbox);
    let git = |args: &[&str]| {
        ok(sandbox.command("git").args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args))
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "x"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let line = ok(&mut sandbox.brawn(&["--message-format", "json", "image", "-o", "image.tar"]));
    let said: serde_json::Value = serde_json::from_str(&line).unwrap();
    let platforms: Vec<&str> =
        said["images"].as_array().unwrap().iter().map(|image| image["platform"].as_str().unwrap()).collect();
    assert_eq!(platforms, ["linux/amd64", "linux/arm64"]);
    let mut archive = tar::Archive::new(fs_err::File::open(sandbox.path().join("image.tar")).unwrap());
    let mut labels = Vec::new();
    for entry in archive.entries().unwrap() {
        let config: Result<serde_json::Value, _> = serde_json::from_reader(entry.unwrap());
        labels.extend(
            config.ok().filter(|config| config["rootfs"].is_object()).map(|config| config["config"].clone()),
        );
    }
    assert_eq!(labels.len(), 2);
    for config in labels {
        assert_eq!(config["Cmd"][0], "--polite");
        assert_eq!(config["ExposedPorts"]["8080/tcp"], serde_json::json!({}));
        let label = |name: &str| {
            config["Labels"][format!("org.opencontainers.image.{name}")].as_str().unwrap_or("").to_owned()
        };
        assert_eq!(label("title"), "greeter");
        assert_eq!(label("version"), "1.2.3");
        assert_eq!(label("source"), "https://example.com/greeter");
        // cargo wrote Cargo.lock and target, which Git does not know; what it knows is as it was.
        assert_eq!(label("revision"), commit.trim());
    }
    let spdx = fs_err::read_to_string(sandbox.path().join("image.tar.linux-arm64.spdx.json")).unwrap();
    for component in ["greeter", "musl", "brawn-kit", DEFAULT_MALLOC] {
        assert!(spdx.contains(&format!("\"name\":\"{component}\"")), "{component} is not in {spdx}");
    }
    // The same input, the same bytes, from a build elsewhere in the file system.
    let first = fs_err::read(sandbox.path().join("image.tar")).unwrap();
    ok(&mut sandbox.brawn(&["-q", "image", "-o", "again.tar"]));
    assert!(fs_err::read(sandbox.path().join("again.tar")).unwrap() == first);

    let root = sandbox.path().join("root");
    let args = ["-q", "image", "--platform", "linux/amd64", "--rootfs", root.to_str().unwrap()];
    if cfg!(target_arch = "x86_64") {
        ok(&mut sandbox.brawn(&args));
        assert_eq!(ok(&mut chroot(&root, &["/greeter", "you"])), "[\"you\"]\n");
    }
}

#[test]
fn a_dockerfile_builds_the_same() {
    let sandbox = Sandbox::new();
    greeter(&sandbox);
    let text = ok(&mut sandbox.brawn(&["image", "--dockerfile", "--with", "zones", "--", "--locked"]));
    for line in [
        "RUN brawn image --package greeter --bin greeter --platform \"linux/$TARGETARCH\" --rootfs /rootfs --with=zones -- --locked",
        "FROM scratch",
        "COPY --from=build /rootfs/ /",
        "LABEL \"org.opencontainers.image.version\"=\"1.2.3\"",
        "EXPOSE 8080",
        "USER 65532:65532",
        "ENTRYPOINT [\"/greeter\"]",
        "CMD [\"--polite\"]",
    ] {
        assert!(text.lines().any(|written| written == line), "no line {line:?} in:\n{text}");
    }
}

#[test]
fn what_is_wrong_in_a_manifest_is_said() {
    let sandbox = Sandbox::new();
    greeter(&sandbox);
    let manifest = |from: &str, to: &str| {
        sandbox.write("Cargo.toml", MANIFEST.replace(from, to));
        fails(&mut sandbox.brawn(&["image", "-o", "x"]), 2)
    };
    let message = manifest("ports =", "port =");
    assert!(message.contains("unknown key 'port' in [metadata.brawn.image]"), "{message}");
    assert!(message.contains("hint: did you mean 'ports'?"), "{message}");
    let message = manifest("\"linux/arm64\"", "\"linux/sparc\"");
    assert!(message.contains("'linux/sparc' is no platform that brawn knows"), "{message}");
    let empty = Sandbox::new();
    let message = fails(&mut empty.brawn(&["image", "-o", "x"]), 3);
    assert!(message.contains("hint: run this in the folder of a package"), "{message}");
    sandbox.write("Cargo.toml", MANIFEST);
    let message = fails(&mut sandbox.brawn(&["image", "--bin", "other", "-o", "x"]), 2);
    assert!(message.contains("the package greeter has no executable 'other'"), "{message}");
}

/// A service with its pool of threads and its HTTP, whole, in less than 2 MB.
#[test]
fn the_exporter_is_a_small_image() {
    let sandbox = Sandbox::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-bench/workloads/exporter");
    // There its manifests have names by which cargo does not take it for a package of its own.
    for (from, to) in [
        ("manifest.toml", "Cargo.toml"),
        ("manifest.lock", "Cargo.lock"),
        ("src/main.rs", "src/main.rs"),
        ("src/collect.rs", "src/collect.rs"),
    ] {
        sandbox.write(&format!("exporter/{to}"), fs_err::read(source.join(from)).unwrap());
    }
    let folder = sandbox.path().join("exporter");
    let fetch = Command::new("cargo").args(["fetch", "--locked"]).current_dir(&folder).output().unwrap();
    if !fetch.status.success() {
        // Its crates are elsewhere, and a registry that cannot be reached is no one's fault.
        eprintln!("left out: the crates of the exporter cannot be had");
        return;
    }
    let archive = sandbox.path().join("exporter.tar");
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("exporter");
    let mut command =
        sandbox.brawn(&["-q", "image", "--with", "certificates,users,tmp", "-o", archive.to_str().unwrap()]);
    ok(command.current_dir(&folder).env("CARGO_TARGET_DIR", target).args(["--", "--locked"]));
    let size = fs_err::metadata(&archive).unwrap().len();
    assert!(size < 2_000_000, "the exporter's image has {size} bytes");
}
