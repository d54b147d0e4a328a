//! The answer: what each pool should run, what all together should, and how certain that is. Arithmetic only.

use std::collections::BTreeMap;

use brawn_measure::Summary;
use brawn_tune::Goal;
use brawn_tune::goal;
use brawn_tune::verdict::Advice;
use serde::{Deserialize, Serialize};

use crate::estimate::{Estimate, Ratio};
use crate::kept::Kept;
use crate::pool::{Fate, Pool};
use crate::power;

/// What a fleet answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// Version of the form: that of the file of the fleet.
    pub schema: u32,
    /// The plan's name.
    pub fleet: String,
    /// The program's name.
    pub program: String,
    /// What was asked for.
    #[cfg_attr(test, schemars(with = "String"))]
    pub goal: Goal,
    /// What is used now.
    pub reference: String,
    /// The probability with which all intervals of candidates beside what is used now hold together.
    pub level: f64,
    /// How many intervals these are.
    pub intervals: usize,
    /// Each pool, in the order of the plan.
    pub pools: Vec<PoolAnswer>,
    /// One for all pools; none for a single pool, and where no candidate stays alive on all.
    pub overall: Option<Overall>,
    /// Memory by cores.
    pub memory: Vec<MemoryPoint>,
    /// Blocks that were planned, and that were measured.
    pub planned: usize,
    /// Blocks that were measured.
    pub blocks: usize,
    /// Blocks that logs had only parts of.
    pub lost: usize,
    /// What the reader must know.
    pub notes: Vec<String>,
}

/// What a pool should run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PoolAnswer {
    /// The pool's name.
    pub name: String,
    /// Blocks that were planned.
    pub planned: u32,
    /// Blocks that were measured.
    pub blocks: usize,
    /// Nodes that they were measured on.
    pub nodes: usize,
    /// What to do.
    #[cfg_attr(test, schemars(with = "String"))]
    pub advice: Advice,
    /// What to run; none where nothing was measured, or nothing stays alive.
    pub pick: Option<String>,
    /// Each candidate, in the order of the plan.
    pub candidates: Vec<CandidateAnswer>,
}

/// A candidate on a pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CandidateAnswer {
    /// Its name.
    pub name: String,
    /// How it does.
    pub verdict: Verdict,
    /// Its cost by the goal over that of what is used now, or of the first that stays alive.
    pub cost: Option<Ratio>,
    /// The same for time.
    pub time: Option<Ratio>,
    /// The same for memory.
    pub memory: Option<Ratio>,
    /// Seconds of a run.
    #[cfg_attr(test, schemars(schema_with = "crate::schema::summary"))]
    pub seconds: Option<Summary>,
    /// Peak of a run, in bytes.
    #[cfg_attr(test, schemars(schema_with = "crate::schema::summary"))]
    pub peak_bytes: Option<Summary>,
    /// What went wrong, and how often.
    pub failure: Option<String>,
}

/// How a candidate does beside what is used now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is what is used now.
    Now,
    /// Certainly better.
    Better,
    /// Certainly worse.
    Worse,
    /// No significant difference.
    #[default]
    NotTold,
    /// It died of the memory limit.
    OverMemory,
    /// It failed, or did not end.
    Failed,
}

/// One for all pools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Overall {
    /// What to run.
    pub pick: String,
    /// Its cost over that of what is used now; none where it is that, or that failed on some pool.
    pub gain: Option<Ratio>,
    /// Whether pools count by their replicas, and not alike.
    pub by_replicas: bool,
    /// Its cost on each pool over that of the pool's own pick; none where it is that.
    pub beside_best: BTreeMap<String, Option<Ratio>>,
    /// Pools on which it certainly costs more than what is used now.
    pub worse_on: Vec<String>,
}

/// Memory of a candidate on nodes with so many cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryPoint {
    /// The candidate's name.
    pub candidate: String,
    /// Cores that its process could use.
    pub cores: usize,
    /// Peak of a run, in bytes.
    #[cfg_attr(test, schemars(schema_with = "crate::schema::summary_itself"))]
    pub peak_bytes: Summary,
}

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
            schema: crate::kept::SCHEMA,
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
        let beside = |figure: &dyn Fn(&brawn_measure::Sample) -> Option<f64>| {
            let base = base.filter(|base| *base != name && fate == Fate::Lives)?;
            Some(pool.estimate(name, base, figure)?.ratio(outside))
        };
        let cost = beside(&|sample| goal.cost(sample));
        let is_now = name == pool.plan.reference;
        let verdict = match (&fate, &cost) {
            (Fate::OverMemory(_), _) => Verdict::OverMemory,
            (Fate::Failed(_), _) => Verdict::Failed,
            _ if is_now => Verdict::Now,
            // Beside another than what is used now nothing is better or worse than that.
            _ if base != Some(pool.plan.reference.as_str()) => Verdict::NotTold,
            (_, Some(cost)) if cost.is_less() => Verdict::Better,
            (_, Some(cost)) if cost.is_more() => Verdict::Worse,
            _ => Verdict::NotTold,
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
    let Some(base) = pool.base() else { return (Advice::Unknown, None) };
    let least = |verdicts: &[Verdict]| {
        let those = candidates.iter().filter(|candidate| verdicts.contains(&candidate.verdict));
        let cost = |candidate: &CandidateAnswer| candidate.cost.map_or(1.0, |cost| cost.ratio);
        those.min_by(|one, other| cost(one).total_cmp(&cost(other))).map(|candidate| candidate.name.clone())
    };
    if base != reference {
        return (Advice::ChangeForFailure, least(&[Verdict::NotTold]));
    }
    let keep = |advice| (advice, Some(reference.clone()));
    if let Some(pick) = least(&[Verdict::Better]) {
        return (Advice::Change, Some(pick));
    }
    let others = || candidates.iter().filter(|candidate| candidate.name != *reference);
    let told = |candidate: &CandidateAnswer| candidate.cost.is_some_and(|cost| cost.high.is_some());
    match others().next().is_some() && others().all(|candidate| candidate.verdict != Verdict::NotTold) {
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
