//! Logs of a fleet's pods, and the file in which their blocks are kept.

use std::path::Path;

use brawn_collect::Kept;
use brawn_collect::block::{self, Block, BlockRun, Outcome};
use brawn_collect::log::read_all;
use brawn_collect::plan::{Plan, PlanCandidate, PlanPool};
use brawn_measure::Sample;

fn block(index: u32) -> Block {
    let said = format!("no{}", " brawn-block-end".repeat(150));
    Block {
        fleet: "f".into(),
        pool: "p".into(),
        index,
        node: Some("n".into()),
        runs: vec![
            BlockRun {
                candidate: "now".into(),
                outcome: Outcome::Sample(Sample { wall_seconds: 1.0, ..Sample::default() }),
            },
            BlockRun { candidate: "b".into(), outcome: Outcome::Failed { reason: said } },
        ],
        ..Block::default()
    }
}

fn kept() -> Kept {
    let candidates = ["now", "b"].map(|name| PlanCandidate { name: name.into(), ..PlanCandidate::default() });
    let pool = PlanPool { name: "p".into(), blocks: 3, ..PlanPool::default() };
    let reference = "now".into();
    Kept::new(Plan {
        id: "f".into(),
        reference,
        candidates: candidates.to_vec(),
        pools: vec![pool],
        ..Plan::default()
    })
}

pub fn seeds() -> Vec<Vec<u8>> {
    let log = block::write(&block(0));
    let node = log
        .lines()
        .map(|line| format!("2026-11-25T20:00:00.123456789Z stdout F {line}\n"))
        .collect::<String>();
    let docker = log
        .lines()
        .map(|line| serde_json::json!({ "log": format!("{line}\n") }).to_string() + "\n")
        .collect();
    let mut kept = kept();
    kept.add(vec![block(0), block(1)], vec![]);
    let kept = serde_json::to_string(&kept).expect("a fleet is plain data");
    [log, node, docker, kept].map(String::into_bytes).to_vec()
}

pub fn read(data: &[u8]) {
    let found = read_all(data);
    for block in &found.blocks {
        assert_eq!(read_all(block::write(block).as_bytes()).blocks, std::slice::from_ref(block));
    }
    kept().add(found.blocks, found.lost);
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(kept) = Kept::parse(Path::new("fleet.json"), text) {
        let _ = kept.missing();
    }
}
