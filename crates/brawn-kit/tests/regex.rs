//! Expressions match what musl's own functions match: `libc/regex/test/answers.c` and `names.c` have the kit's functions
//! beside musl's in one executable, on expressions and texts made by chance that end where their page does.
//!
//! With `BRAWN_TEST_LONG=1` there are ten million pairs.

use std::path::{Path, PathBuf};
use std::process::Command;

mod common;
use common::{count, kit_compiler, ok};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/regex")
}

/// A test program with these of the kit's files, whose functions have other names there.
fn build(arch: &str, test: &str, files: &[&str], flags: &[&str], folder: &Path) -> PathBuf {
    let compiler = kit_compiler(arch);
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-fno-builtin"]).args(flags);
        command
    };
    let names = ["regcomp", "regexec", "regfree", "fnmatch"].map(|name| format!("-D{name}=kit_{name}"));
    let mut objects = Vec::new();
    for file in files {
        let object = folder.join(file).with_extension("o");
        let source = sources().join(file).with_extension("c");
        ok(command().args(["-c", "-ffreestanding"]).args(&names).arg(source).arg("-o").arg(&object));
        objects.push(object);
    }
    let program = folder.join(test);
    let source = sources().join("test").join(test).with_extension("c");
    ok(command().args(["-w", "-static"]).arg(source).args(objects).arg("-o").arg(&program));
    program
}

const EXPRESSIONS: [&str; 7] = ["begin", "machine", "parse", "program", "regcomp", "regexec", "sets"];

fn run(arch: &str, program: &Path) -> Command {
    if arch == std::env::consts::ARCH {
        return Command::new(program);
    }
    let mut command = Command::new(format!("qemu-{arch}-static"));
    command.arg(program);
    command
}

#[test]
fn the_matches_of_musl() {
    let folder = tempfile::tempdir().expect("a folder");
    // Overflows and shifts too far end the program.
    let flags = ["-fsanitize=undefined", "-fsanitize-trap=undefined"];
    let arch = std::env::consts::ARCH;
    let program = build(arch, "answers", &EXPRESSIONS, &flags, folder.path());
    let text = ok(run(arch, &program).args([count("100000", "10000000"), "1", "6000"]));
    assert!(text.contains(" by the functions behind: "), "{text}");
}

#[test]
fn the_matches_of_musl_on_aarch64() {
    if cfg!(target_arch = "aarch64") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = build("aarch64", "answers", &EXPRESSIONS, &[], folder.path());
    ok(run("aarch64", &program).args([count("10000", "300000"), "2"]));
}

#[test]
fn the_names_that_musl_matches() {
    for arch in ["x86_64", "aarch64"] {
        let folder = tempfile::tempdir().expect("a folder");
        let program = build(arch, "names", &["fnmatch"], &[], folder.path());
        let text = ok(run(arch, &program).arg(count("50000", "10000000")));
        assert!(text.contains(" by the function behind"), "{text}");
    }
}
