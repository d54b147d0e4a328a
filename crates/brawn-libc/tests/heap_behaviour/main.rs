//! Every program of `tests/libc`, with every allocator of the kit, on every musl at hand: one test per
//! combination, named `<libc>/<allocator>/<program>`, so that any part can be run alone:
//!
//! ```text
//! cargo test -p brawn-libc --test heap_behaviour -- mimalloc2/fork
//! ```
//!
//! Each program is compiled once per architecture, linked against the overlay, checked by `verify`, and run in an
//! empty folder under a time limit. `docs/explain/testing.md` tells more.

mod broken;
mod compile;
mod damage;
#[path = "../../../../tests/emulator.rs"]
mod emulator;
mod huge_pages;
mod libc;
mod once;
mod passed;
mod run;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::compile::{Objects, Source};
use crate::libc::Libc;
use crate::passed::Passed;
use crate::run::Outcome;
use crate::table::{Form, Test};

/// The environment variable that asks for the long arguments of the table.
const LONG: &str = "BRAWN_TEST_LONG";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("heap-behaviour");
    let long = std::env::var_os(LONG).is_some_and(|value| value != "0");
    fs_err::create_dir_all(&scratch).expect("the scratch folder can be made");
    let programs = root.join("tests/libc");
    let tests = table::read(&programs.join("tests.toml"), &root.join("crates/brawn-kit/libc/malloc"));
    let objects = Arc::new(Objects::new(root, scratch.clone()));
    let reports = Arc::new(Mutex::new(Vec::new()));
    let is_asked_for = long || arguments.filter.is_some() || run::under().is_some();
    let in_ci = std::env::var_os("CI").is_some();
    let passed = Arc::new(Passed::new(&scratch, !is_asked_for && !in_ci));

    let form = match (long, &arguments.filter) {
        (true, _) => Form::Long,
        (false, Some(_)) => Form::Named,
        (false, None) => Form::Quick,
    };
    let mut trials = Vec::new();
    for (index, libc) in libc::all(&scratch).into_iter().enumerate() {
        let libc = match libc {
            Ok(libc) => Arc::new(libc),
            Err(absent) => {
                // A musl that only some machines have is listed as ignored, one that `make setup` installs fails.
                let hint = absent.hint.clone();
                let trial = Trial::test(absent.name, move || Err(Failed::from(hint)));
                trials.push(trial.with_ignored_flag(absent.optional));
                continue;
            }
        };
        if !libc.emulated() && libc.is_of_rustup() {
            trials.extend(broken::trials(&programs, &tests.all, &libc, &objects));
        }
        if index == 0 {
            trials.push(damage::trial(&tests, &libc, &objects));
        }
        trials.push(Trial::test(format!("{}/brawn-hardened/pages-come-from-the-front", libc.name), {
            let libc = Arc::clone(&libc);
            move || libc.mallocng_asks_the_front().map_err(Failed::from)
        }));
        if libc.is_foreign() {
            trials.push(huge_pages::trial(&libc, &objects));
        }
        for malloc in brawn_libc::Malloc::names() {
            let wanted =
                |test: &&Arc<Test>| tests.wanted(test, malloc, index == 0, libc.is_of_rustup(), form);
            let here = |test: &&Arc<Test>| test.page.is_none() || libc.is_foreign();
            for test in tests.all.iter().filter(here).filter(wanted) {
                let skip = tests.skipped(test, malloc, libc.emulated());
                trials.push(
                    trial(test, &libc, malloc, long, &objects, &passed, &reports).with_ignored_flag(skip),
                );
            }
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    passed.tell();
    let mut reports = reports.lock().expect("no trial panics while it reports").clone();
    if !reports.is_empty() {
        reports.sort();
        let path = scratch.join("reports.tsv");
        fs_err::write(&path, reports.concat()).expect("the reports can be written");
        eprintln!("reports: {}", path.display());
    }
    conclusion.exit_code()
}

/// One program with one allocator on one musl.
fn trial(
    test: &Arc<Test>,
    libc: &Arc<Libc>,
    malloc: &'static str,
    long: bool,
    objects: &Arc<Objects>,
    passed: &Arc<Passed>,
    reports: &Arc<Mutex<Vec<String>>>,
) -> Trial {
    let name = format!("{}/{malloc}/{}", libc.name, test.name);
    let (test, libc, objects) = (test.clone(), libc.clone(), objects.clone());
    let (passed, reports) = (passed.clone(), reports.clone());
    let label = name.clone();
    let work = move || {
        let object = objects.get(&Source::plain(libc.arch, &test.file))?;
        let executable = libc.link(Some(malloc), &[&object], &test.link)?;
        let limit = test.limit(libc.emulated(), long);
        for arguments in test.runs(malloc, &libc.version()?, libc.emulated(), long) {
            let page = test.page.map(|bytes| format!("page={bytes}"));
            let words: Vec<String> = arguments.iter().cloned().chain(page).collect();
            let lines = passed.or_run(&libc, &words, &executable, || {
                match run::run(&test, &libc, &arguments, limit, &executable)? {
                    Outcome::Failed(why) => Err(format!("{}: {why}", arguments.join(" "))),
                    Outcome::Passed(lines) => Ok(lines),
                }
            })?;
            let lines = lines.into_iter().map(|line| format!("{label}\t{line}\n"));
            reports.lock().expect("no trial panics while it reports").extend(lines);
        }
        Ok(())
    };
    Trial::test(name, move || work().map_err(|error: String| Failed::from(error)))
}
