//! The environment's functions answer as plain ones do, and read no byte behind a page: the programs in
//! `libc/environment/test` with the host's compiler, and with the kit's for aarch64.
//! Names of services are looked for as musl does: `services.c` there.

use std::path::Path;
use std::process::Command;

mod common;
use common::ok;

/// A program, the files that it tries, and their names in it.
const PROGRAMS: [(&str, &[&str], &[&str]); 3] = [
    ("answers", &["getenv"], &["getenv=kit_getenv"]),
    (
        "changes",
        &["putenv", "unsetenv"],
        &[
            "putenv=kit_putenv",
            "__putenv=kit___putenv",
            "unsetenv=kit_unsetenv",
            "__env_rm_add=kit___env_rm_add",
        ],
    ),
    (
        "paths",
        &["basename", "dirname"],
        &["basename=kit_basename", "__xpg_basename=kit___xpg_basename", "dirname=kit_dirname"],
    ),
];

/// Builds the tests with this compiler and runs them, by these words if it is for another processor.
fn run(compiler: &[String], flags: &[&str], emulator: &[&str]) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/environment");
    let folder = tempfile::tempdir().expect("a folder");
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-fno-builtin"]).args(flags);
        command
    };
    for (program, files, names) in PROGRAMS {
        let mut link = command();
        link.arg(sources.join(format!("test/{program}.c")));
        for file in files {
            let object = folder.path().join(format!("{file}.o"));
            let mut compile = command();
            compile.args(names.iter().map(|name| format!("-D{name}"))).arg("-D__environ=__environ_of_test");
            ok(compile.arg("-c").arg(sources.join(format!("{file}.c"))).arg("-o").arg(&object));
            link.arg(object);
        }
        let path = folder.path().join(program);
        ok(link.arg("-o").arg(&path));
        let words: Vec<_> = emulator.iter().map(|word| word.into()).chain([path.into_os_string()]).collect();
        let text = ok(Command::new(&words[0]).args(&words[1..]));
        assert!(text.contains(" found, "), "{text}");
    }
}

#[test]
fn plain_ones_answer_the_same() {
    run(&["gcc".to_owned()], &[], &[]);
}

#[test]
fn plain_ones_answer_the_same_on_aarch64() {
    let emulator: &[&str] = if cfg!(target_arch = "aarch64") { &[] } else { &["qemu-aarch64-static"] };
    run(&common::kit_compiler("aarch64"), &["-static-pie", "-fPIE"], emulator);
}

/// Beside musl's own, in a folder `/etc` of the test's own, where it may have one.
#[test]
fn services_are_found_as_musl_finds_them() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/environment");
    let compiler = common::kit_compiler(std::env::consts::ARCH);
    let folder = tempfile::tempdir().expect("a folder");
    let (object, program) = (folder.path().join("services.o"), folder.path().join("services"));
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-fno-builtin", "-w"]);
        command
    };
    let name = "-D__lookup_serv=kit___lookup_serv";
    ok(command().args(["-c", name]).arg(sources.join("lookup_serv.c")).arg("-o").arg(&object));
    ok(command().arg("-static").arg(sources.join("test/services.c")).arg(object).arg("-o").arg(&program));
    let count = if std::env::var_os("BRAWN_TEST_LONG").is_some() { "10000000" } else { "20000" };
    let text = ok(Command::new(&program).arg(count));
    if text.contains("no namespace") {
        common::skip(&text);
    } else {
        assert!(text.contains(" found"), "{text}");
    }
}
