//! What a pool should run, and all together.

mod common;

use brawn_collect::answer::Verdict;
use brawn_collect::block::{Block, BlockRun, Outcome};
use brawn_collect::plan::PlanCandidate;
use brawn_collect::{Answer, Kept};
use brawn_tune::verdict::Advice;
use common::{block, plan};

/// Blocks in which `other` takes so many times as long, and `third`.
fn blocks(pool: &str, count: u32, other: f64, third: f64) -> Vec<Block> {
    let noise = [1.0, 1.01, 0.99, 1.004, 0.996, 1.007, 0.992];
    (0..count)
        .map(|index| {
            let hour = 1.0 + f64::from(index % 5);
            let near = |ratio: f64, at: u32| hour * ratio * noise[(index + at) as usize % noise.len()];
            let mut block = block(
                pool,
                index,
                &[("now", near(1.0, 0)), ("other", near(other, 2)), ("third", near(third, 4))],
            );
            block.machine.cores = if pool == "small" { 4 } else { 64 };
            block
        })
        .collect()
}

fn kept(pools: &[(&str, u32)], blocks: Vec<Block>) -> Kept {
    let mut plan = plan(pools);
    plan.candidates.push(PlanCandidate { name: "third".into(), ..PlanCandidate::default() });
    let mut kept = Kept::new(plan);
    kept.add(blocks, vec![]);
    kept
}

fn verdicts(answer: &Answer, pool: usize) -> Vec<Verdict> {
    answer.pools[pool].candidates.iter().map(|candidate| candidate.verdict).collect()
}

#[test]
fn each_pool_has_its_answer_and_all_have_one() {
    let all = [blocks("small", 14, 0.9, 0.85), blocks("large", 14, 0.9, 1.2)].concat();
    let mut kept = kept(&[("small", 14), ("large", 14)], all);
    let answer = Answer::of(&kept);
    assert_eq!(answer.intervals, 6);
    let picks: Vec<_> =
        answer.pools.iter().map(|pool| (pool.advice, pool.pick.as_deref().unwrap())).collect();
    assert_eq!(picks, [(Advice::Change, "third"), (Advice::Change, "other")]);
    assert_eq!(verdicts(&answer, 1), [Verdict::Now, Verdict::Better, Verdict::Worse]);
    let overall = answer.overall.unwrap();
    assert_eq!((overall.pick.as_str(), overall.by_replicas, overall.worse_on.len()), ("other", false, 0));
    let gain = overall.gain.unwrap();
    assert!(gain.is_less() && (gain.ratio - 0.9).abs() < 0.005, "{gain:?}");
    let small = overall.beside_best["small"].unwrap();
    assert!((small.ratio - 0.9 / 0.85).abs() < 0.01 && overall.beside_best["large"].is_none(), "{small:?}");
    assert!(answer.notes[0].contains("pools count alike"), "{:?}", answer.notes);
    // Where nearly everything runs on small nodes, what is best there is best.
    kept.plan.pools[0].replicas = Some(990);
    kept.plan.pools[1].replicas = Some(10);
    let overall = Answer::of(&kept).overall.unwrap();
    assert_eq!(
        (overall.pick.as_str(), overall.by_replicas, &overall.worse_on[..]),
        ("third", true, &["large".to_owned()][..])
    );
}

#[test]
fn no_difference_is_an_answer() {
    let answer = Answer::of(&kept(&[("small", 14)], blocks("small", 14, 1.0, 1.001)));
    assert_eq!((answer.pools[0].advice, answer.pools[0].pick.as_deref()), (Advice::Keep, Some("now")));
    assert_eq!(verdicts(&answer, 0), [Verdict::Now, Verdict::Undecided, Verdict::Undecided]);
    assert_eq!(answer.overall, None, "one pool is all");
    let best = Answer::of(&kept(&[("small", 14)], blocks("small", 14, 1.1, 1.2)));
    assert_eq!(best.pools[0].advice, Advice::KeepBest);
}

#[test]
fn what_dies_of_its_memory_is_no_answer_however_fast() {
    let mut all = blocks("small", 14, 0.5, 0.9);
    all[3].runs[1].outcome = Outcome::OverMemory { limit: 256 << 20, peak: None };
    let answer = Answer::of(&kept(&[("small", 14)], all.clone()));
    assert_eq!(answer.pools[0].pick.as_deref(), Some("third"));
    let other = &answer.pools[0].candidates[1];
    assert_eq!((other.verdict, other.cost), (Verdict::OverMemory, None));
    assert_eq!(other.failure.as_deref(), Some("wanted more than the limit of 256 MiB in 1 of 14 blocks"));
    // What is used now dies.
    for block in &mut all {
        block.runs[0].outcome = Outcome::OverMemory { limit: 256 << 20, peak: Some(300 << 20) };
    }
    let answer = Answer::of(&kept(&[("small", 14)], all.clone()));
    assert_eq!(
        (answer.pools[0].advice, answer.pools[0].pick.as_deref()),
        (Advice::ChangeForFailure, Some("third"))
    );
    assert_eq!(verdicts(&answer, 0), [Verdict::OverMemory, Verdict::OverMemory, Verdict::Alive]);
    assert_eq!(answer.notes, ["small: costs are those beside `third`, the first that stays alive"]);
    // And nothing else does better.
    for block in &mut all {
        block.runs[2].outcome = Outcome::Failed { reason: "status 1".into() };
    }
    let answer = Answer::of(&kept(&[("small", 14)], all));
    assert_eq!((answer.pools[0].advice, &answer.pools[0].pick), (Advice::Unknown, &None));
    assert_eq!(answer.notes, ["small: no candidate stays alive in every block"]);
}

#[test]
fn a_part_of_the_blocks_gives_a_part_of_the_answer() {
    let answer = Answer::of(&kept(&[("small", 20), ("large", 20)], blocks("small", 9, 0.8, 1.0)));
    assert_eq!((answer.planned, answer.blocks, answer.overall), (40, 9, None));
    assert_eq!(answer.pools[0].pick.as_deref(), Some("other"));
    assert_eq!((answer.pools[1].advice, &answer.pools[1].pick), (Advice::Unknown, &None));
    assert_eq!(
        answer.notes,
        [
            "large: 20 of 20 blocks are missing: 0, 1, 2, 3, 4, 5, 6, 7, …",
            "small: 11 of 20 blocks are missing: 9, 10, 11, 12, 13, 14, 15, 16, …",
            "large: nothing was measured"
        ]
    );
    let empty = Answer::of(&kept(&[("small", 3)], vec![]));
    assert_eq!((empty.pools[0].advice, empty.blocks), (Advice::Unknown, 0));
}

#[test]
fn one_node_is_no_pool() {
    let mut all = blocks("small", 14, 0.8, 1.0);
    all.iter_mut().for_each(|block| block.node = Some("alone".into()));
    let mut kept = kept(&[("small", 14)], all);
    let answer = Answer::of(&kept);
    assert_eq!(answer.pools[0].advice, Advice::Unknown);
    assert!(answer.notes[0].contains("all blocks lie on one node"), "{:?}", answer.notes);
    kept.plan.pools[0].nodes = Some(1);
    assert_eq!(Answer::of(&kept).pools[0].pick.as_deref(), Some("other"));
}

#[test]
fn memory_is_told_by_cores() {
    let all = [blocks("small", 5, 1.0, 1.0), blocks("large", 5, 1.0, 1.0)].concat();
    let answer = Answer::of(&kept(&[("small", 5), ("large", 5)], all));
    let points: Vec<_> = answer.memory.iter().map(|point| (point.candidate.as_str(), point.cores)).collect();
    assert_eq!(points, [("now", 4), ("now", 64), ("other", 4), ("other", 64), ("third", 4), ("third", 64)]);
    assert_eq!(answer.memory[0].peak_bytes.median, f64::from(100 << 20));
}

/// The kernel kills all of a container together with the candidate that wanted too much.
#[test]
fn a_block_that_was_killed_tells_of_what_killed_it() {
    let mut all = blocks("small", 12, 0.9, 0.85);
    for block in &mut all[..4] {
        block.runs.truncate(2);
        block.runs[1].outcome = Outcome::OverMemory { limit: 1 << 20, peak: None };
    }
    let kept_whole = kept(&[("small", 12)], all.clone());
    assert!(kept_whole.lost.is_empty() && kept_whole.blocks.len() == 12);
    let answer = Answer::of(&kept_whole);
    assert_eq!(verdicts(&answer, 0), [Verdict::Now, Verdict::OverMemory, Verdict::Better]);
    let failure = answer.pools[0].candidates[1].failure.as_deref().unwrap();
    assert!(failure.ends_with("in 4 of 12 blocks"), "{failure}");
    // Where it takes all others along, nothing is known of them, and nothing is said.
    for block in &mut all {
        block.runs.clear();
        block.runs.push(BlockRun {
            candidate: "other".into(),
            outcome: Outcome::OverMemory { limit: 1 << 20, peak: None },
        });
    }
    let answer = Answer::of(&kept(&[("small", 12)], all));
    assert_eq!(verdicts(&answer, 0), [Verdict::Now, Verdict::OverMemory, Verdict::Undecided]);
    assert_eq!((answer.pools[0].advice, &answer.pools[0].pick), (Advice::Unknown, &None));
}
