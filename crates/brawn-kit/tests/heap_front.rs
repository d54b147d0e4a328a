//! The Brawn heap's front, apart from any libc: `crates/brawn-kit/libc/malloc/test/run` in each of its modes.

use std::path::Path;
use std::process::{Command, Output};

/// With this folder for what it compiles, or a temporary one.
fn run(arguments: &[&str], out: Option<&Path>) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root of the repository");
    let mut command = Command::new(root.join("crates/brawn-kit/libc/malloc/test/run"));
    command.args(arguments).env_remove("OUT").env_remove("CC");
    command.envs(out.map(|out| ("OUT", out)));
    command.output().expect("crates/brawn-kit/libc/malloc/test/run starts")
}

fn run_well(arguments: &[&str]) -> String {
    let output = run(arguments, None);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "crates/brawn-kit/libc/malloc/test/run {} failed:\n{text}{error}",
        arguments.join(" ")
    );
    text
}

/// The model ends with a failed check, and says so; anything else is no proof that it notices.
fn run_badly(arguments: &[&str]) -> String {
    run_badly_in(None, arguments)
}

fn run_badly_in(out: Option<&Path>, arguments: &[&str]) -> String {
    let output = run(arguments, out);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{}: {error}", arguments.join(" "));
    assert!(error.starts_with("FAILED: "), "{}: {error}", arguments.join(" "));
    error
}

#[test]
fn no_interleaving_loses_or_doubles_a_block_or_waits_for_ever() {
    let text = run_well(&["model"]);
    let states = text.lines().last().and_then(|line| line.split(' ').next()).expect("`… states in all`");
    assert!(states.parse::<u64>().expect("a number") > 10_000, "{text}");
}

#[test]
fn the_model_notices_wake_ups_that_are_lost() {
    for flaw in ["FLAW_NEVER_WAKES", "FLAW_SLEEPS_BLINDLY"] {
        assert!(run_badly(&["model", flaw, "shelf"]).contains("wake-up"));
    }
}

#[test]
fn the_model_notices_operations_that_are_not_atomic() {
    run_badly(&["model", "FLAW_TORN_OPERATIONS", "shelf"]);
    run_badly(&["model", "FLAW_TORN_OPERATIONS", "pages"]);
    run_badly(&["model", "FLAW_TORN_OPERATIONS", "slots-give"]);
}

#[test]
fn the_model_notices_each_rule_that_the_front_forgets() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc/malloc/test/model/flaws");
    let flaws = fs_err::read_to_string(path).expect("the flaws of the front's own code");
    // The model itself is compiled once.
    let out = tempfile::tempdir().expect("a folder");
    for line in flaws.lines() {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let error = run_badly_in(Some(out.path()), &["model", &format!("FLAW_{}", words[0]), words[1]]);
        assert!(
            !words[1].starts_with("fork") || error.contains("threads wait for each other"),
            "{line}: {error}"
        );
    }
}

#[test]
fn the_model_notices_a_fork_without_locks() {
    assert!(run_badly(&["model", "FLAW_FORGETS_FORK", "fork"]).contains("child of a fork"));
}

#[test]
fn the_thread_sanitizer_sees_no_race() {
    run_well(&["tsan"]);
    run_well(&["tsan", "HARDENED"]);
}

#[test]
fn sequences_of_operations_that_a_fuzzer_makes_up() {
    let seconds = if std::env::var_os("BRAWN_TEST_LONG").is_some() { "600" } else { "4" };
    run_well(&["fuzz", seconds]);
    run_well(&["fuzz", seconds, "HARDENED"]);
}
