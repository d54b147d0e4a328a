//! The string functions give the oracle's answers at every level: `crates/brawn-kit/libc/string/test/run` with each compiler, each
//! build and each processor that can be had here.
//!
//! With `BRAWN_TEST_LONG=1` every placement of every small size is tried, and the fuzzer has ten minutes.

use std::collections::BTreeSet;
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
    // With -fPIC it takes the musl that other tests have had it compile.
    format!("{} cc -target {arch}-linux-musl{baseline} -fPIC -fno-sanitize=undefined", zig.display())
}

/// Runs `crates/brawn-kit/libc/string/test/run` in this mode, with these variables, and returns what it printed.
fn run_in(out: &Path, mode: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(root().join("crates/brawn-kit/libc/string/test/run"));
    command.args(mode).env("OUT", out).env_remove("BUILD_ONLY").env_remove("RUN_ONLY");
    command.envs(variables.iter().copied());
    let output = command.output().expect("crates/brawn-kit/libc/string/test/run starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "crates/brawn-kit/libc/string/test/run {} failed:\n{text}{}",
        mode.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// Builds and runs the table of tests in this mode, and returns what it printed.
fn run(mode: &[&str], compilers: &[(&str, String)]) -> String {
    let out = tempfile::Builder::new().prefix("brawn-strings").tempdir().expect("a folder");
    let variables: Vec<_> = compilers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    run_in(out.path(), mode, &variables)
}

/// The placements to try where they are many or slow: one in so many, or all with `BRAWN_TEST_LONG`.
fn part(of: &'static str) -> [&'static str; 2] {
    ["--part", if is_long() { "1" } else { of }]
}

/// The table says how many levels it went through.
fn levels(text: &str) -> u32 {
    let (_, level) = text.trim_end().rsplit_once(' ').expect("`… levels up to N`");
    level.parse().expect("a number")
}

#[test]
fn every_level_of_this_processor_with_the_hosts_compiler_and_old_processors() {
    let out = tempfile::Builder::new().prefix("brawn-strings").tempdir().expect("a folder");
    let text = run_in(out.path(), &[if is_long() { "long" } else { "quick" }], &[]);
    assert!(levels(&text) >= 1, "{text}");
    if cfg!(target_arch = "x86_64") {
        // The level that such a processor has is the one that is tried; the others have been.
        for (processor, level) in [("Nehalem", 1), ("Haswell", 2)] {
            let chosen = level.to_string();
            let [name, value] = part("12");
            let text = run_in(
                out.path(),
                &["qemu", processor, name, value, "--level", &chosen],
                &[("RUN_ONLY", "1")],
            );
            assert_eq!(levels(&text), level, "{processor}: {text}");
        }
    }
}

#[test]
fn the_compiler_of_the_kit_gives_the_same() {
    let [name, value] = part("2");
    run(&["quick", name, value], &[("CC", zig(std::env::consts::ARCH))]);
}

#[test]
fn without_an_error_that_sanitizers_know() {
    let [name, value] = part("6");
    run(&["asan", name, value], &[]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_build_for_one_level_has_no_dispatch_and_the_same_answers() {
    let [name, value] = part("4");
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2") {
        run(&["v3", name, value], &[]);
    }
    if std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vl") {
        run(&["v4", name, value], &[]);
    }
}

#[test]
fn aarch64_with_its_vectors() {
    let [name, value] = part("12");
    run(&["aarch64", name, value], &[("CC_aarch64", zig("aarch64"))]);
}

#[test]
fn the_seeds_of_the_fuzzer_and_what_it_makes_of_them() {
    run(&["fuzz", if is_long() { "600" } else { "3" }], &[]);
}

#[test]
fn the_document_holds_the_tables_of_the_results() {
    let output = Command::new("python3")
        .arg(root().join("crates/brawn-kit/libc/string/bench/tables.py"))
        .arg("--check")
        .output()
        .expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The headers of the string functions that a file reaches, whatever the preprocessor leaves out.
fn reached(folder: &Path, file: &str, above: &[&str], reached: &mut BTreeSet<String>) {
    assert!(!above.contains(&file), "{file} includes itself: {above:?}");
    let text = fs_err::read_to_string(folder.join(file)).expect("the file");
    for line in text.lines().filter(|line| line.trim_start().starts_with("#include")) {
        let what = line.trim_start()["#include".len()..].trim();
        assert!(what.starts_with(['"', '<']), "{file} includes {what}, a macro");
        if let Some(header) = what.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            assert!(header.ends_with(".h"), "{file} includes {header}");
            self::reached(folder, header, &[above, &[file]].concat(), reached);
            reached.insert(header.to_owned());
        }
    }
}

#[test]
fn a_file_is_one_text_and_reaches_few_headers() {
    let folder = root().join("crates/brawn-kit/libc/string");
    let mut most = 0;
    for entry in fs_err::read_dir(&folder).expect("the folder") {
        let name = entry.expect("a file").file_name().into_string().expect("a name");
        if name.ends_with(".c") {
            let mut headers = BTreeSet::new();
            reached(&folder, &name, &[], &mut headers);
            let allowed = if name == "strlen.c" { 4 } else { 9 };
            assert!(headers.len() <= allowed, "{name} reaches {headers:?}");
            most = most.max(headers.len());
        }
    }
    assert!(most > 4, "nothing was read");
}
