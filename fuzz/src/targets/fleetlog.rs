//! Logs of a fleet's pods, the file in which their blocks are kept, and what else its commands read.

use std::path::Path;

use brawn_collect::block::{self, Block, BlockRun, Outcome};
use brawn_collect::canary::judge;
use brawn_collect::experiment::Canary;
use brawn_collect::log::read_all;
use brawn_collect::plan::{Plan, PlanCandidate, PlanPool};
use brawn_collect::prices::Prices;
use brawn_collect::prometheus::Series;
use brawn_collect::report::{Form, render};
use brawn_collect::{Answer, Kept, page};
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
    let values: Vec<_> = (0..60).map(|at| serde_json::json!([1e9 + 30.0 * f64::from(at), "1.5"])).collect();
    let data = serde_json::json!({ "resultType": "matrix", "result": [{ "metric": {}, "values": values }] });
    let response = serde_json::json!({ "status": "success", "data": data }).to_string();
    let prices =
        "currency = \"EUR\"\n[pools.p]\nnode_hour = 1\nnodes = 2\nfilled_by = \"cores\"\n".to_owned();
    [log, node, docker, kept, response, prices].map(String::into_bytes).to_vec()
}

pub fn read(data: &[u8]) {
    let found = read_all(data);
    for block in &found.blocks {
        assert_eq!(read_all(block::write(block).as_bytes()).blocks, std::slice::from_ref(block));
    }
    kept().add(found.blocks, found.lost);
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(kept) = Kept::parse(Path::new("fleet.json"), text) {
        let answer = Answer::of(&kept);
        let _ = (
            kept.missing(),
            render(&answer, None, Form::Text),
            page::html(&kept, &answer, "brawn fleet report"),
        );
    }
    if let Ok(series) = Series::parse("saved", text) {
        let _ = judge(&[("m".to_owned(), series.clone(), series)]);
    }
    let _ = (Prices::parse(Path::new("prices.toml"), text), Canary::parse(Path::new("canary.toml"), text));
}
