//! `scripts/install.sh` and `cargo binstall`, from the files of a release as `scripts/release archives` makes them.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use brawn_elf::Arch;

use super::archives::{built, release};
use super::{probe, repository, script};
use crate::common::{Sandbox, fails, ok};

fn name() -> String {
    format!("brawn-{}-{}-linux", env!("CARGO_PKG_VERSION"), Arch::host().unwrap())
}

/// A sandbox with a release's files, in which [`probe`] is brawn, and their folder.
fn released() -> (Sandbox, PathBuf) {
    let sandbox = built();
    ok(&mut release(&sandbox, &["archives"]));
    let dist = sandbox.path().join("target/dist");
    (sandbox, dist)
}

fn install(sandbox: &Sandbox, from: &str) -> Command {
    let mut command = script(sandbox, "install.sh");
    command.env("BRAWN_FROM", from).env("PREFIX", "here");
    command
}

/// A server that a Python program is, which prints its port first, until it is dropped; and its address.
pub struct Server(Child, pub String);

impl Server {
    pub fn run(program: &str, arguments: &[&str]) -> Server {
        let mut command = Command::new("python3");
        command.args(["-c", program]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Server(child, format!("http://127.0.0.1:{}", port.trim()))
    }

    /// For a folder's files.
    pub fn of(folder: &Path) -> Server {
        let serve = "import http.server as h, os, sys\nos.chdir(sys.argv[1])\n\
                     s = h.ThreadingHTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\n\
                     print(s.server_port, flush=True)\ns.serve_forever()\n";
        Server::run(serve, &[folder.to_str().unwrap()])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn the_script_installs_what_has_the_right_digest() {
    let (sandbox, dist) = released();
    let server = Server::of(&dist);
    let places = [dist.display().to_string(), format!("file://{}", dist.display()), server.1.clone()];
    for from in &places {
        let output = install(&sandbox, from).output().unwrap();
        // The program that stands in for brawn prints this.
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1 2 3 is here/bin/brawn\n", "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("hint: PATH does not hold here/bin"));
        for program in ["brawn", "cargo-brawn"] {
            let path = sandbox.path().join("here/bin").join(program);
            assert!(fs_err::read(path).unwrap() == fs_err::read(probe()).unwrap());
        }
        assert_eq!(fs_err::read_dir(sandbox.path().join("here/bin")).unwrap().count(), 2);
        fs_err::remove_dir_all(sandbox.path().join("here")).unwrap();
    }
    // As on Alpine: busybox is everything, and there is no curl.
    let tools = sandbox.path().join("tools");
    fs_err::create_dir(&tools).unwrap();
    if sandbox.command("busybox").args(["--install", "-s"]).arg(&tools).output().is_ok() {
        ok(install(&sandbox, &server.1).env("PATH", &tools));
        assert!(sandbox.path().join("here/bin/brawn").is_file());
    } else {
        assert!(std::env::var_os("CI").is_none(), "`make setup` installs busybox");
    }
}

#[test]
fn the_script_says_what_is_wrong_and_installs_nothing() {
    let (sandbox, dist) = released();
    let refused = |sandbox: &Sandbox, from: &str, message: &str| {
        let error = fails(&mut install(sandbox, from), 1);
        assert!(error.contains(message) && error.contains("hint: "), "{from}: {error}");
        assert!(!sandbox.path().join("here").exists());
    };
    let from = dist.display().to_string();
    refused(&sandbox, "nowhere", "nowhere/SHA256SUMS cannot be had\nhint: BRAWN_FROM is");
    // An address that is not safe to fetch from is not asked.
    refused(
        &sandbox,
        "http://example.org/brawn",
        "cannot be had\nhint: BRAWN_FROM is a folder or begins with https:",
    );
    refused(&sandbox, &Server::of(sandbox.path()).1, "/SHA256SUMS cannot be had");
    let archive = dist.join(name() + ".tar.gz");
    let whole = fs_err::read(&archive).unwrap();
    // One byte of the time in gzip's header: it unpacks as before.
    let mut other = whole.clone();
    other[4] ^= 1;
    fs_err::write(&archive, other).unwrap();
    refused(&sandbox, &from, &format!("{}.tar.gz is not what SHA256SUMS says", name()));
    fs_err::write(&archive, whole).unwrap();
    fs_err::write(dist.join("SHA256SUMS"), "").unwrap();
    refused(&sandbox, &from, &format!("{}.tar.gz is not what SHA256SUMS says", name()));
    // Another machine.
    let uname = sandbox.write("bin/uname", "#!/bin/sh\necho riscv64\n");
    ok(sandbox.command("chmod").arg("+x").arg(&uname));
    let path = format!("{}:{}", uname.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let error = fails(install(&sandbox, &from).env("PATH", path), 1);
    assert!(error.contains("-riscv64-riscv64.tar.gz cannot be had\nhint: "), "{error}");
    assert!(error.contains("brawn is for Linux on x86_64 and aarch64"), "{error}");
}

#[test]
fn the_script_is_of_this_version() {
    let text = fs_err::read_to_string(repository().join("scripts/install.sh")).unwrap();
    assert!(text.contains(concat!("    version=", env!("CARGO_PKG_VERSION"), "\n")));
}

/// What `cargo metadata` says of the package.
fn package(sandbox: &Sandbox) -> serde_json::Value {
    let mut metadata = sandbox.command("cargo");
    metadata.args(["metadata", "--format-version=1", "--no-deps", "--offline"]).current_dir(repository());
    let metadata: serde_json::Value = serde_json::from_str(&ok(&mut metadata)).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().find(|package| package["name"] == "brawn").unwrap().clone()
}

/// The templates in Cargo.toml name an archive of the release, and the executables in it.
#[test]
fn binstall_finds_the_archive() {
    let (sandbox, dist) = released();
    let package = package(&sandbox);
    let binstall = &package["metadata"]["binstall"];
    assert_eq!(binstall["pkg-fmt"], "tgz");
    let arch = Arch::host().unwrap().to_string();
    let expand = |key: &str, bin: &str| {
        [
            ("repo", package["repository"].as_str().unwrap()),
            ("version", env!("CARGO_PKG_VERSION")),
            ("target-arch", &arch),
            // What binstall calls so is the operating system.
            ("target-family", "linux"),
            ("bin", bin),
        ]
        .iter()
        .fold(binstall[key].as_str().unwrap().to_owned(), |text, (name, value)| {
            text.replace(&format!("{{ {name} }}"), value)
        })
    };
    let (address, file) =
        expand("pkg-url", "").rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let installer = fs_err::read_to_string(repository().join("scripts/install.sh")).unwrap();
    assert!(installer.contains(&address.replace(env!("CARGO_PKG_VERSION"), "$version")), "{address}");
    let list = ok(sandbox.command("tar").arg("-tzf").arg(dist.join(file)));
    for bin in ["brawn", "cargo-brawn"] {
        assert!(list.lines().any(|line| line == expand("bin-dir", bin)), "{list}");
    }
}

/// Files under an address of https, with a certificate of its own.
const HTTPS: &str = "import functools, http.server, ssl, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer((\"127.0.0.1\", 0), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2], sys.argv[3])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
";

/// binstall itself, where `BRAWN_TEST_BINSTALL` names it: it asks for a newer Rust than Brawn, and takes minutes to compile.
/// A server stands in the place of the repository, and a copy of the metadata in that of the registry.
#[test]
fn binstall_itself_installs_it() {
    let Ok(binstall) = std::env::var("BRAWN_TEST_BINSTALL") else { return };
    let (sandbox, dist) = released();
    let place = sandbox.path().join(concat!("www/brawn/releases/download/v", env!("CARGO_PKG_VERSION")));
    fs_err::create_dir_all(&place).unwrap();
    let archive = format!("{}.tar.gz", name());
    fs_err::copy(dist.join(&archive), place.join(&archive)).unwrap();
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"];
    let mut certificate = sandbox.command("openssl");
    certificate.args(["req", "-x509", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost"]).args(key);
    certificate.args([
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    ]);
    ok(&mut certificate);
    let path = |name: &str| sandbox.path().join(name).display().to_string();
    let server = Server::run(HTTPS, &[&path("www"), &path("cert.pem"), &path("key.pem")]);
    let address = server.1.replace("http:", "https:");
    let mut manifest = format!(
        "[package]\nname = \"brawn\"\nversion = \"{}\"\nedition = \"2024\"\nrepository = \"{address}/brawn\"\n\
         [[bin]]\nname = \"brawn\"\npath = \"main.rs\"\n[[bin]]\nname = \"cargo-brawn\"\npath = \"main.rs\"\n\
         [package.metadata.binstall]\n",
        env!("CARGO_PKG_VERSION")
    );
    for (key, value) in package(&sandbox)["metadata"]["binstall"].as_object().unwrap() {
        manifest.push_str(&format!("{key} = {value}\n"));
    }
    sandbox.write("package/Cargo.toml", &manifest);
    sandbox.write("package/main.rs", "fn main() {}\n");
    let mut command = sandbox.command(&binstall);
    command.args(["--manifest-path", "package/Cargo.toml", "--root", "here", "--no-confirm"]);
    command.args([
        "--strategies",
        "crate-meta-data",
        "--disable-telemetry",
        "--root-certificates",
        "cert.pem",
    ]);
    ok(command.arg("brawn"));
    for name in ["brawn", "cargo-brawn"] {
        let installed = sandbox.path().join("here/bin").join(name);
        assert!(fs_err::read(installed).unwrap() == fs_err::read(probe()).unwrap(), "{name}");
    }
}
