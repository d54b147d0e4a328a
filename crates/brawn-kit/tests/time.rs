//! The functions of time give the answers of glibc and of stock musl, survive hostile zone files, and keep whole
//! zones apart while TZ changes under them: the programs of `libc/time/test`, linked with the kit's objects before a
//! musl libc.a, which is how a linker sees an overlay.

use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use brawn_kit::{Functions, functions};
use object::read::archive::ArchiveFile;

mod common;

/// The C library that a program is linked with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Libc {
    Kit(Arch),
    Stock(Arch),
    Glibc,
}

impl Libc {
    /// How a program of it is started.
    fn start(self, executable: &Path) -> Command {
        match self {
            Libc::Kit(arch) | Libc::Stock(arch) if arch.name() != std::env::consts::ARCH => {
                let mut command = Command::new(format!("qemu-{arch}-static"));
                command.arg(executable);
                command
            }
            _ => Command::new(executable),
        }
    }
}

/// The family's objects, written to this folder.
fn objects(arch: Arch, folder: &Path) -> Vec<PathBuf> {
    let set = functions(arch).expect("the functions of the kit");
    let archive = ArchiveFile::parse(set.archive.bytes()).expect("an archive");
    let mut files = Vec::new();
    for member in archive.members() {
        let member = member.expect("a member");
        let name = std::str::from_utf8(member.name()).expect("a name");
        if Functions::family_of(name).is_some_and(|family| family.name == "time") {
            let file = folder.join(name);
            fs_err::write(&file, member.data(set.archive.bytes()).expect("its data")).expect("the object");
            files.push(file);
        }
    }
    assert!(!files.is_empty());
    files
}

/// Compiles and links a program, and returns the executable. `None` where there is no such compiler.
fn build(program: &str, libc: Libc, folder: &Path) -> Option<PathBuf> {
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let executable = folder.join(program);
    let mut link = match libc {
        Libc::Glibc => {
            let mut link = Command::new("gcc");
            if !cfg!(target_env = "gnu") || link.arg("--version").output().is_err() {
                return None;
            }
            link = Command::new("gcc");
            link.arg("-pthread");
            link
        }
        Libc::Kit(arch) | Libc::Stock(arch) => {
            let compiler = common::kit_compiler(arch.name());
            let mut link = Command::new(&compiler[0]);
            link.args(&compiler[1..]).arg("-static");
            link
        }
    };
    link.args(["-O1", "-g0", "-fno-builtin"]);
    link.arg(manifest_dir.join("libc/time/test").join(format!("{program}.c")));
    if let Libc::Kit(arch) = libc {
        link.args(objects(arch, folder));
    }
    let output = link.arg("-o").arg(&executable).output().expect("the compiler");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Some(executable)
}

/// Builds and runs a program on an empty folder, and returns what it printed.
fn run(program: &str, libc: Libc, arguments: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let zones = folder.path().join("zones");
    fs_err::create_dir(&zones).expect("a folder");
    let executable = build(program, libc, folder.path())?;
    let Ok(output) = libc.start(&executable).arg(&zones).args(arguments).env_remove("TZ").output() else {
        common::skip("no emulator");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {}: {text}{errors}", output.status);
    Some(text)
}

/// The lines that are the same with this oracle.
fn lines<'a>(answers: &'a str, oracle: &str) -> Vec<&'a str> {
    let kinds = ["all", oracle];
    answers.lines().filter(|line| kinds.iter().any(|kind| line.starts_with(&format!("{kind} ")))).collect()
}

#[track_caller]
fn agree(ours: &str, theirs: &str, oracle: &str) {
    let (ours, theirs) = (lines(ours, oracle), lines(theirs, oracle));
    assert!(ours.len() > 10, "{ours:?}");
    assert_eq!(ours, theirs, "{oracle}");
}

#[test]
fn the_answers_of_glibc_and_musl() {
    let ours = run("answers", Libc::Kit(Arch::X86_64), &[]).expect("the kit's compiler");
    agree(&ours, &run("answers", Libc::Stock(Arch::X86_64), &[]).expect("the same compiler"), "musl");
    if let Some(theirs) = run("answers", Libc::Glibc, &[]) {
        agree(&ours, &theirs, "glibc");
    }
}

#[test]
fn strftime_writes_the_bytes_of_musl() {
    let ours = run("formats", Libc::Kit(Arch::X86_64), &[]).expect("the kit's compiler");
    agree(&ours, &run("formats", Libc::Stock(Arch::X86_64), &[]).expect("the same compiler"), "musl");
    if let Some(theirs) = run("formats", Libc::Glibc, &[]) {
        assert_eq!(lines(&ours, "glibc"), lines(&theirs, "glibc"));
    }
}

#[test]
fn the_answers_of_musl_on_aarch64() {
    let years = ["1966", "1990"];
    let Some(ours) = run("answers", Libc::Kit(Arch::Aarch64), &years) else { return };
    agree(&ours, &run("answers", Libc::Stock(Arch::X86_64), &years).expect("the same compiler"), "musl");
    let ours = run("formats", Libc::Kit(Arch::Aarch64), &[]).expect("the same compiler");
    agree(&ours, &run("formats", Libc::Stock(Arch::X86_64), &[]).expect("the same compiler"), "musl");
}

#[test]
fn hostile_zone_files_harm_nothing() {
    assert_eq!(run("hostile", Libc::Kit(Arch::X86_64), &["1"]).as_deref(), Some("survived\n"));
}

#[test]
fn zones_change_under_threads_and_forks() {
    assert_eq!(run("storm", Libc::Kit(Arch::X86_64), &["2"]).as_deref(), Some("quiet\n"));
}
