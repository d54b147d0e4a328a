//! Blocks of programs that answer, fail, take too much and dawdle.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use brawn_collect::block::{Block, Outcome, write};
use brawn_collect::log::read_all;
use brawn_fleet::Error;
use brawn_fleet::block::{Turn, run};
use brawn_fleet::task::{Place, Program, Task};

/// A task of these scripts, the first of which is used now, and the place where it is done.
fn task(folder: &Path, scripts: &[(&str, &str)]) -> (Task, Place) {
    let mut candidates = Vec::new();
    fs_err::create_dir_all(folder.join("work")).unwrap();
    fs_err::write(folder.join("work/input"), "some input\n").unwrap();
    for (name, script) in scripts {
        let file = folder.join(name);
        let text = format!("#!/bin/sh\n{script}\n");
        fs_err::write(&file, &text).unwrap();
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        candidates.push(Program {
            name: (*name).to_owned(),
            path: (*name).to_owned(),
            digest: brawn_libc::sha256_hex(text.as_bytes()),
            knobs: BTreeMap::from([("KNOB".to_owned(), format!("of {name}"))]),
        });
    }
    let task = Task {
        fleet: "f".into(),
        pool: "p".into(),
        seed: 7,
        stdin: Some("input".into()),
        reference: scripts[0].0.to_owned(),
        candidates,
        ..Task::default()
    };
    let place = Place {
        root: folder.to_owned(),
        scratch: std::env::temp_dir(),
        brawn: "/nowhere/brawn".into(),
        interrupt: Arc::new(AtomicBool::new(false)),
    };
    (task, place)
}

fn outcomes(block: &Block) -> BTreeMap<&str, &Outcome> {
    block.runs.iter().map(|run| (run.candidate.as_str(), &run.outcome)).collect()
}

#[test]
fn every_candidate_has_its_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let (mut task, place) = task(
        folder.path(),
        &[
            ("now", "cat; echo mine > own"),
            ("good", "read line; [ \"$KNOB\" = 'of good' ] && [ ! -e own ] && echo $line"),
            ("wrong", "echo something else"),
            ("fails", "echo no luck >&2; exit 3"),
            ("large", "exec dd if=/dev/zero of=/dev/null bs=90000000 count=20"),
            ("slow", "exec sleep 20"),
        ],
    );
    task.memory = Some(48 << 20);
    task.run_limit = Some(1.5);
    let mut before = Vec::new();
    let turn = Turn { index: 3, attempt: 1, node: Some("n".into()) };
    let block = run(&task, &place, &turn, |last| {
        before.push(last.clone());
        Ok(())
    })
    .unwrap();
    let of = outcomes(&block);
    assert!(matches!(of["now"], Outcome::Sample(sample) if sample.wall_seconds > 0.0), "{of:?}");
    assert!(matches!(of["good"], Outcome::Sample(_)), "{of:?}");
    assert!(
        matches!(of["wrong"], Outcome::Failed { reason } if reason.contains("different output")),
        "{of:?}"
    );
    assert!(matches!(of["fails"], Outcome::Failed { reason } if reason.contains("no luck")), "{of:?}");
    assert!(matches!(of["large"], Outcome::OverMemory { limit, .. } if *limit == 48 << 20), "{of:?}");
    assert!(matches!(of["slow"], Outcome::TimedOut { seconds } if *seconds == 1.5), "{of:?}");
    assert_eq!((block.index, block.attempt, block.node.as_deref()), (3, 1, Some("n")));
    // What is said before a candidate names it as the one that was killed, behind those that are done.
    let order: Vec<&str> = block.runs.iter().map(|run| run.candidate.as_str()).collect();
    for (done, last) in before[1..].iter().enumerate() {
        assert_eq!(last.runs[..done], block.runs[..done]);
        assert_eq!(last.runs[done].candidate, order[done]);
        assert!(matches!(last.runs[done].outcome, Outcome::OverMemory { .. }));
    }
    assert_eq!(read_all(write(&block).as_bytes()).blocks, [block]);
}

#[test]
fn another_executable_than_planned_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut task, place) = task(folder.path(), &[("now", "cat"), ("new", "cat")]);
    task.candidates[1].digest = brawn_libc::sha256_hex(b"another");
    let error = run(&task, &place, &Turn::default(), |_| Ok(())).unwrap_err();
    assert!(matches!(error, Error::Changed { path } if path.ends_with("new")));
}

#[test]
fn what_prints_something_else_each_time_cannot_be_compared() {
    let folder = tempfile::tempdir().unwrap();
    let (task, place) = task(folder.path(), &[("now", "cat /proc/self/stat"), ("new", "echo")]);
    let error = run(&task, &place, &Turn::default(), |_| Ok(())).unwrap_err();
    assert!(error.to_string().contains("print different output"), "{error}");
}
