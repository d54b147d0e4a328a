//! A large fleet: 2,000 nodes in 40 pools, 20,000 blocks. With `BRAWN_TEST_LONG=1` in its whole size, otherwise a tenth.

mod common;

use std::time::Instant;

use brawn_collect::report::{Form, render};
use brawn_collect::source::{Files, collect};
use brawn_collect::{Answer, Kept, block, page};
use brawn_measure::Machine;
use common::synthetic::{Fleet, REAL};

/// Most seconds of processor time that collecting and reporting may take, and most bytes.
const SECONDS: f64 = 10.0;
const BYTES: u64 = 300_000_000;

/// The largest size that this process has had, in bytes.
fn peak() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Processor time that this process has used: on a busy machine the clock tells more of others.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[test]
fn a_large_fleet_takes_seconds_and_little_memory() {
    let long = std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0");
    let pools = if long { 40 } else { 4 };
    let fleet = Fleet { pools, nodes: 50, blocks: 500, effect: 0.03, ..REAL };
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("fleet.json");
    Kept::new(fleet.plan()).save(&kept).unwrap();
    let logs = folder.path().join("logs");
    // A pool at a time, so that what makes the logs is not what needs the memory; and a log for each pod.
    let one = Fleet { pools: 1, ..fleet };
    let machine =
        Machine { processor: "A processor with a name of usual length @ 2.40GHz".into(), ..Machine::read() };
    for (at, pool) in fleet.plan().pools.iter().enumerate() {
        fs_err::create_dir_all(logs.join(&pool.name)).unwrap();
        for mut each in one.measure(at as u64) {
            each.pool.clone_from(&pool.name);
            each.machine = Machine { cores: 4 << (at % 5), ..machine.clone() };
            let path = logs.join(&pool.name).join(format!("{}.log", each.index));
            fs_err::write(path, format!("runner: begins\n{}runner: ends\n", block::write(&each))).unwrap();
        }
    }
    let (begun, before) = (Instant::now(), processor_seconds());
    let (_, added) = collect::<brawn_collect::Error>(&kept, &mut Files(vec![logs])).unwrap();
    let kept = Kept::load(&kept).unwrap();
    let answer = Answer::of(&kept);
    let text = render(&answer, None, Form::Text);
    let html = page::html(&kept, &answer, "brawn fleet report fleet.json");
    let seconds = processor_seconds() - before;
    println!(
        "{} blocks: {seconds:.2} s of processor time, {:.2} s, {} MB",
        added.new,
        begun.elapsed().as_secs_f64(),
        peak() / 1_000_000
    );
    assert_eq!((added.new, answer.blocks), (500 * pools, 500 * pools));
    assert!(answer.pools.iter().all(|pool| pool.pick.is_some()) && text.len() > 1_000 && html.len() > 10_000);
    assert!(seconds < SECONDS && peak() < BYTES, "{seconds} s, {} bytes", peak());
}
