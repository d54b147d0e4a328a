//! Sessions: order, limits, interrupts and failures.

mod common;

use std::io::{Read, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use brawn_base::Diagnostic as _;
use brawn_measure::probe::{self, Conditions};
use brawn_measure::{Error, Figure, Output, Reader, RowSpec, Session, Stop, Variant, limits, noise};
use common::program;

fn touch(mebibytes: u64, mode: &str) -> Variant {
    Variant::new(mode, program("touch")).arg(mebibytes.to_string()).arg(mode)
}

#[test]
fn a_session_interleaves_and_its_seed_repeats_the_order() {
    let variants = ["exit", "given-back", "thread"].map(|mode| touch(1, mode));
    let order = |seed| {
        let mut names = Vec::new();
        let outcome = Session { seed, ..Session::new(4) }
            .run_with(&variants, |progress| names.push(progress.variant.name.clone()))
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
    let run = |variants: &[Variant]| Session { seed: 0, ..Session::new(2) }.run(variants).unwrap_err();
    let error = run(&[touch(1, "exit"), touch(2, "thread")]);
    assert!(matches!(error, Error::OutputDiffers { line: 1, .. }), "{error}");
    let error = run(&[touch(1, "abort")]).to_string();
    assert_eq!(error, "variant `abort` ended with signal SIGABRT, expected status 0");
    let error = run(&[Variant::new("a", program("touch"))]).to_string();
    assert_eq!(error, "variant `a` ended with status 2, expected status 0");
    assert!(matches!(run(&[]), Error::Empty));
    assert!(matches!(run(&[touch(1, "exit"), touch(1, "exit")]), Error::SameName { .. }));
    let variants = [Variant { expected_status: 2, ..Variant::new("a", program("touch")) }];
    Session { output: Output::SortedLines, ..Session::new(2) }.run(&variants).unwrap();
}

#[test]
fn an_adaptive_session_ends_for_one_of_its_reasons() {
    let variants = [touch(4, "exit"), touch(4, "thread")];
    let session = |precision| {
        Session::adaptive(Duration::from_secs(60), precision)
            .blocks_between(3, 6)
            .watch([Figure::Peak])
            .run(&variants)
            .unwrap()
    };
    let precise = session(0.5);
    assert_eq!((precise.stop, precise.measured[0].samples.len()), (Stop::Precise, 3));
    let endless = session(-1.0);
    assert_eq!((endless.stop, endless.measured[1].samples.len()), (Stop::Blocks, 6));
    let case =
        endless.case("touch", "brawn bench", &[RowSpec::new(Figure::Wall), RowSpec::new(Figure::Peak)]);
    assert_eq!(case.rows.len(), 2);
    assert_eq!(case.runs[1].samples.len(), 6);
}

#[test]
fn an_interrupted_session_keeps_what_it_has() {
    let flag = Arc::new(AtomicBool::new(false));
    let mut session = Session { output: Output::Unchecked, ..Session::new(5) };
    session.conditions.interrupt = Some(Arc::clone(&flag));
    let mut runs = 0;
    let variants = [touch(1, "exit"), touch(1, "given-back")];
    let outcome = session
        .run_with(&variants, |progress| {
            runs = progress.done;
            flag.store(runs == 7, Ordering::Relaxed);
        })
        .unwrap();
    assert!(!outcome.complete());
    let counts: Vec<usize> = outcome.measured.iter().map(|measured| measured.samples.len()).collect();
    assert_eq!((runs, counts.iter().sum::<usize>()), (7, 5), "two of seven were for warming up");
    let row = RowSpec::new(Figure::Wall).row(&outcome).unwrap();
    assert_eq!(row.cells[1].ratio.unwrap().count, 2);

    // This one begins to run, and would not end before the limit.
    flag.store(false, Ordering::Relaxed);
    let hanging = session.run_with(&[touch(0, "hang")], |_| flag.store(true, Ordering::Relaxed));
    assert_eq!(hanging.unwrap().stop, Stop::Interrupted);
}

#[test]
fn progress_counts_runs() {
    let mut seen = Vec::new();
    Session::new(2)
        .run_with(&[touch(1, "exit")], |progress| {
            seen.push((progress.done, progress.most, progress.remaining.is_some()));
        })
        .unwrap();
    assert_eq!(seen, [(0, 3, false), (1, 3, true), (2, 3, true)]);
}

#[test]
fn programs_are_held_to_cores() {
    let core = *limits::allowed_cores().unwrap().last().unwrap();
    let conditions = Conditions { cores: vec![core], ..Conditions::new(Duration::from_secs(30)) };
    let mut text = String::new();
    probe::run_under(&touch(0, "cores"), &conditions).unwrap().stdout.read_to_string(&mut text).unwrap();
    assert!(text.starts_with(&format!("core {core}\ntouched")), "{text}");
    let mut session = Session::new(1);
    session.conditions.cores = vec![100_000];
    let error = session.run(&[touch(0, "exit")]).unwrap_err();
    assert!(error.to_string().starts_with("core 100000 may not be used here, only "), "{error}");
}

#[test]
fn programs_are_held_to_a_quota_where_groups_may_be_made() {
    let group = match limits::quota(0.5) {
        Ok(group) => group,
        Err(error) => {
            assert_eq!(error.to_string(), "cannot hold a program to 0.5 cores of CPU time");
            assert!(error.hint().unwrap().contains("hold the programs to cores"));
            return;
        }
    };
    assert_eq!(
        group.read("cpu.max") + &group.read("cpu.cfs_quota_us"),
        if group.has("cpu.max") { "50000 100000\n" } else { "50000\n" }
    );
    drop(group);
    let conditions = Conditions { quota: Some(0.5), ..Conditions::new(Duration::from_secs(30)) };
    let mut text = String::new();
    probe::run_under(&touch(0, "groups"), &conditions).unwrap().stdout.read_to_string(&mut text).unwrap();
    let of_cpu =
        |line: &&str| line.split(':').nth(1).is_some_and(|named| named.split(',').any(|one| one == "cpu"));
    let cpu = text.lines().find(of_cpu).or(text.lines().find(|line| line.contains("0::")));
    assert!(cpu.unwrap().contains("/brawn-run-"), "{text}");
    let mut session = Session::new(1);
    session.conditions.quota = Some(-1.0);
    let error = session.run(&[touch(0, "exit")]).unwrap_err();
    assert!(matches!(error, Error::Quota { .. }), "{error}");
}

#[test]
fn a_full_disk_is_told_from_a_failing_program() {
    let Some(disk) = common::SmallDisk::mount() else {
        eprintln!("not tested: this user may not mount anything");
        return;
    };
    let mut session = Session::new(1);
    session.conditions.scratch = disk.folder.path().to_owned();
    session.run(&[touch(1, "exit")]).expect("there is room for a line");
    let error = session.run(&[touch(0, "chatter")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("no room left in `{}` for the output of the programs", disk.folder.path().display())
    );
    assert_eq!(error.hint().as_deref(), Some("make room there, or set TMPDIR to a folder that has some"));
}

#[test]
fn readers_make_metrics_of_what_is_printed() {
    let run = |reader: Reader| {
        let read = Variant { reader: Some(reader), ..touch(7, "exit") };
        probe::run(&read, Duration::from_secs(30))
    };
    let read = run(|stdout, _| {
        let size = stdout.split(' ').nth(1).and_then(|size| size.parse().ok());
        Ok([("size".to_owned(), size.ok_or("holds no size")?)].into())
    });
    assert_eq!(read.unwrap().sample.metrics["size"], 7.0);
    assert_eq!(
        run(|_, _| Err("holds no answer".into())).unwrap_err().to_string(),
        "the output of variant `exit` holds no answer"
    );
}

#[test]
fn the_noise_test_measures_a_program_against_itself() {
    let session = Session::new(3).watch([Figure::Peak]);
    let found = noise::measure(&touch(20, "exit"), program("touch").parent().unwrap(), &session).unwrap();
    assert_eq!(found.ratio.count, 3);
    assert!(found.resolution < 0.2, "two copies of a program hold the same memory: {found:?}");
}

/// Of a program that no one else runs, only what its runs read lies in the page cache then.
#[test]
fn a_session_reads_its_executables_afresh() {
    const TAIL: usize = 8 << 20;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    if rustix::fs::statfs(folder.path()).unwrap().f_type == libc::TMPFS_MAGIC {
        eprintln!("left out: what a tmpfs holds is nowhere else");
        return;
    }
    let path = folder.path().join("program");
    fs_err::copy(program("touch"), &path).unwrap();
    let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&vec![1; TAIL]).unwrap();
    let middle = file.metadata().unwrap().len() - TAIL as u64 / 2;
    drop(file);
    let is_cached = || {
        let file = fs_err::File::open(&path).unwrap();
        let mut buffer = [0];
        let buffers = &mut [std::io::IoSliceMut::new(&mut buffer)];
        match rustix::io::preadv2(&file, buffers, middle, rustix::io::ReadWriteFlags::NOWAIT) {
            Ok(read) => read == 1,
            Err(error) => {
                assert_eq!(error, rustix::io::Errno::AGAIN);
                false
            }
        }
    };
    assert!(is_cached());
    let variants = ["exit", "thread"].map(|mode| Variant { program: path.clone(), ..touch(1, mode) });
    Session::new(1).run(&variants).unwrap();
    assert!(!is_cached());
}
