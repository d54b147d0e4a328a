//! The string functions give the oracle's answers at every level: `libc/string/test/run` with each compiler, each
//! build and each processor that can be had here.
//!
//! With `BRAWN_TEST_LONG=1` every placement of every small size is tried, and the fuzzer has ten minutes.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root of the repository")
}

fn is_long() -> bool {
    std::env::var_os("BRAWN_TEST_LONG").is_some()
}

/// The compiler that makes the kit, for this architecture.
fn zig(arch: &str) -> String {
    let private = root().join(".tools/zig/ziglang/zig");
    let zig = if private.exists() { private } else { PathBuf::from("zig") };
    let baseline = if arch == "x86_64" { " -mcpu=baseline" } else { "" };
    format!("{} cc -target {arch}-linux-musl{baseline} -fno-sanitize=undefined", zig.display())
}

/// Builds and runs the table of tests in this mode, and returns what it printed.
fn run(mode: &[&str], compilers: &[(&str, String)]) -> String {
    let out = tempfile::Builder::new().prefix("brawn-strings").tempdir().expect("a folder");
    let mut command = Command::new(root().join("libc/string/test/run"));
    command.args(mode).env("OUT", out.path()).env_remove("BUILD_ONLY");
    command.envs(compilers.iter().map(|(name, value)| (*name, value.as_str())));
    let output = command.output().expect("libc/string/test/run starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "libc/string/test/run {} failed:\n{text}{}",
        mode.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// The table says how many levels it went through.
fn levels(text: &str) -> u32 {
    let (_, level) = text.trim_end().rsplit_once(' ').expect("`… levels up to N`");
    level.parse().expect("a number")
}

#[test]
fn every_level_of_this_processor_with_the_hosts_compiler() {
    let text = run(&[if is_long() { "long" } else { "quick" }], &[]);
    assert!(levels(&text) >= 1, "{text}");
}

#[test]
fn the_compiler_of_the_kit_gives_the_same() {
    run(&["quick"], &[("CC", zig(std::env::consts::ARCH))]);
}

#[test]
fn without_an_error_that_sanitizers_know() {
    run(&["asan"], &[]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_build_for_one_level_has_no_dispatch_and_the_same_answers() {
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2") {
        run(&["v3"], &[]);
    }
    if std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vl") {
        run(&["v4"], &[]);
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn old_processors_get_the_level_that_they_have() {
    for (processor, level) in [("Nehalem", 1), ("Haswell", 2)] {
        let text = run(&["qemu", processor], &[]);
        assert_eq!(levels(&text), level, "{processor}: {text}");
    }
}

#[test]
fn aarch64_with_its_vectors() {
    run(&["aarch64"], &[("CC_aarch64", zig("aarch64"))]);
}

#[test]
fn the_seeds_of_the_fuzzer_and_what_it_makes_of_them() {
    run(&["fuzz", if is_long() { "600" } else { "3" }], &[]);
}
