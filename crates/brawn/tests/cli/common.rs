//! Running `brawn` as a user does, in a folder and with a cache of the test's own.

// Every test file uses some of this, and none all of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use brawn_elf::Arch;

use crate::once::once;

/// The allocator that a program gets when no one asks for one.
pub const DEFAULT_MALLOC: &str = brawn_libc::PRESETS[0].malloc;

/// Whether what takes minutes is asked for: `make test-long`.
pub fn long() -> bool {
    std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0")
}

/// A folder to work in, and the environment of a fresh user.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox { dir: tempfile::Builder::new().prefix("brawn-test-").tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text).unwrap();
        path
    }

    /// `brawn ARGS`, in the folder.
    pub fn brawn(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_brawn"));
        command.args(args);
        command
    }

    /// Another program in the same environment. The cache is shared by all tests of a run: overlays are keyed by
    /// content, and records by output.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
        command
            .current_dir(self.path())
            .env("BRAWN_CACHE_DIR", cache)
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("NO_COLOR", "1");
        for name in [
            "BRAWN_PRESET",
            "BRAWN_MALLOC",
            "BRAWN_TARGET",
            "BRAWN_KNOBS",
            "BRAWN_MUSL",
            "BRAWN_STRINGS",
            "BRAWN_CPU",
            "BRAWN_STRICT",
            "BRAWN_SOCKET",
            "BRAWN_ALLOW_SECOND_HEAP",
            "BRAWN_ONE_HEAP",
            "BRAWN_CC",
            "BRAWN_CXX",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_MANIFEST_DIR",
            "CARGO",
            "RUSTC",
            "MAKEFLAGS",
            "MFLAGS",
            "CARGO_MAKEFLAGS",
            "CARGO_TERM_COLOR",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// A small package with one executable that allocates.
    pub fn package(&self, name: &str) -> PathBuf {
        self.write(
            &format!("{name}/Cargo.toml"),
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n"),
        );
        self.write(
            &format!("{name}/src/main.rs"),
            "fn main() {\n    let words: Vec<String> = (1..=3).map(|n| n.to_string()).collect();\n    \
             println!(\"{}\", words.join(\" \"));\n}\n",
        );
        self.path().join(name)
    }
}

/// A static program of this name that prints `1 2 3`, built once for all tests.
pub fn built(name: &str) -> &'static Path {
    let folder = once(Path::new(env!("CARGO_TARGET_TMPDIR")).join("built").join(name), |folder| {
        let sandbox = Sandbox::new();
        let package = sandbox.package(name);
        let mut build = sandbox.brawn(&["-q", "build", "--release", "--target-dir"]);
        ok(build.arg(folder).current_dir(package));
    });
    let path = folder.join(format!("{}-unknown-linux-musl/release/{name}", std::env::consts::ARCH));
    Box::leak(path.into_boxed_path())
}

/// The commands that `brawn --help` lists.
pub fn commands(sandbox: &Sandbox) -> Vec<String> {
    let help = ok(&mut sandbox.brawn(&["--help"]));
    let line = |line: &str| {
        let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '-']))?.split(' ').next()?;
        Some(name.to_owned())
    };
    let shown = help.split_once("Exit codes:").expect("the list ends").0.lines().filter_map(line);
    shown.filter(|name| name != "help").collect()
}

/// buildah, with a store of the test's own, and without namespaces or mounts that a container may refuse.
pub fn buildah(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.command("buildah");
    command.args(["--storage-driver", "vfs"]);
    command.arg("--root").arg(sandbox.path().join("store")).arg("--runroot").arg(sandbox.path().join("run"));
    command.args(args).env("BUILDAH_ISOLATION", "chroot");
    command
}

/// Makes an image of a folder of the test, under a name by which a Dockerfile can begin with it, so that no registry is asked.
pub fn base_image(sandbox: &Sandbox, folder: &str, path: &str, name: &str) {
    let container = ok(&mut buildah(sandbox, &["from", "scratch"])).trim().to_owned();
    ok(&mut buildah(sandbox, &["copy", "--quiet", &container, folder, "/"]));
    ok(&mut buildah(sandbox, &["config", "--env", &format!("PATH={path}"), &container]));
    ok(&mut buildah(sandbox, &["commit", "--quiet", &container, name]));
}

/// Makes the kernel refuse these system calls to a command, as a container's filter does (seccomp, `EPERM`).
pub fn refuse<'a>(command: &'a mut Command, calls: &[libc::c_long]) -> &'a mut Command {
    filter(command, calls, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32)
}

/// Makes the kernel kill a command at the first of these system calls.
pub fn kill_at<'a>(command: &'a mut Command, calls: &[libc::c_long]) -> &'a mut Command {
    filter(command, calls, libc::SECCOMP_RET_KILL_PROCESS)
}

fn filter<'a>(command: &'a mut Command, calls: &[libc::c_long], action: u32) -> &'a mut Command {
    use std::os::unix::process::CommandExt;
    let step = |code: u32, yes, no, k| libc::sock_filter { code: code as u16, jt: yes, jf: no, k };
    let load_number = step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    let answer = |k| step(libc::BPF_RET | libc::BPF_K, 0, 0, k);
    let mut filter = vec![load_number];
    for call in calls {
        filter.push(step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, u32::try_from(*call).unwrap()));
        filter.push(answer(action));
    }
    filter.push(answer(libc::SECCOMP_RET_ALLOW));
    // SAFETY: two system calls between fork and exec; the filter lives in the closure, and is as long as is said.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog {
                len: u16::try_from(filter.len()).unwrap_or(0),
                filter: filter.as_mut_ptr(),
            };
            let set = libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0;
            if set { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        })
    }
}

/// Runs a command that must succeed, and gives what it wrote to standard output.
pub fn ok(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?} failed:\n{}", both(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must fail with `code`, and gives what it wrote to standard error.
pub fn fails(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{command:?}:\n{}", both(&output));
    String::from_utf8(output.stderr).unwrap()
}

fn both(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The note of the executable at `path`.
pub fn note(path: &Path) -> brawn_elf::Note {
    brawn_elf::read_notes(&fs_err::read(path).unwrap()).unwrap().note.expect("the executable has a note")
}

/// The `libc.a` of the Rust toolchain for `arch`.
pub fn rust_libc(arch: Arch) -> PathBuf {
    let rust = brawn_link::toolchain::Rust::find().unwrap();
    rust.self_contained(arch).expect("`make setup` adds the musl targets").join("libc.a")
}

/// A path in the folder of a test, as a snapshot shows it.
pub fn redact(sandbox: &Sandbox, text: &str) -> String {
    let rust = rust_libc(Arch::X86_64);
    let sysroot = rust.ancestors().nth(6).unwrap();
    text.replace(&sandbox.path().canonicalize().unwrap().display().to_string(), "[DIR]")
        .replace(&sandbox.path().display().to_string(), "[DIR]")
        .replace(&sysroot.display().to_string(), "[SYSROOT]")
}
