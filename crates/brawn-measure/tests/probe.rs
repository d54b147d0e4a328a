//! The probe against a program that touches a known amount of memory and ends in every way that programs end.

mod common;

use std::io::Read;
use std::time::Duration;

use brawn_base::Diagnostic as _;
use brawn_measure::probe::{self, Conditions, Run};
use brawn_measure::{Error, Exit, Session, Variant};
use common::{MIB, program};
use nix::sys::signal::Signal;

fn touch(mebibytes: u64, mode: &str) -> Variant {
    Variant::new(mode, program("touch")).arg(mebibytes.to_string()).arg(mode)
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
fn real_time_signals_pass_through() {
    assert_eq!(run(1, "real-time").exit, Exit::Status(0));
}

#[test]
fn the_timeline_shows_memory_come_and_go() {
    let conditions =
        Conditions { timeline: Some(Duration::from_millis(5)), ..Conditions::new(Duration::from_secs(30)) };
    let timeline = || probe::run_under(&touch(40, "stages"), &conditions).unwrap().sample.timeline;
    let held = |point: &probe::Point| point.rss_bytes / MIB;
    // On a machine that is very busy the reader may sleep through the middle of a run, though not of every run.
    let points = (0..20).map(|_| timeline()).find(|points| points.iter().any(|point| held(point) >= 40));
    let points = points.expect("the memory is seen");
    assert!(held(points.last().unwrap()) < 8, "the last point is from the end: {points:?}");
    assert!(points.windows(2).all(|pair| pair[0].seconds <= pair[1].seconds), "{points:?}");
    assert!(
        points.iter().all(|point| 0 < point.pss_bytes && point.pss_bytes <= point.rss_bytes),
        "{points:?}"
    );
    assert!(run(1, "exit").sample.timeline.is_empty(), "no one asked");
}

#[test]
fn system_calls_are_counted_in_threads_and_children_too() {
    let count =
        |mode| probe::count_system_calls(&touch(1, mode), &Conditions::new(Duration::from_secs(30))).unwrap();
    let calls = count("calls");
    assert_eq!(calls[&libc::SYS_getppid], 1750);
    assert!(calls.values().sum::<u64>() > 1750);
    let few = count("exit");
    assert_eq!((few.get(&libc::SYS_getppid), few[&libc::SYS_exit_group]), (None, 1), "{few:?}");
    assert_eq!(count("real-time")[&libc::SYS_exit_group], 1);
}

/// Ten times a second another thread buries orphans. It had taken the stops of threads and children for such, now and then, and
/// these never went on.
#[test]
fn who_buries_orphans_takes_no_stop_from_the_tracer() {
    let conditions = Conditions::new(Duration::from_secs(60));
    let calls = probe::count_system_calls(&touch(1, "calls-for-long"), &conditions).unwrap();
    assert!(calls[&libc::SYS_getppid] > 100, "{calls:?}");
}

#[test]
fn a_refused_ptrace_costs_memory_and_calls_and_nothing_else() {
    // The filter holds for this thread and what it starts.
    std::thread::spawn(|| {
        common::refuse_ptrace();
        let session = Session { count_system_calls: true, ..Session::new(2) };
        let outcome = session.run(&[touch(20, "exit")]).unwrap();
        let sample = &outcome.measured[0].samples[0];
        assert_eq!((sample.peak_bytes, sample.final_bytes), (None, None));
        assert!(sample.wall_seconds > 0.0 && sample.minor_faults > 8, "{sample:?}");
        assert_eq!(outcome.measured[0].system_calls, None);
        assert!(
            outcome.warnings[0]
                .starts_with("peak memory, memory at the end and the number of system calls are not"),
            "{:?}",
            outcome.warnings
        );
        let error = probe::count_system_calls(&touch(1, "exit"), &Conditions::new(Duration::from_secs(9)))
            .unwrap_err();
        assert!(matches!(error, Error::TraceRefused) && error.hint().is_some());
    })
    .join()
    .unwrap();
}

#[test]
fn children_that_are_left_behind_are_killed() {
    let mut text = String::new();
    run(0, "leave-child").stdout.read_to_string(&mut text).unwrap();
    let child = text.lines().next().unwrap().strip_prefix("child ").unwrap().to_owned();
    let is_gone = || match fs_err::read_to_string(format!("/proc/{child}/stat")) {
        // Dead, though no one may have asked for its status yet.
        Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")),
        Err(_) => true,
    };
    for _ in 0..500 {
        if is_gone() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("process {child} still runs");
}
