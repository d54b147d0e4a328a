//! The workloads of our own do the same with every libc, say how fast, and refuse what they do not understand.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use brawn_bench::{Context, Flavour, Options, Prepared, suites};

/// What is compared here: the heap and the string functions of two libcs, and an allocator that is neither's.
const VARIANTS: [&str; 3] = ["glibc", "stock", "mimalloc2"];

fn prepare(suite: &str, options: &Options) -> Prepared {
    let workshop = common::workshop();
    let flavours = Flavour::list(VARIANTS).unwrap();
    let (found, _) = suites(&[suite.to_owned()]).unwrap();
    let options = Options { own_only: true, ..options.clone() };
    let context = Context { workshop: &workshop, flavours: &flavours, options: &options };
    let prepared = found[0].prepare(&context).unwrap();
    assert_eq!(prepared.notes, Vec::<String>::new());
    prepared
}

/// The executables of a suite, in the order of [`VARIANTS`].
fn programs(suite: &str) -> Vec<PathBuf> {
    let prepared = prepare(suite, &Options::default());
    prepared.cases[0].variants.iter().map(|variant| variant.program.clone()).collect()
}

fn run(program: &Path, arguments: &str) -> Output {
    Command::new(program).args(arguments.split_whitespace()).output().unwrap()
}

fn metrics(output: &Output) -> BTreeMap<String, f64> {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    let metrics = text.lines().map(|line| {
        let (name, value) = line.strip_prefix("metric ").and_then(|rest| rest.split_once(' ')).expect(line);
        (name.to_owned(), value.parse().expect(line))
    });
    metrics.collect()
}

/// Runs every variant, which must print the same; gives that, and the metrics of each.
fn agree(programs: &[PathBuf], arguments: &str) -> (String, Vec<BTreeMap<String, f64>>) {
    let outputs: Vec<Output> = programs.iter().map(|program| run(program, arguments)).collect();
    for (output, variant) in outputs.iter().zip(VARIANTS) {
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{variant} {arguments}: {} {talk}", output.status);
        let (found, expected) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&outputs[0].stdout));
        assert_eq!(found, expected, "{variant} {arguments}");
    }
    let printed = String::from_utf8(outputs[0].stdout.clone()).unwrap();
    assert!(!printed.is_empty());
    (printed, outputs.iter().map(metrics).collect())
}

/// Each of these arguments ends the program with its usage.
fn refuses(programs: &[PathBuf], bad: &[&str]) {
    for arguments in bad {
        let output = run(&programs[0], arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: "), "{arguments}");
    }
}

#[test]
fn string_functions_answer_alike_and_every_row_has_its_metric() {
    let programs = programs("strings");
    for set in ["table", "unaligned"] {
        let (printed, figures) = agree(&programs, &format!("{set} 20"));
        assert_eq!(printed.lines().count(), 17 * 3);
        for figures in &figures {
            assert_eq!(figures.len(), 17 * 3 + 1);
            assert!(
                figures.values().all(|nanoseconds| *nanoseconds > 0.0 && *nanoseconds < 1e6),
                "{figures:?}"
            );
        }
    }
    let (printed, figures) = agree(&programs, "table 20");
    assert!(printed.contains("strlen 36: 36,") && printed.contains("strchr 132: 131,"), "{printed}");
    assert!(printed.contains("strrchr 4100: 0,") && printed.contains("memcmp 4100: 0,"), "{printed}");
    // Fast, and longer for longer operands: the calls are made.
    assert!(figures.iter().all(|figures| figures["memcpy/4100"] > figures["call/0"]));

    let (_, curve) = agree(&programs, "curve 1 memcpy strlen");
    // Two lengths for each power of two up to 1 MiB.
    let pairs = (1..20).map(|power| 1usize << power).flat_map(|low| [low, low + low / 2]);
    let lengths: Vec<usize> = std::iter::once(1).chain(pairs).chain([1 << 20]).collect();
    for length in &lengths {
        assert!(curve[0].contains_key(&format!("memcpy/{length}")), "{length}");
    }
    assert!(curve[0].len() == 2 * lengths.len() + 1);
    refuses(&programs, &["", "tables", "table 0", "table -1", "table 20 memcpyy", "curve x"]);
}

/// The first words of the lines that a program prints otherwise when these functions take the place of its libc's.
fn differing(program: &Path, functions: &str, arguments: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("wrong.rs"), folder.path().join("libwrong.so"));
    let panic = "#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }";
    fs_err::write(&source, format!("#![no_std]\n{panic}\n{functions}")).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort", "-o"]).args([&library, &source]);
    assert!(rustc.status().unwrap().success());
    let run = |preload: Option<&Path>| {
        let mut command = Command::new(program);
        command.args(arguments).envs(preload.map(|library| ("LD_PRELOAD", library)));
        let output = command.output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let (right, found) = (run(None), run(Some(&library)));
    let lines = right.lines().zip(found.lines()).filter(|(right, found)| right != found);
    lines.map(|(right, _)| right.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn string_functions_are_really_called_and_a_wrong_answer_shows() {
    // Functions that nothing else in the process needs.
    let wrong = "#[unsafe(no_mangle)] extern \"C\" fn wcslen(_: *const u32) -> usize { 7 }\n\
        #[unsafe(no_mangle)] extern \"C\" fn strncpy(to: *mut u8, _: *const u8, _: usize) -> *mut u8 { to }\n";
    let arguments = ["table", "20", "wcslen", "wcsnlen", "strncpy", "strcpy"];
    let differing = differing(&programs("strings")[0], wrong, &arguments);
    assert_eq!(differing, ["wcslen", "wcslen", "wcslen", "strncpy", "strncpy", "strncpy"]);
}

#[test]
fn functions_of_the_c_library_answer_alike() {
    let prepared = prepare("libc", &Options::default());
    let mut rows = 0;
    for case in &prepared.cases {
        let programs: Vec<PathBuf> = case.variants.iter().map(|variant| variant.program.clone()).collect();
        let (printed, figures) = agree(&programs, &format!("{} 1", case.name));
        assert!(!printed.contains("not within"), "{printed}");
        assert_eq!(case.rows.len(), printed.lines().count(), "{}", case.name);
        for figures in &figures {
            assert_eq!(figures.len(), case.rows.len(), "{}", case.name);
            assert!(figures.values().all(|nanoseconds| *nanoseconds > 0.0), "{figures:?}");
        }
        rows += case.rows.len();
        refuses(&programs, &["", "sorts", &format!("{} 0", case.name), &format!("{} 1 no-row", case.name)]);
    }
    assert!((prepared.cases.len(), rows) >= (12, 300), "{rows}");
    let quick = prepare("libc", &Options { quick: true, ..Options::default() });
    assert!(quick.cases.iter().all(|case| (1..10).contains(&case.rows.len())));
}

#[test]
fn functions_of_the_c_library_are_really_called_and_a_wrong_answer_shows() {
    let wrong = "#[unsafe(no_mangle)] extern \"C\" fn inet_addr(_: *const u8) -> u32 { 7 }\n\
        #[unsafe(no_mangle)] extern \"C\" fn floor(_: f64) -> f64 { 0.25 }\n";
    let program = &programs("libc")[0];
    let differing = |group| differing(program, wrong, &[group, "1"]);
    assert_eq!(differing("numbers"), ["numbers/inet_addr:"]);
    // What is held against it differs, too.
    assert_eq!(differing("mathematics"), ["mathematics/floor:", "mathematics/floorf:"]);
}

#[test]
fn string_suites_ask_for_what_the_workload_prints() {
    let prepared = prepare("strings", &Options::default());
    let names: Vec<&str> = prepared.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["table", "unaligned", "curve"]);
    let program = &prepared.cases[0].variants[1].program;
    for case in &prepared.cases {
        let printed = metrics(&run(program, &format!("{} 1", case.name)));
        assert_eq!(case.rows.len(), printed.len(), "{}", case.name);
    }
    let quick = prepare("strings", &Options { quick: true, ..Options::default() });
    assert_eq!(quick.cases.len(), 1);
}

#[test]
fn bandwidth_is_measured_on_any_number_of_threads() {
    let programs = programs("stream");
    for threads in [1, 3] {
        let (printed, figures) = agree(&programs, &format!("{threads} 2 1"));
        assert!(printed.starts_with(&format!("{threads} threads, ")), "{printed}");
        for figures in figures {
            assert_eq!(figures.keys().collect::<Vec<_>>(), ["add", "copy", "scale", "triad"]);
            assert!(figures.values().all(|rate| *rate > 10.0 && *rate < 1e8), "{figures:?}");
        }
    }
    refuses(&programs, &["", "0", "1 2 3 4", "one"]);
}

#[test]
fn allocating_programs_do_the_same_work_with_every_heap() {
    let programs = programs("malloc");
    for test in [
        "alloc-test",
        "barnes",
        "cache-scratch",
        "cache-thrash",
        "glibc-simple",
        "glibc-thread",
        "larson",
        "mstress",
        "sh6",
        "sh8",
        "xmalloc",
    ] {
        for threads in [1, 4] {
            let (printed, figures) = agree(&programs, &format!("{test} {threads} 30000"));
            assert!(printed.starts_with(&format!("{test}: {threads} threads, ")), "{printed}");
            let done: usize = printed.split(' ').nth(3).unwrap().parse().unwrap();
            assert!(done >= 30_000, "{printed}");
            assert!(figures.iter().all(|figures| figures["operations_per_second"] > 1000.0), "{figures:?}");
        }
    }
    refuses(&programs, &["", "larson", "larson 0", "larson 1 0", "larsen 1", "larson 1 2 3"]);
}

#[test]
fn every_case_of_the_malloc_suite_names_a_test_of_the_program() {
    for quick in [false, true] {
        let prepared = prepare("malloc", &Options { quick, ..Options::default() });
        assert!(prepared.cases.len() >= if quick { 3 } else { 20 });
        for case in &prepared.cases {
            let variant = &case.variants[1];
            // The case's own words, with very little work.
            let words: Vec<_> = variant.args.iter().take(2).map(|word| word.to_string_lossy()).collect();
            let output = run(&variant.program, &format!("{} 1000", words.join(" ")));
            assert!(output.status.success(), "{}", case.name);
            assert!(metrics(&output).contains_key("operations_per_second"), "{}", case.name);
        }
    }
}

#[test]
fn services_are_measured_idle_and_their_memory_is_plausible() {
    let programs = programs("footprint");
    let idle = |figures: &BTreeMap<String, f64>| {
        let (all, anonymous) = (figures["idle_bytes"], figures["idle_anonymous_bytes"]);
        assert!(anonymous > 4096.0 && anonymous < all && all < 1e9, "{figures:?}");
        anonymous
    };
    let (printed, figures) = agree(&programs, "requests 2 100");
    // Two rings of 64 answers of 256 bytes.
    assert!(
        printed.starts_with("2 threads, 100 requests each, ") && printed.ends_with(" 32768 kept\n"),
        "{printed}"
    );
    for figures in &figures {
        assert!(figures["requests_per_second"] > 100.0 && idle(figures) > 32768.0, "{figures:?}");
    }
    let (printed, figures) = agree(&programs, "pipeline 2 2000");
    assert!(printed.starts_with("2 producers, 2 consumers, 4096 blocks, "), "{printed}");
    assert!(figures.iter().all(|figures| figures["blocks_per_second"] > 1000.0 && idle(figures) > 0.0));
    let (printed, figures) = agree(&programs, "churn 1 2");
    assert!(printed.contains("every entry intact"), "{printed}");
    for figures in &figures {
        // What is alive is resident, apart from what an allocator has not been asked to touch.
        assert!(figures["live_bytes"] > 8e6 && idle(figures) > 0.2 * figures["live_bytes"], "{figures:?}");
    }
    refuses(&programs, &["", "request 1", "requests", "requests 0", "churn", "churn 1 0", "pipeline 1 2 3"]);
}

#[test]
fn the_long_life_of_the_cache_is_run_when_it_is_asked_for() {
    let names = |case: Option<&str>| -> Vec<String> {
        let options = Options { case: case.map(str::to_owned), ..Options::default() };
        prepare("footprint", &options).cases.into_iter().map(|case| case.name).collect()
    };
    assert!(!names(None).contains(&"churn=60s".to_owned()));
    assert!(names(Some("churn=60s")).contains(&"churn=60s".to_owned()));
    assert!(!names(Some("churn")).contains(&"churn=60s".to_owned()));
}
