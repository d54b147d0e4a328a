//! What other programs make of the images.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{chroot, have, hello, text};
use crate::common::{Sandbox, ok};

/// Debian's registry, on a port of its own; stopped when dropped.
struct Registry {
    process: Child,
    address: String,
}

impl Registry {
    fn start(sandbox: &Sandbox) -> Registry {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let config = sandbox.write(
            "registry.yml",
            format!(
                "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\nhttp: {{addr: '{address}'}}\n",
                sandbox.path().join("registry").display()
            ),
        );
        let process = Command::new("docker-registry")
            .arg("serve")
            .arg(config)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let registry = Registry { process, address };
        let started = Instant::now();
        while std::net::TcpStream::connect(&registry.address).is_err() {
            assert!(started.elapsed() < Duration::from_secs(60), "the registry does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        registry
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn copy(from: &str, to: &str) -> Command {
    let mut command = Command::new("skopeo");
    command.args(["--insecure-policy", "copy", "--quiet", "--src-tls-verify=false", from, to]);
    command
}

/// Unpacks a layout with umoci and runs what is in it.
fn run(sandbox: &Sandbox, layout: &Path, tag: &str) -> String {
    let bundle = sandbox.path().join(format!("bundle-{tag}"));
    let mut unpack = Command::new("umoci");
    unpack.args(["unpack", "--rootless", "--image"]).arg(format!("{}:{tag}", layout.display())).arg(&bundle);
    ok(&mut unpack);
    let config: serde_json::Value =
        serde_json::from_slice(&fs_err::read(bundle.join("config.json")).unwrap()).unwrap();
    let args: Vec<&str> =
        config["process"]["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    ok(&mut chroot(&bundle.join("rootfs"), &args))
}

#[test]
fn an_image_is_pushed_pulled_unpacked_and_run() {
    if !have(&["docker-registry", "skopeo", "umoci"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let registry = Registry::start(&sandbox);
    let name = format!("{}/team/hello", registry.address);
    let file = text(hello());
    let push = |name: &str, more: &[&str]| {
        ok(sandbox.brawn(&["-q", "image", file, "--insecure", "--push", name]).args(more))
    };
    let line = push(&format!("{name}:1"), &["--with", "certificates,tmp"]);
    let digest = line.trim().strip_prefix(&format!("{name}@")).expect("one line: repo@sha256:…").to_owned();

    let pulled = sandbox.path().join("pulled");
    ok(&mut copy(&format!("docker://{name}@{digest}"), &format!("oci:{}:1", pulled.display())));
    assert_eq!(run(&sandbox, &pulled, "1"), "1 2 3\n");
    let inspected = ok(Command::new("skopeo").args([
        "inspect",
        "--raw",
        "--tls-verify=false",
        &format!("docker://{name}:1"),
    ]));
    let manifest: serde_json::Value = serde_json::from_str(&inspected).unwrap();
    assert_eq!(manifest["layers"].as_array().unwrap().len(), 2);

    // This registry has no referrers of its own, so there is an index under a tag.
    let tag = format!("docker://{name}:{}", digest.replace(':', "-"));
    let index = ok(Command::new("skopeo").args(["inspect", "--raw", "--tls-verify=false", &tag]));
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    assert_eq!(index["manifests"].as_array().unwrap().len(), 2, "{index}");

    // Upon what was pushed, by its digest, into another repository.
    let base = format!("{name}@{digest}");
    let second = format!("{}/team/second", registry.address);
    push(&second, &["--base", &base, "--name", "again", "--no-sbom"]);
    let layout = sandbox.path().join("second");
    ok(&mut copy(&format!("docker://{second}"), &format!("oci:{}:2", layout.display())));
    assert_eq!(run(&sandbox, &layout, "2"), "1 2 3\n");
    assert!(sandbox.path().join("bundle-2/rootfs/hello").exists(), "the base's files are there");
}

#[test]
fn one_archive_serves_all() {
    if !have(&["skopeo", "umoci"]) {
        return;
    }
    let sandbox = Sandbox::new();
    for compress in ["gzip", "zstd", "none"] {
        let archive = sandbox.path().join(format!("{compress}.tar"));
        let args = [
            "-q",
            "image",
            text(hello()),
            "--compress",
            compress,
            "--tag",
            "team/hello:7",
            "-o",
            text(&archive),
        ];
        assert_eq!(ok(&mut sandbox.brawn(&args)).trim(), text(&archive));
        let as_oci = sandbox.path().join(format!("oci-{compress}"));
        ok(&mut copy(
            &format!("oci-archive:{}:7", archive.display()),
            &format!("oci:{}:7", as_oci.display()),
        ));
        // umoci 0.4 and skopeo 1.9's way for Docker's archives know no zstd.
        if compress != "zstd" {
            assert_eq!(run(&sandbox, &as_oci, "7"), "1 2 3\n");
            fs_err::remove_dir_all(sandbox.path().join("bundle-7")).unwrap();
            let as_docker = sandbox.path().join(format!("docker-{compress}"));
            let from = format!("docker-archive:{}:docker.io/team/hello:7", archive.display());
            ok(&mut copy(&from, &format!("oci:{}:7", as_docker.display())));
            assert_eq!(run(&sandbox, &as_docker, "7"), "1 2 3\n");
            fs_err::remove_dir_all(sandbox.path().join("bundle-7")).unwrap();
        }
    }
}

#[test]
fn a_layout_is_what_umoci_reads() {
    if !have(&["umoci"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let layout = sandbox.path().join("layout");
    let args = ["-q", "image", text(hello()), "--with", "users,tmp,zones,certificates", "-o", text(&layout)];
    ok(&mut sandbox.brawn(&args));
    assert_eq!(run(&sandbox, &layout, "latest"), "1 2 3\n");
    let root = sandbox.path().join("bundle-latest/rootfs");
    assert!(fs_err::read_to_string(root.join("etc/passwd")).unwrap().contains("nonroot:x:65532:"));
    assert!(root.join("usr/share/zoneinfo/Europe/Berlin").exists());
}

#[test]
fn the_files_alone_run_in_a_chroot() {
    let sandbox = Sandbox::new();
    let root = sandbox.path().join("root");
    ok(&mut sandbox.brawn(&["-q", "image", text(hello()), "--with", "tmp", "--rootfs", text(&root)]));
    assert_eq!(ok(&mut chroot(&root, &["/hello"])), "1 2 3\n");
}
