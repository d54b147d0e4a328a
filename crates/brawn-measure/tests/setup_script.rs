//! `scripts/setup` on machines that lack something: one error that names the thing and the command, nothing else.
//!
//! Each test runs the script in a copy of its folder with a `PATH` that holds the usual small tools and fakes for
//! everything that the script would install with or look for.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the script itself needs of any machine.
const PLAIN_TOOLS: &[&str] = &[
    "awk", "bash", "cat", "cmp", "cp", "df", "dirname", "flock", "grep", "ln", "mkdir", "mktemp", "mv", "rm",
    "sed", "tail", "uname",
];

struct Machine {
    root: tempfile::TempDir,
}

impl Machine {
    /// A machine with the plain tools, an unprivileged user, Rust with both musl targets, and the private tools.
    fn complete() -> Self {
        let machine = Self { root: tempfile::tempdir().unwrap() };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        for folder in
            ["bin", "scripts/tools", "sysroot/bin", ".tools/zig", ".tools/lint", ".tools/build", ".tools/bin"]
        {
            fs_err::create_dir_all(machine.path(folder)).unwrap();
        }
        fs_err::copy(repository.join("scripts/setup"), machine.path("scripts/setup")).unwrap();
        for list in ["zig.txt", "lint.txt", "build.txt"] {
            let from = repository.join("scripts/tools").join(list);
            fs_err::copy(&from, machine.path("scripts/tools").join(list)).unwrap();
            let folder = machine.path(".tools").join(list.trim_end_matches(".txt"));
            fs_err::copy(&from, folder.join("installed.txt")).unwrap();
        }
        for name in PLAIN_TOOLS {
            symlink(find_on_path(name), machine.path("bin").join(name)).unwrap();
        }
        let sysroot = machine.path("sysroot").display().to_string();
        machine.fake("rustc", &format!("echo {sysroot}"));
        for name in [
            "cargo",
            "cc",
            "musl-gcc",
            "qemu-aarch64-static",
            "qemu-x86_64-static",
            "shellcheck",
            "make",
            "tclsh",
            "chromium",
            "strace",
            "cmake",
            "automake",
            "skopeo",
            "umoci",
            "docker-registry",
            "buildah",
            "busybox",
            "go",
            "ocamlopt",
            "nim",
            "ghc",
        ] {
            machine.fake(name, "exit 0");
        }
        for name in ["cargo-fmt", "cargo-clippy"] {
            machine.script(&machine.path("sysroot/bin").join(name), "exit 0");
        }
        for architecture in ["x86_64", "aarch64"] {
            let libraries = format!("sysroot/lib/rustlib/{architecture}-unknown-linux-musl/lib");
            fs_err::create_dir_all(machine.path(&libraries)).unwrap();
        }
        machine.fake("id", "echo 1000");
        machine
    }

    fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(relative)
    }

    fn script(&self, path: &Path, body: &str) {
        fs_err::write(path, format!("#!/bin/bash\n{body}\n")).unwrap();
        fs_err::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn fake(&self, name: &str, body: &str) {
        self.script(&self.path("bin").join(name), body);
    }

    fn without(&self, name: &str) {
        fs_err::remove_file(self.path("bin").join(name)).unwrap();
    }

    /// Exit status and everything that the script printed.
    fn setup(&self, stage: &str) -> (Option<i32>, String) {
        let output = Command::new(self.path("scripts/setup"))
            .arg(stage)
            .env_clear()
            .env("PATH", self.path("bin"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    }
}

fn find_on_path(name: &str) -> PathBuf {
    std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{name} is not on PATH"))
}

#[test]
fn a_complete_machine_is_left_alone_without_a_word() {
    let machine = Machine::complete();
    assert_eq!(machine.setup("test"), (Some(0), String::new()));
    assert_eq!(machine.setup("demo"), (Some(0), String::new()));
}

#[test]
fn without_rust_the_error_says_where_to_get_it() {
    let machine = Machine::complete();
    machine.without("cargo");
    let expected = "error: missing: cargo and rustc\n\
                    hint: install Rust through rustup: https://www.rust-lang.org/tools/install\n";
    assert_eq!(machine.setup("demo"), (Some(1), expected.into()));
}

#[test]
fn a_full_disk_is_said_before_anything_is_compiled() {
    let machine = Machine::complete();
    machine.without("df");
    machine.fake("df", "echo Header; echo \"none 99999999 1 $((5 << 20)) 1% $2\"");
    let expected = format!(
        "error: {} has 5 GiB of room, and a first run of the tests needs 8\n\
         hint: make room there, or set CARGO_TARGET_DIR to a folder that has it\n",
        machine.path("target").display()
    );
    assert_eq!(machine.setup("test"), (Some(1), expected));
    // What the tests left needs no more of it, what the demo left does; and the demo needs little.
    fs_err::create_dir_all(machine.path("target/debug/deps")).unwrap();
    assert_eq!(machine.setup("test").0, Some(1));
    assert_eq!(machine.setup("demo"), (Some(0), String::new()));
    fs_err::create_dir_all(machine.path("target/nextest")).unwrap();
    assert_eq!(machine.setup("test"), (Some(0), String::new()));
}

#[test]
fn a_missing_target_without_rustup_names_the_command() {
    let machine = Machine::complete();
    fs_err::remove_dir_all(machine.path("sysroot/lib/rustlib")).unwrap();
    let (status, text) = machine.setup("test");
    assert_eq!(status, Some(1));
    assert!(text.starts_with("error: missing: the Rust target "), "{text}");
    assert!(text.contains("then run: rustup target add "), "{text}");
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
}

#[test]
fn a_target_that_rustup_cannot_fetch_shows_its_reason() {
    let machine = Machine::complete();
    fs_err::remove_dir_all(machine.path("sysroot/lib/rustlib/x86_64-unknown-linux-musl")).unwrap();
    machine.fake("rustup", "echo 'could not resolve host' >&2; exit 1");
    let expected = "setup: rustup target add x86_64-unknown-linux-musl\n  | could not resolve host\n\
                    error: missing: the Rust target x86_64-unknown-linux-musl, which rustup could not fetch\n\
                    hint: check the network, then run: rustup target add x86_64-unknown-linux-musl\n";
    assert_eq!(machine.setup("test"), (Some(1), expected.into()));
}

#[test]
fn a_system_package_without_root_names_the_command_to_run_as_root() {
    let machine = Machine::complete();
    machine.without("qemu-aarch64-static");
    machine.without("qemu-x86_64-static");
    machine.fake("apt-get", "echo 'apt-get must not be called without root'; exit 1");
    let expected = "error: missing: qemu (only root can install system packages)\n\
                    hint: sudo apt-get install -y --no-install-recommends qemu-user-static\n";
    assert_eq!(machine.setup("test"), (Some(1), expected.into()));
    // The demo runs nothing of the other architecture.
    assert_eq!(machine.setup("demo"), (Some(0), String::new()));
}

#[test]
fn without_root_zig_stands_in_for_musl_gcc() {
    let machine = Machine::complete();
    machine.without("musl-gcc");
    let (status, text) = machine.setup("test");
    assert_eq!(status, Some(0), "{text}");
    assert!(text.starts_with("setup: no musl-gcc and no root to install it: zig stands in"), "{text}");
}

#[test]
fn without_root_and_without_a_browser_the_script_says_what_is_left_out() {
    let machine = Machine::complete();
    machine.without("chromium");
    let (status, text) = machine.setup("test");
    assert_eq!(status, Some(0), "{text}");
    assert!(text.starts_with("setup: no Chromium and no root to install it: "), "{text}");
    // Chrome does as well.
    machine.fake("google-chrome", "exit 0");
    assert_eq!(machine.setup("test"), (Some(0), String::new()));
}

#[test]
fn root_installs_what_is_missing_in_one_command() {
    let machine = Machine::complete();
    machine.without("musl-gcc");
    machine.without("cc");
    machine.without("chromium");
    machine.fake("id", "echo 0");
    let log = machine.path("apt.log");
    machine.fake("apt-get", &format!("echo \"$*\" >> {}", log.display()));
    let (status, text) = machine.setup("test");
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(
        fs_err::read_to_string(log).unwrap(),
        "install -y --no-install-recommends gcc libc6-dev musl-tools chromium\n"
    );
}

#[test]
fn a_distribution_out_of_reach_is_one_error_with_its_reason() {
    let machine = Machine::complete();
    machine.without("cc");
    machine.fake("id", "echo 0");
    machine.fake("apt-get", "echo 'E: Unable to locate package' >&2; exit 100");
    let (status, text) = machine.setup("demo");
    assert_eq!(status, Some(1));
    assert!(text.contains("  | E: Unable to locate package\n"), "{text}");
    assert!(text.ends_with("then run: apt-get install -y --no-install-recommends gcc libc6-dev\n"), "{text}");
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
}

#[test]
fn python_packages_out_of_reach_are_one_error() {
    let machine = Machine::complete();
    fs_err::remove_dir_all(machine.path(".tools/zig")).unwrap();
    machine.fake("python3", "[ \"$3\" != --version ] || exit 0; echo 'No matching distribution' >&2; exit 1");
    let expected = "setup: zig (the C compiler that builds the kit) into .tools/zig\n  | No matching distribution\n\
                    error: missing: zig (the C compiler that builds the kit), and PyPI could not be reached\n\
                    hint: check the network, then run: make setup\n";
    assert_eq!(machine.setup("demo"), (Some(1), expected.into()));
    assert!(!machine.path(".tools/zig").exists());
}
