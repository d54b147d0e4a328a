//! How often the answer is wrong, and how often it finds what is there, on fleets of which the truth is known. With
//! `BRAWN_TEST_LONG=1` on 200 fleets of each kind instead of 40.

mod common;

use brawn_collect::Answer;
use brawn_collect::answer::Verdict;
use brawn_collect::power;
use common::synthetic::{Fleet, REAL};

fn is_long() -> bool {
    std::env::var_os("BRAWN_TEST_LONG").is_some_and(|value| value != "0")
}

/// One in twenty; of forty fleets luck may make it twice as many.
fn most_wrong() -> f64 {
    if is_long() { 0.05 } else { 0.10 }
}

/// The share of fleets in which something that is no better is called so, and the share of what is better that was found.
fn study(name: &str, fleet: Fleet) -> (f64, f64) {
    let fleets = if is_long() { 200 } else { 40 };
    let (mut wrong, mut found, mut there) = (0, 0, 0);
    for seed in 0..fleets {
        let answer = Answer::of(&fleet.kept(seed));
        let mut false_better = false;
        for (at, pool) in answer.pools.iter().enumerate() {
            for (which, candidate) in pool.candidates.iter().enumerate() {
                let is_better = fleet.is_better_on(at) && which + 1 == fleet.candidates;
                let said = candidate.verdict == Verdict::Better;
                false_better |= said && !is_better;
                there += usize::from(is_better);
                found += usize::from(is_better && said);
            }
        }
        // Without any effect the one for all is what is used now, too.
        false_better |= fleet.effect == 0.0 && answer.overall.is_some_and(|overall| overall.pick != "now");
        wrong += usize::from(false_better);
    }
    let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
    let (wrong, found) = (share(wrong, fleets as usize), share(found, there));
    println!(
        "{name}: {} blocks a pool, {fleets} fleets: false better in {:.1} %, found {:.1} %",
        fleet.blocks,
        100.0 * wrong,
        100.0 * found
    );
    (wrong, found)
}

fn planned(pools: usize, candidates: usize) -> u32 {
    power::blocks(0.03, power::NOISE, power::intervals(pools, candidates))
}

#[test]
fn what_makes_no_difference_is_rarely_called_better() {
    let kinds = [
        ("as planned", REAL),
        ("few nodes", Fleet { nodes: 4, ..REAL }),
        ("few nodes that suit one or the other", Fleet { nodes: 5, suits: 0.03, ..REAL }),
        ("three nodes and no others", Fleet { nodes: 3, no_others: true, ..REAL }),
        ("many disturbed runs", Fleet { disturbed: 0.10, ..REAL }),
        ("few blocks", Fleet { blocks: 6, ..REAL }),
        ("one pool", Fleet { pools: 1, ..REAL }),
        ("many candidates", Fleet { candidates: 12, pools: 4, ..REAL }),
    ];
    for (name, fleet) in kinds {
        let (wrong, _) = study(name, fleet);
        assert!(wrong <= most_wrong(), "{name}: {wrong}");
    }
}

#[test]
fn three_percent_are_found_with_the_blocks_that_are_planned() {
    let kinds = [
        ("ten pools", Fleet { effect: 0.03, blocks: planned(10, 4), ..REAL }),
        ("40 pools", Fleet { effect: 0.03, pools: 40, blocks: planned(40, 4), ..REAL }),
        ("one pool", Fleet { effect: 0.03, pools: 1, blocks: planned(1, 4), ..REAL }),
        (
            "three nodes and no others",
            Fleet { effect: 0.03, pools: 3, nodes: 3, no_others: true, blocks: planned(3, 4), ..REAL },
        ),
    ];
    for (name, fleet) in kinds {
        let (wrong, found) = study(name, fleet);
        assert!(wrong <= most_wrong() && found >= 0.80, "{name}: false better {wrong}, found {found}");
    }
}
