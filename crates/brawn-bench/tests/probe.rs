//! The probe against a program that touches a known amount of memory and ends in every way that programs end.

use std::io::Read;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use brawn_bench::probe::{self, Run};
use brawn_bench::{Error, Exit, Output, Session, Variant};
use nix::sys::signal::Signal;

const MIB: u64 = 1 << 20;

/// Compiled once for all tests of this file.
fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/touch.c");
            let program =
                PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("touch-{}", std::process::id()));
            let status =
                Command::new("cc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(source).status();
            assert!(status.unwrap().success(), "cc could not compile {source}");
            program
        })
        .clone()
}

fn touch(mebibytes: u64, mode: &str) -> Variant {
    Variant::new(mode, program()).arg(mebibytes.to_string()).arg(mode)
}

fn run(mebibytes: u64, mode: &str) -> Run {
    probe::run(&touch(mebibytes, mode), Duration::from_secs(30)).unwrap()
}

/// The process holds what it touched, and a little for its own code and stack.
fn assert_holds(run: &Run, mebibytes: u64) {
    let peak = run.sample.peak_bytes.expect("ptrace is allowed here");
    assert!(
        (mebibytes * MIB..(mebibytes + 6) * MIB).contains(&peak),
        "peak {peak} for {mebibytes} MiB: {:?}",
        run.sample
    );
}

#[test]
fn the_peak_is_what_was_touched_however_the_process_ends() {
    for (mode, exit) in [
        ("exit", Exit::Status(0)),
        ("given-back", Exit::Status(0)),
        ("thread", Exit::Status(0)),
        ("exit-in-thread", Exit::Status(0)),
        ("signals", Exit::Status(0)),
        ("abort", Exit::Signal(Signal::SIGABRT)),
        ("killed", Exit::Signal(Signal::SIGKILL)),
    ] {
        for mebibytes in [1, 50] {
            let run = run(mebibytes, mode);
            assert_eq!(run.exit, exit, "{mode}");
            assert_holds(&run, mebibytes);
        }
    }
}

#[test]
fn a_small_program_is_small_although_its_parent_is_large() {
    let mut ballast = vec![0u8; 200 * MIB as usize];
    ballast.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    assert_holds(&run(1, "exit"), 1);
    assert_eq!(std::hint::black_box(ballast)[4096], 1);
}

#[test]
fn what_was_given_back_is_not_held_at_the_end() {
    let kept = run(50, "exit").sample.final_bytes.unwrap();
    let returned = run(50, "given-back").sample.final_bytes.unwrap();
    assert!(kept >= 50 * MIB && returned < 6 * MIB, "kept {kept}, returned {returned}");
}

#[test]
fn children_and_former_selves_are_not_counted() {
    assert_holds(&run(50, "child"), 0);
    assert_holds(&run(50, "exec"), 1);
}

#[test]
fn sleeping_takes_time_and_spinning_takes_cpu() {
    let asleep = run(0, "sleep").sample;
    assert!((0.2..5.0).contains(&asleep.wall_seconds), "{asleep:?}");
    assert!(asleep.cpu_seconds() < 0.1, "{asleep:?}");
    let busy = run(0, "spin").sample;
    assert!(busy.user_seconds > 0.02 && busy.user_seconds <= busy.wall_seconds + 0.02, "{busy:?}");
}

#[test]
fn touched_pages_are_faults() {
    let (small, large) = (run(0, "exit").sample.minor_faults, run(16, "exit").sample.minor_faults);
    // Huge pages can serve 512 pages by one fault.
    assert!(large >= small + 8, "{small} and {large} faults");
}

#[test]
fn output_is_kept() {
    let mut text = String::new();
    run(3, "exit").stdout.read_to_string(&mut text).unwrap();
    assert_eq!(text, "touched 3 MiB\n");
}

#[test]
fn a_program_that_hangs_is_stopped() {
    let error = probe::run(&touch(0, "hang"), Duration::from_millis(300)).unwrap_err();
    assert_eq!(error.to_string(), "variant `hang` did not end within 300ms");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let error = probe::run(&Variant::new("x", "/nonexistent/program"), Duration::from_secs(1)).unwrap_err();
    assert_eq!(error.to_string(), "cannot start `/nonexistent/program`");
    assert!(error.hint().is_some());
}

#[test]
fn a_session_interleaves_and_its_seed_repeats_the_order() {
    let variants = ["exit", "given-back", "thread"].map(|mode| touch(1, mode));
    let order = |seed| {
        let mut names = Vec::new();
        let outcome = Session::new(4)
            .seed(seed)
            .run(&variants, |_, _, variant| names.push(variant.name.clone()))
            .unwrap();
        assert!(outcome.measured.iter().all(|measured| measured.samples.len() == 4));
        names
    };
    let names = order(1);
    assert_eq!(names.len(), 15);
    for block in names.chunks(3) {
        let mut block = block.to_vec();
        block.sort();
        assert_eq!(block, ["exit", "given-back", "thread"]);
    }
    assert_eq!(names, order(1));
    assert_ne!(names, order(2));
}

#[test]
fn a_session_ends_when_variants_disagree_or_fail() {
    let run = |variants: &[Variant]| Session::new(2).seed(0).run(variants, |_, _, _| {}).unwrap_err();
    let error = run(&[touch(1, "exit"), touch(2, "thread")]);
    assert!(matches!(error, Error::OutputDiffers { line: 1, .. }), "{error}");
    let error = run(&[touch(1, "abort")]).to_string();
    assert_eq!(error, "variant `abort` ended with signal SIGABRT, expected status 0");
    let error = run(&[Variant::new("a", program())]).to_string();
    assert_eq!(error, "variant `a` ended with status 2, expected status 0");
    assert!(matches!(run(&[]), Error::Empty));
    assert!(matches!(run(&[touch(1, "exit"), touch(1, "exit")]), Error::SameName(_)));
    let variants = [Variant::new("a", program()).expect_status(2)];
    Session::new(2).output(Output::SortedLines).run(&variants, |_, _, _| {}).unwrap();
}
