//! `brawn bench` as a user runs it: what it writes, and what it says when something is wrong.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Sandbox, fails, ok, redact};
use brawn_measure::results::Results;
use insta::assert_snapshot;

/// The smallest run that measures anything.
const SMALL: &[&str] =
    &["bench", "threads", "--threads", "1", "--time", "0.2", "--no-noise", "--seed", "7", "--out", "out"];

/// `brawn bench` with a workshop that all tests share, in which programs are built once.
fn small(sandbox: &Sandbox, more: &[&str]) -> Command {
    let mut command = sandbox.brawn(SMALL);
    command.arg("--work").arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench")).args(more);
    command
}

/// The same with a workshop of the test's own, where one variant's program is replaced by a script.
fn with_script(sandbox: &Sandbox, variant: &str, script: &str) -> Command {
    let own = |sandbox: &Sandbox| {
        let mut command = sandbox.brawn(SMALL);
        command.args(["--work", "work", "--variants", "glibc,stock"]);
        command
    };
    ok(&mut own(sandbox));
    let programs = sandbox.path().join("work/programs/threads");
    let slot = fs_err::read_dir(&programs).unwrap().next().unwrap().unwrap().path();
    let program = slot.join(variant);
    fs_err::remove_file(&program).unwrap();
    fs_err::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    fs_err::remove_dir_all(sandbox.path().join("out")).unwrap();
    own(sandbox)
}

fn results(sandbox: &Sandbox) -> Results {
    Results::load(&sandbox.path().join("out/results.json")).unwrap()
}

#[test]
fn a_run_prints_a_table_and_writes_every_form() {
    let sandbox = Sandbox::new();
    let table = ok(&mut small(&sandbox, &["--variants", "glibc,stock,balanced"]));
    assert!(table.contains("threads=1, operations"), "{table}");
    let results = results(&sandbox);
    assert!(results.complete);
    assert_eq!((results.seed, results.suites.len()), (7, 1));
    let names: Vec<&str> = results.variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(names, ["glibc", "stock", "balanced"]);
    let case = &results.suites[0].cases[0];
    assert_eq!(case.name, "threads=1");
    assert_eq!(case.command, "brawn bench threads --variants glibc,stock,balanced --case threads=1");
    let rate = case.rows.iter().find(|row| row.name == "operations").unwrap();
    assert_eq!(rate.cells.len(), 3);
    assert!(rate.cells.iter().all(|cell| cell.summary.median > 1e4), "{rate:?}");
    // Neither the user's folder nor the workshop's is published.
    assert!(case.runs.iter().all(|runs| !runs.argv[0].starts_with('/')), "{:?}", case.runs[0].argv);
    for (file, holds) in [("results.csv", "threads=1"), ("results.md", "| "), ("report.html", "<html")] {
        let text = fs_err::read_to_string(sandbox.path().join("out").join(file)).unwrap();
        assert!(text.contains(holds), "{file}");
    }
    // The same as a form of its own.
    let page = ok(&mut sandbox.brawn(&["bench", "report", "out"]));
    assert_eq!(page, fs_err::read_to_string(sandbox.path().join("out/report.html")).unwrap());
    ok(&mut sandbox.brawn(&["bench", "report", "out/results.json", "-o", "again.csv"]));
    assert!(fs_err::read_to_string(sandbox.path().join("again.csv")).unwrap().contains("threads=1"));
}

#[test]
fn the_list_names_every_suite_and_what_it_needs() {
    let sandbox = Sandbox::new();
    let text = ok(&mut sandbox.brawn(&["bench", "--list", "--work", "work"]));
    for suite in brawn_bench::registry::SUITES.iter() {
        assert!(text.lines().any(|line| line.starts_with(suite.name)), "{} in\n{text}", suite.name);
    }
    let json = ok(&mut sandbox.brawn(&["bench", "--list", "--work", "work", "--message-format", "json"]));
    let list: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(list.as_array().unwrap().len(), brawn_bench::registry::SUITES.len());
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let sandbox = Sandbox::new();
    let message = |args: &[&str]| {
        let text = fails(&mut sandbox.brawn(args), 2);
        // The lists of names grow.
        text.split(" There are:").next().unwrap().to_owned()
    };
    assert_snapshot!(message(&["bench", "thread", "--work", "work"]), @r"
    error: unknown suite 'thread'
    hint: did you mean 'threads'?
    ");
    assert_snapshot!(message(&["bench", "comapre", "--work", "work"]), @r"
    error: unknown suite 'comapre'
    hint: did you mean 'compare'?
    ");
    assert_snapshot!(message(&["bench", "threads", "--variants", "glibc,balancd", "--work", "work"]), @r"
    error: unknown variant 'balancd'
    hint: did you mean 'balanced'?
    ");
    assert_snapshot!(message(&["bench", "threads", "--variants", "glibc,glibc", "--work", "work"]), @r"
    error: variant 'glibc' was given twice
    hint: name it once
    ");
    assert!(!sandbox.path().join("out").exists());
    let message = fails(&mut small(&sandbox, &["--variants", "glibc", "--case", "thread=1"]), 2);
    assert!(!sandbox.path().join("out").exists(), "nothing was measured, so there is no folder");
    assert!(message.contains("unknown case 'thread=1'"), "{message}");
    assert!(message.contains("did you mean 'threads=1'?"), "{message}");
}

#[test]
fn options_of_other_commands_are_refused() {
    let sandbox = Sandbox::new();
    let message = fails(&mut sandbox.brawn(&["--preset", "balanced", "bench", "threads"]), 2);
    assert!(message.contains("--variants glibc,stock,balanced"), "{message}");
    let message = fails(&mut sandbox.brawn(&["bench"]), 2);
    assert!(message.contains("brawn bench quick"), "{message}");
}

#[test]
fn without_the_musl_target_suites_are_skipped_with_the_command_that_adds_it() {
    let sandbox = Sandbox::new();
    let sysroot = sandbox.path().join("sysroot");
    let fake = sandbox
        .write("rustc", format!("#!/bin/sh\necho {}\necho x86_64-unknown-linux-gnu\n", sysroot.display()));
    fs_err::set_permissions(&fake, PermissionsExt::from_mode(0o755)).unwrap();
    let message = fails(small(&sandbox, &[]).env("RUSTC", fake), 4);
    let arch = std::env::consts::ARCH;
    assert!(message.contains("threads is skipped"), "{message}");
    assert!(message.contains(&format!("rustup target add {arch}-unknown-linux-musl")), "{message}");
}

#[test]
fn a_program_that_fails_ends_the_run_with_its_words() {
    let sandbox = Sandbox::new();
    let mut command = with_script(&sandbox, "stock", "echo it broke >&2; exit 3");
    let message = fails(&mut command, 1);
    assert!(message.contains("error: threads, threads=1: the run ends here"), "{message}");
    assert!(message.contains("variant `stock` ended with status 3, expected status 0"), "{message}");
    assert!(message.contains("it broke"), "{message}");
}

#[test]
fn different_output_ends_the_run_and_shows_both() {
    let sandbox = Sandbox::new();
    let mut command = with_script(&sandbox, "stock", "echo 1 threads, 100000 vectors, 1 bytes");
    let message = fails(&mut command, 1);
    assert!(message.contains("`glibc`") && message.contains("`stock`"), "{message}");
    assert!(message.contains("1 threads, 100000 vectors, 1 bytes"), "{message}");
    assert!(message.contains("1 threads, 100000 vectors, 50050000 bytes"), "{message}");
}

#[test]
fn without_ptrace_the_lost_figures_are_named_and_the_others_are_there() {
    let sandbox = Sandbox::new();
    let mut command = small(&sandbox, &["--variants", "glibc,stock"]);
    deny_ptrace(&mut command);
    let table = ok(&mut command);
    assert!(table.contains("operations"), "{table}");
    let results = results(&sandbox);
    let case = &results.suites[0].cases[0];
    assert!(case.rows.iter().all(|row| row.name != "peak memory"), "{:?}", case.rows);
    let lost = case.warnings.iter().find(|warning| warning.contains("refuses ptrace")).unwrap();
    assert!(lost.contains("peak memory") && lost.contains("SYS_PTRACE"), "{lost}");
}

#[test]
fn a_full_disk_is_named_and_exits_with_its_code() {
    let sandbox = Sandbox::new();
    // Everything is built before, so that only results are too large for what room there is.
    ok(&mut small(&sandbox, &["--variants", "glibc,stock"]));
    fs_err::remove_dir_all(sandbox.path().join("out")).unwrap();
    let run = small(&sandbox, &["--variants", "glibc,stock"]);
    let arguments: Vec<String> = std::iter::once(run.get_program())
        .chain(run.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    let shell = |setup: &str| {
        let mut command = sandbox.command("sh");
        command.args(["-c", &format!("{setup} && exec {}", arguments.join(" "))]);
        command
    };
    // A file system of 8 KiB, where this machine lets us mount one; otherwise a limit on the size of files.
    let mount = "mkdir -p out && mount -t tmpfs -o size=8k none out";
    let allowed = Command::new("unshare")
        .args(["-m", "sh", "-c", mount])
        .current_dir(sandbox.path())
        .output()
        .is_ok_and(|output| output.status.success());
    let mut command = if allowed {
        let inner = shell(mount);
        let mut command = sandbox.command("unshare");
        command.arg("-m").arg(inner.get_program()).args(inner.get_args());
        command
    } else {
        shell("trap '' XFSZ && ulimit -f 8")
    };
    let message = fails(&mut command, 5);
    let reason = if allowed { "No space left on device" } else { "File too large" };
    assert!(message.contains("out/results.json") && message.contains(reason), "{message}");
}

#[test]
fn an_interrupted_run_keeps_what_it_has_and_says_how_to_go_on() {
    let sandbox = Sandbox::new();
    let child = two_cases(&sandbox);
    let pid = child.id();
    wait_for_results(&sandbox);
    ok(Command::new("kill").args(["-INT", &pid.to_string()]));
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("interrupted: what was measured is in out"), "{message}");
    assert!(message.contains("hint: `brawn bench threads"), "{message}");
    let results = results(&sandbox);
    assert!(!results.complete);
    assert_eq!(results.suites[0].cases[0].name, "threads=1");
    assert!(!results.suites[0].cases[0].rows.is_empty());
}

#[test]
fn a_killed_run_leaves_whole_results_that_say_that_they_are_not_complete() {
    let sandbox = Sandbox::new();
    let mut child = two_cases(&sandbox);
    wait_for_results(&sandbox);
    child.kill().unwrap();
    child.wait().unwrap();
    let results = results(&sandbox);
    assert!(!results.complete);
    assert_eq!(results.suites[0].cases.len(), 1);
    ok(&mut sandbox.brawn(&["bench", "report", "out", "-o", "page.html"]));
}

#[test]
fn comparing_is_a_gate() {
    let sandbox = Sandbox::new();
    ok(&mut small(&sandbox, &["--variants", "glibc,stock"]));
    let results = results(&sandbox);
    fs_err::create_dir_all(sandbox.path().join("worse")).unwrap();
    let mut worse = results;
    for row in worse.suites[0].cases[0].rows.iter_mut().filter(|row| row.name == "peak memory") {
        for cell in &mut row.cells {
            let summary = &mut cell.summary;
            for value in
                [&mut summary.median, &mut summary.min, &mut summary.max, &mut summary.low, &mut summary.high]
            {
                *value *= 1.5;
            }
        }
    }
    worse.save(&sandbox.path().join("worse/results.json")).unwrap();

    let compare = |old: &str, new: &str, more: &[&str]| {
        let mut command = sandbox.brawn(&["bench", "compare", old, new]);
        command.args(more);
        command
    };
    ok(&mut compare("out", "out", &["--fail-if", "time>3%", "--fail-if", "memory>3%"]));
    ok(&mut compare("out", "worse", &["--fail-if", "time>3%"]));
    ok(&mut compare("worse", "out", &["--fail-if", "memory>3%"]));
    let message = fails(&mut compare("out", "worse/results.json", &["--fail-if", "memory>3%"]), 6);
    assert!(message.contains("peak memory") && message.contains("memory>3%"), "{message}");
}

#[test]
fn conditions_and_documents_that_make_no_sense_are_refused() {
    let sandbox = Sandbox::new();
    ok(&mut small(&sandbox, &["--variants", "glibc,stock"]));
    let message = |new: &str, condition: &str, code: i32| {
        let mut command = sandbox.brawn(&["bench", "compare", "out", new, "--fail-if", condition]);
        redact(&sandbox, &fails(&mut command, code))
    };
    let bad = message("out", "time>fast", 2);
    assert!(bad.contains("time>fast") && bad.contains("hint: a condition is"), "{bad}");
    let unmatched = message("out", "speed>3%", 2);
    assert!(unmatched.contains("speed>3%") && unmatched.contains("hint:"), "{unmatched}");

    let text = fs_err::read_to_string(sandbox.path().join("out/results.json")).unwrap();
    let current = format!("\"schema\": {}", brawn_measure::results::SCHEMA);
    assert!(text.contains(&current));
    sandbox.write("newer/results.json", text.replacen(&current, "\"schema\": 99", 1));
    let newer = message("newer", "time>3%", 3);
    assert!(newer.contains("newer/results.json has form 99"), "{newer}");
    assert!(newer.contains("hint: a newer brawn wrote it"), "{newer}");
    sandbox.write("other/results.json", "{\"name\": \"package\"}");
    let other = message("other", "time>3%", 3);
    assert!(other.contains("holds no results of `brawn bench`"), "{other}");
    let missing = message("nowhere.json", "time>3%", 5);
    assert!(missing.contains("nowhere.json"), "{missing}");
}

/// A run of a short case and a long one, started in the background.
fn two_cases(sandbox: &Sandbox) -> Child {
    let mut command = sandbox.brawn(&["bench", "threads", "--threads", "1,16", "--no-noise", "--out", "out"]);
    command.args(["--variants", "glibc,stock", "--time", "60", "--precision", "0.001"]);
    // The first case ends when all its blocks are done, the second would take its whole minute.
    command.arg("--work").arg(shared_workshop());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn shared_workshop() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench")
}

fn wait_for_results(sandbox: &Sandbox) {
    let path = sandbox.path().join("out/report.html");
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(120), "no results within two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Has the kernel refuse ptrace to the command and its children, as many containers do.
fn deny_ptrace(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let rule = |code: u32, jump_true: u8, jump_false: u8, k: u32| libc::sock_filter {
        code: code as u16,
        jt: jump_true,
        jf: jump_false,
        k,
    };
    // SAFETY: the closure runs between fork and exec; it makes two system calls on data of its own stack, and
    // neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            let mut rules = [
                rule(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
                rule(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, libc::SYS_ptrace as u32),
                rule(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
                rule(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
            ];
            let program = libc::sock_fprog { len: rules.len() as u16, filter: rules.as_mut_ptr() };
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) != 0
            {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
}
