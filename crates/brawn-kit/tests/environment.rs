//! `getenv` finds what a plain one finds, and reads no byte behind a page: `libc/environment/test/answers.c` with the
//! host's compiler, and with the kit's for aarch64.

use std::path::Path;
use std::process::Command;

use brawn_kit_build::{arches, compiler};

fn ok(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Builds the test with this compiler and runs it, by these words if it is for another processor.
fn run(compiler: &[String], flags: &[&str], emulator: &[&str]) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/environment");
    let folder = tempfile::tempdir().expect("a folder");
    let (object, program) = (folder.path().join("getenv.o"), folder.path().join("answers"));
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-fno-builtin"]).args(flags);
        command
    };
    let names = ["-Dgetenv=kit_getenv", "-D__environ=__environ_of_test", "-c"];
    ok(command().args(names).arg(sources.join("getenv.c")).arg("-o").arg(&object));
    ok(command().arg(sources.join("test/answers.c")).arg(object).arg("-o").arg(&program));
    let words: Vec<_> = emulator.iter().map(|word| word.into()).chain([program.into_os_string()]).collect();
    let text = ok(Command::new(&words[0]).args(&words[1..]));
    assert!(text.contains(" found, "), "{text}");
}

#[test]
fn a_plain_one_finds_the_same() {
    run(&["gcc".to_owned()], &[], &[]);
}

#[test]
fn a_plain_one_finds_the_same_on_aarch64() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the repository");
    let row = arches::ARCHES.iter().find(|row| row.name == "aarch64").expect("an architecture");
    let compiler = compiler::find(root, row, std::env::consts::ARCH).expect("the kit's compiler");
    let emulator: &[&str] = if cfg!(target_arch = "aarch64") { &[] } else { &["qemu-aarch64-static"] };
    run(&compiler.argv, &["-static-pie", "-fPIE"], emulator);
}
