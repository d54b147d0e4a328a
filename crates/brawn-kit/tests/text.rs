//! Texts are converted as musl converts them, to the byte, the state and `errno`, and characters are what musl says that they
//! are: `libc/text/test/conversions.c` and `characters.c`, each one executable with the kit's functions and musl's.
//!
//! With `BRAWN_TEST_LONG=1` twenty million texts are tried at each level, in some hundred million calls.

use std::path::{Path, PathBuf};
use std::process::Command;

mod common;
use common::{kit_compiler, ok};

const CONVERSIONS: [&str; 5] = ["mbsrtowcs", "mbsnrtowcs", "wcsrtombs", "wcsnrtombs", "iconv"];
const CHARACTERS: [&str; 8] =
    ["isalnum", "ispunct", "iswspace", "isxdigit", "setlocale", "towlower", "towupper", "wcswidth"];

/// A program of `libc/text/test` with these functions of the kit under other names, and with a level of the string functions,
/// if it is to know one.
fn build(
    compiler: &[String],
    folder: &Path,
    test: &str,
    names: &[&str],
    files: &[&str],
    level: Option<u8>,
) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/text");
    let command = || {
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-O2", "-fno-builtin", "-fno-strict-aliasing", "-w"]);
        command
    };
    let renamed: Vec<String> = names
        .iter()
        .flat_map(|name| {
            [
                format!("-D{name}=kit_{name}"),
                format!("-D__{name}_l=kit___{name}_l"),
                format!("-D{name}_l=kit_{name}_l"),
                format!("-D__brawn_musl_{name}=__brawn_musl_kit_{name}"),
            ]
        })
        .collect();
    let mut objects = Vec::new();
    for file in files {
        let object = folder.join(file).with_extension("o");
        let source = sources.join(file).with_extension("c");
        ok(command().arg("-c").args(&renamed).arg(source).arg("-o").arg(&object));
        objects.push(object);
    }
    let level = level.map(|level| format!("-DLEVEL={level}"));
    let program = folder.join(test).with_extension("exe");
    let test = sources.join("test").join(test).with_extension("c");
    ok(command().arg("-static").args(level).arg(test).args(objects).arg("-o").arg(&program));
    program
}

fn conversions(compiler: &[String], folder: &Path, level: Option<u8>) -> PathBuf {
    let files: Vec<&str> = CONVERSIONS.iter().copied().chain(["utf8", "utf8_widen"]).collect();
    build(compiler, folder, "conversions", &CONVERSIONS, &files, level)
}

fn runs(program: &Path, arch: &str) -> Command {
    if arch == std::env::consts::ARCH {
        return Command::new(program);
    }
    let mut command = Command::new(format!("qemu-{arch}-static"));
    command.arg(program);
    command
}

fn converts(arch: &str, level: Option<u8>, times: &str, characters: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = conversions(&kit_compiler(arch), folder.path(), level);
    let times = if std::env::var_os("BRAWN_TEST_LONG").is_some() { "20000000" } else { times };
    let seed = level.map_or("1", |level| if level == 2 { "2" } else { "3" });
    let text = ok(runs(&program, arch).args([times, seed, characters]));
    assert!(text.contains(" of them by the function behind"), "{text}");
}

#[test]
fn texts_are_converted_as_musl_converts_them() {
    converts(std::env::consts::ARCH, None, "60000", "8");
}

/// The level says what the program may use, not what the processor has.
#[test]
fn texts_are_converted_with_avx2_as_musl_converts_them() {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("bmi2") {
        converts("x86_64", Some(2), "60000", "6");
    } else {
        eprintln!("skipped: this processor lacks AVX2");
    }
}

#[test]
fn texts_are_converted_with_avx512_as_musl_converts_them() {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512vbmi2") && std::arch::is_x86_feature_detected!("avx512vl") {
        converts("x86_64", Some(3), "60000", "6");
    } else {
        eprintln!("skipped: this processor lacks AVX-512");
    }
}

#[test]
fn texts_are_converted_on_aarch64_as_musl_converts_them() {
    if !cfg!(target_arch = "aarch64") {
        converts("aarch64", None, "8000", "2");
    }
}

#[test]
fn characters_are_what_musl_says() {
    for arch in ["x86_64", "aarch64"] {
        let folder = tempfile::tempdir().expect("a folder");
        let program = build(&kit_compiler(arch), folder.path(), "characters", &CHARACTERS, &CHARACTERS, None);
        let random = if arch == std::env::consts::ARCH { "1000000" } else { "100000" };
        let text = ok(runs(&program, arch).arg(random));
        assert!(text.contains(" by the function behind"), "{text}");
    }
}
