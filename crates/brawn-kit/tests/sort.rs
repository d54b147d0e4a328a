//! `qsort` and `qsort_r` sort, whatever the comparison does: `crates/brawn-kit/libc/sort/test/run`.

use std::path::Path;
use std::process::Command;

/// Builds and runs the test in this mode.
fn run(mode: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/sort/test/run");
    let output =
        Command::new(script).args(mode).env_remove("OUT").output().expect("libc/sort/test/run starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.starts_with("ok"), "{}: {text}{errors}", mode.join(" "));
}

#[test]
fn every_size_pattern_and_contradiction() {
    run(&["native"]);
}

#[test]
fn without_an_error_that_sanitizers_know() {
    run(&["asan", "12"]);
}
