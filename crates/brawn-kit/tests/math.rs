//! Mathematical functions are as exact as `libc/math/test/functions.h` says, never less than musl's: held against wider
//! types by the host's compiler (`accuracy.c`), and against musl where numbers are special, in value and in the exceptions
//! raised, at each level and on aarch64 (`special.c`).
//!
//! With `BRAWN_TEST_LONG=1` every float is tried, and a hundred million doubles for each function.

use brawn_kit_build::sources;
use std::path::{Path, PathBuf};
use std::process::Command;

mod common;
use common::{count, kit_compiler, ok};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/math")
}

/// Where the crate lies whose files some functions include.
fn core_math() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let host = env!("BRAWN_KIT_HOST");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = sources::find(manifest, &cargo, host, &["core-math-sys"]).expect("the crate");
    found["core-math-sys"].folder.clone()
}

/// The names of the files in the table, as far as they are for this architecture.
fn files(x86_64: bool) -> Vec<String> {
    let table = fs_err::read_to_string(folder().join("functions.toml")).expect("the table");
    let rows = table.split("[[function]]").skip(1);
    let rows = rows.filter(|row| x86_64 || !row.contains("arch = [\"x86_64\"]"));
    let file = |row: &str| row.split("file = \"math/").nth(1)?.split('"').next().map(str::to_owned);
    rows.map(|row| file(row).expect("a file")).collect()
}

/// All functions with names that begin with kit_, compiled by this compiler, and this test with them.
fn build(compiler: &[String], x86_64: bool, test: &str, flags: &[&str], into: &Path) -> PathBuf {
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-std=gnu11", "-O2", "-fno-builtin", "-w"]);
        command
    };
    let mut objects = Vec::new();
    let crate_folder = core_math();
    for file in files(x86_64) {
        let object = into.join(&file).with_extension("o");
        let mut command = command();
        command.args(["-DBRAWN_PREFIX=kit_", "-ffp-contract=on", "-fno-math-errno"]);
        command.arg("-isystem").arg(&crate_folder);
        ok(command.arg("-c").arg(folder().join(&file)).arg("-o").arg(&object));
        objects.push(object);
    }
    let program = into.join(test);
    let source = folder().join("test").join(test).with_extension("c");
    let mut command = command();
    ok(command
        .arg("-frounding-math")
        .arg(source)
        .args(objects)
        .args(flags)
        .arg("-lm")
        .arg("-o")
        .arg(&program));
    program
}

#[test]
fn no_result_is_further_off_than_it_may_be() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let into = tempfile::tempdir().expect("a folder");
    let program = build(&["gcc".to_owned()], true, "accuracy", &["-lquadmath"], into.path());
    let text = ok(Command::new(&program).args(["float", count("65537", "1")]));
    assert!(text.lines().count() >= 24, "{text}");
    print!("{text}");
    let text = ok(Command::new(&program).args(["double", count("8000", "100000000")]));
    assert!(text.lines().count() >= 20, "{text}");
    print!("{text}");
}

#[test]
fn special_numbers_and_exceptions_are_musls_at_each_level() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let into = tempfile::tempdir().expect("a folder");
    let program = build(&kit_compiler("x86_64"), true, "special", &["-static"], into.path());
    for level in ["0", "1"] {
        let text = ok(Command::new(&program).arg(level));
        assert!(text.ends_with(" compared\n"), "{text}");
    }
}

/// Runs a test that is built for aarch64.
fn on_aarch64(test: &str, words: &[&str]) -> String {
    let into = tempfile::tempdir().expect("a folder");
    let program = build(&kit_compiler("aarch64"), false, test, &["-static"], into.path());
    let mut command = Command::new("qemu-aarch64-static");
    if cfg!(target_arch = "aarch64") {
        command = Command::new(&program);
    } else {
        command.arg(&program);
    }
    ok(command.args(words))
}

#[test]
fn special_numbers_and_exceptions_are_musls_on_aarch64() {
    let text = on_aarch64("special", &[]);
    assert!(text.ends_with(" compared\n"), "{text}");
}

#[test]
fn no_float_is_further_off_than_it_may_be_on_aarch64() {
    let text = on_aarch64("accuracy", &["float", count("262139", "401")]);
    assert!(text.lines().count() >= 21, "{text}");
    print!("{text}");
}
