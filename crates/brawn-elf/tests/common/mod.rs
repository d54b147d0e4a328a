//! Real compilers and linkers for the tests. A tool that is missing fails the test: a skipped test would promise
//! what no one has checked.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod archive;
#[path = "../../../../tests/once.rs"]
mod once;
pub mod rust;

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Note;

/// Runs a command and insists that it succeeds.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| {
        panic!("cannot run {:?}: {error} (`make setup` installs what the tests need)", command.get_program())
    });
    assert!(
        output.status.success(),
        "{command:?} failed with {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// A folder for one test, with helpers to fill it.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox { dir: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs_err::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs_err::read(self.path(name)).unwrap()
    }

    /// Runs a tool in the folder. Arguments are split at spaces.
    pub fn tool(&self, tool: impl AsRef<std::ffi::OsStr>, arguments: &str) -> String {
        run(Command::new(tool).args(arguments.split_whitespace()).current_dir(self.dir.path()))
    }

    /// Runs an executable of the folder.
    pub fn run(&self, name: &str) -> String {
        run(&mut Command::new(self.path(name)))
    }
}

/// What a tool's `-print-file-name` says about a file.
pub fn file_of(compiler: &str, name: &str) -> PathBuf {
    let path = run(Command::new(compiler).arg(format!("-print-file-name={name}")));
    let path = PathBuf::from(path.trim());
    assert!(path.is_absolute(), "{compiler} has no {name}");
    path
}

/// Debian's musl, the folder with its `libc.a`.
pub fn musl_folder() -> PathBuf {
    let path = PathBuf::from("/usr/lib/x86_64-linux-musl");
    assert!(path.join("libc.a").is_file(), "no musl in {path:?}: `make setup` installs musl-tools");
    path
}

/// The Rust toolchain's own linker.
pub fn rust_lld() -> PathBuf {
    let path = sysroot().join("lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld");
    assert!(path.is_file(), "no linker at {path:?}");
    path
}

/// The folder of the musl target's own libc.a and start files.
pub fn self_contained() -> PathBuf {
    let path = sysroot().join("lib/rustlib/x86_64-unknown-linux-musl/lib/self-contained");
    assert!(path.is_dir(), "no musl target at {path:?}: rustup target add x86_64-unknown-linux-musl");
    path
}

fn sysroot() -> PathBuf {
    PathBuf::from(run(Command::new("rustc").args(["--print", "sysroot"])).trim())
}

/// The content of an archive's member, read by the `object` crate.
pub fn member_defining(archive: &Path, symbol: &str) -> (String, Vec<u8>) {
    let data = fs_err::read(archive).unwrap();
    let archive = object::read::archive::ArchiveFile::parse(&*data).unwrap();
    let entry = archive
        .symbols()
        .unwrap()
        .expect("a symbol index")
        .map(Result::unwrap)
        .find(|entry| entry.name() == symbol.as_bytes())
        .unwrap_or_else(|| panic!("{symbol} is not in the archive"));
    let member = archive.member(entry.offset()).unwrap();
    (String::from_utf8(member.name().to_vec()).unwrap(), member.data(&*data).unwrap().to_vec())
}

/// A note as a kit writes it.
pub fn note(malloc: &str, version: Option<&str>) -> Note {
    Note {
        kit: "0.1.0".into(),
        preset: Some("balanced".into()),
        malloc: malloc.into(),
        malloc_version: version.map(str::to_owned),
        knobs: [("purge_delay".to_owned(), "0".to_owned())].into(),
        libc: "musl 1.2.3".into(),
        libc_sha256: "5f".repeat(32),
        strings: false,
        functions: Vec::new(),
        cpu: None,
        overlay: "ab".repeat(32),
        heaps: brawn_elf::HeapFacts::default(),
    }
}
