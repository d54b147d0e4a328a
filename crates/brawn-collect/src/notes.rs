//! What the reader of an answer must know.

use brawn_tune::verdict::Advice;

use crate::answer::{Answer, PoolAnswer, Verdict};
use crate::kept::Kept;

/// Most indexes that a note lists.
const SHOWN: usize = 8;

/// Everything that the figures alone do not say.
pub(crate) fn of(answer: &Answer, kept: &Kept) -> Vec<String> {
    let mut notes = Vec::new();
    for (pool, indexes) in kept.missing() {
        let first: Vec<String> = indexes.iter().take(SHOWN).map(u32::to_string).collect();
        let more = if indexes.len() > SHOWN { ", …" } else { "" };
        let planned = kept.plan.pool(pool).map_or(0, |pool| pool.blocks);
        let count = indexes.len();
        notes.push(format!("{pool}: {count} of {planned} blocks are missing: {}{more}", first.join(", ")));
    }
    for lost in &kept.lost {
        let place = match (&lost.pool, lost.index) {
            (Some(pool), Some(index)) => format!("block {index} of {pool}"),
            _ => "a block of which no log says which it is".to_owned(),
        };
        notes.push(format!("{place} was lost: {}", lost.reason));
    }
    notes.extend(answer.pools.iter().filter_map(pool));
    if answer.overall.as_ref().is_some_and(|overall| !overall.by_replicas) {
        notes.push(
            "one for all: pools count alike, because the plan does not say how many replicas each runs"
                .into(),
        );
    }
    notes
}

fn pool(pool: &PoolAnswer) -> Option<String> {
    let name = &pool.name;
    let costs = || pool.candidates.iter().filter_map(|candidate| candidate.cost);
    if pool.blocks == 0 {
        return Some(format!("{name}: nothing was measured"));
    }
    if pool.pick.is_none() {
        return Some(format!("{name}: no candidate stays alive in every block"));
    }
    if costs().next().is_none() && pool.advice == Advice::Unknown {
        return Some(format!("{name}: no block has the figures that the goal needs"));
    }
    if pool.advice == Advice::ChangeForFailure {
        let first = pool.candidates.iter().find(|candidate| candidate.verdict == Verdict::Alive)?;
        return Some(format!("{name}: costs are those beside `{}`, the first that stays alive", first.name));
    }
    let unknown = pool.nodes == 1 && costs().all(|cost| cost.high.is_none());
    unknown.then(|| {
        format!("{name}: all blocks lie on one node, which says nothing of others; measure on more, or say that the pool has no other")
    })
}
