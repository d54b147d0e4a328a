//! From blocks to an answer. Arithmetic only.

use std::collections::BTreeMap;

use brawn_measure::{Sample, Summary};
use brawn_tune::Goal;
use brawn_tune::goal;
use brawn_tune::verdict::Advice;

use crate::answer::{Answer, CandidateAnswer, MemoryPoint, Overall, PoolAnswer, Verdict};
use crate::estimate::Estimate;
use crate::kept::Kept;
use crate::plan::SCHEMA;
use crate::pool::{Fate, Pool};
use crate::power;

impl Answer {
    /// The answer to what is kept, however little of the plan that is.
    pub fn of(kept: &Kept) -> Self {
        let plan = &kept.plan;
        let pools: Vec<Pool<'_>> =
            plan.pools.iter().map(|pool| Pool::new(plan, pool, &kept.blocks)).collect();
        let intervals = power::intervals(plan.pools.len(), plan.candidates.len());
        let outside = power::outside(intervals);
        let answers: Vec<PoolAnswer> =
            pools.iter().map(|pool| pool_answer(pool, plan.goal, outside)).collect();
        let mut answer = Self {
            schema: SCHEMA,
            fleet: plan.id.clone(),
            program: plan.program.clone(),
            goal: plan.goal,
            reference: plan.reference.clone(),
            level: power::LEVEL,
            intervals,
            overall: overall(&pools, &answers, plan.goal, outside),
            memory: memory(kept),
            planned: plan.pools.iter().map(|pool| pool.blocks as usize).sum(),
            blocks: kept.blocks.len(),
            lost: kept.lost.len(),
            pools: answers,
            notes: Vec::new(),
        };
        answer.notes = crate::notes::of(&answer, kept);
        answer
    }
}

fn pool_answer(pool: &Pool<'_>, goal: Goal, outside: f64) -> PoolAnswer {
    let base = pool.base();
    let candidates = pool.plan.candidates.iter().map(|candidate| {
        let name = candidate.name.as_str();
        let fate = pool.fate(name);
        let beside = |figure: &dyn Fn(&Sample) -> Option<f64>| {
            let base = base.filter(|base| *base != name && fate == Fate::Lives)?;
            Some(pool.estimate(name, base, figure)?.ratio(outside))
        };
        let cost = beside(&|sample| goal.cost(sample));
        let is_now = name == pool.plan.reference;
        let verdict = match (&fate, &cost) {
            (Fate::OverMemory(_), _) => Verdict::OverMemory,
            (Fate::Failed(_), _) => Verdict::Failed,
            _ if is_now => Verdict::Now,
            (Fate::Unmeasured, _) => Verdict::Undecided,
            // Beside another than what is used now nothing is better or worse than that.
            _ if base != Some(pool.plan.reference.as_str()) => Verdict::Alive,
            (_, Some(cost)) if cost.is_less() => Verdict::Better,
            (_, Some(cost)) if cost.is_more() => Verdict::Worse,
            _ => Verdict::Undecided,
        };
        CandidateAnswer {
            name: name.to_owned(),
            verdict,
            cost,
            time: beside(&goal::time),
            memory: beside(&goal::memory),
            seconds: pool.summary(name, goal::time),
            peak_bytes: pool.summary(name, |sample| sample.peak_bytes.map(|bytes| bytes as f64)),
            failure: fate.text(),
        }
    });
    let candidates: Vec<CandidateAnswer> = candidates.collect();
    let (advice, pick) = decide(pool, &candidates);
    PoolAnswer {
        name: pool.pool.name.clone(),
        planned: pool.pool.blocks,
        blocks: pool.blocks.len(),
        nodes: pool.nodes(),
        advice,
        pick,
        candidates,
    }
}

/// What to do, and what to run. Of several that are certainly better the one that costs least by what is known.
fn decide(pool: &Pool<'_>, candidates: &[CandidateAnswer]) -> (Advice, Option<String>) {
    let reference = &pool.plan.reference;
    let Some(base) = pool.base().filter(|_| pool.fate(reference) != Fate::Unmeasured) else {
        return (Advice::Unknown, None);
    };
    let least = |verdicts: &[Verdict]| {
        let those = candidates.iter().filter(|candidate| verdicts.contains(&candidate.verdict));
        let cost = |candidate: &CandidateAnswer| candidate.cost.map_or(1.0, |cost| cost.ratio);
        those.min_by(|one, other| cost(one).total_cmp(&cost(other))).map(|candidate| candidate.name.clone())
    };
    if base != reference {
        return (Advice::ChangeForFailure, least(&[Verdict::Alive]));
    }
    let keep = |advice| (advice, Some(reference.clone()));
    if let Some(pick) = least(&[Verdict::Better]) {
        return (Advice::Change, Some(pick));
    }
    let others = || candidates.iter().filter(|candidate| candidate.name != *reference);
    let told = |candidate: &CandidateAnswer| candidate.cost.is_some_and(|cost| cost.high.is_some());
    match others().next().is_some() && others().all(|candidate| candidate.verdict != Verdict::Undecided) {
        true => keep(Advice::KeepBest),
        false if others().any(told) => keep(Advice::Keep),
        false => keep(Advice::Unknown),
    }
}

fn overall(pools: &[Pool<'_>], answers: &[PoolAnswer], goal: Goal, outside: f64) -> Option<Overall> {
    let measured: Vec<(&Pool<'_>, &PoolAnswer)> =
        pools.iter().zip(answers).filter(|(pool, _)| !pool.blocks.is_empty()).collect();
    let plan = pools.first()?.plan;
    let lives = |name: &str| measured.iter().all(|(pool, _)| pool.fate(name) == Fate::Lives);
    let living: Vec<&str> =
        plan.candidates.iter().map(|one| one.name.as_str()).filter(|name| lives(name)).collect();
    let base = living
        .iter()
        .find(|name| **name == plan.reference)
        .or(living.first())
        .filter(|_| measured.len() > 1)?;
    let by_replicas = measured.iter().all(|(pool, _)| pool.pool.replicas.is_some());
    let weight = |pool: &Pool<'_>| match pool.pool.replicas {
        Some(replicas) if by_replicas => replicas as f64,
        _ => 1.0,
    };
    let beside_base = |name: &str| {
        let estimate = |(pool, _): &(&Pool<'_>, _)| {
            Some((weight(pool), pool.estimate(name, base, &|sample| goal.cost(sample))?))
        };
        Some(Estimate::weighted(&measured.iter().map(estimate).collect::<Option<Vec<_>>>()?)?.ratio(outside))
    };
    let ratios =
        living.iter().filter(|name| *name != base).filter_map(|name| Some((*name, beside_base(name)?)));
    let certain = *base == plan.reference;
    let best = ratios
        .filter(|(_, ratio)| if certain { ratio.is_less() } else { ratio.ratio < 1.0 })
        .min_by(|(_, one), (_, other)| one.ratio.total_cmp(&other.ratio));
    let pick = best.map_or(*base, |(name, _)| name);
    let beside_best = measured.iter().map(|(pool, answer)| {
        let own = answer.pick.as_deref().filter(|own| *own != pick);
        let ratio = own.and_then(|own| pool.estimate(pick, own, &|sample| goal.cost(sample)));
        (answer.name.clone(), ratio.map(|estimate| estimate.ratio(outside)))
    });
    let is_worse = |answer: &&PoolAnswer| {
        answer.candidates.iter().any(|one| one.name == pick && one.verdict == Verdict::Worse)
    };
    Some(Overall {
        pick: pick.to_owned(),
        gain: best.filter(|_| certain).map(|(_, ratio)| ratio),
        by_replicas,
        beside_best: beside_best.collect(),
        worse_on: measured
            .iter()
            .map(|(_, answer)| *answer)
            .filter(is_worse)
            .map(|answer| answer.name.clone())
            .collect(),
    })
}

fn memory(kept: &Kept) -> Vec<MemoryPoint> {
    let mut peaks: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for block in &kept.blocks {
        for (at, candidate) in kept.plan.candidates.iter().enumerate() {
            let sample = block.sample(&candidate.name);
            if let Some(bytes) = sample.and_then(|sample| sample.peak_bytes) {
                peaks.entry((at, block.machine.cores)).or_default().push(bytes as f64);
            }
        }
    }
    let point = |((at, cores), peaks): ((usize, usize), Vec<f64>)| {
        let candidate = kept.plan.candidates[at].name.clone();
        Some(MemoryPoint { candidate, cores, peak_bytes: Summary::of(&peaks)? })
    };
    peaks.into_iter().filter_map(point).collect()
}
