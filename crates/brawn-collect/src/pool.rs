//! The blocks of one pool, as an answer looks at them.

use std::collections::BTreeSet;

use brawn_measure::{Sample, Summary, format};

use crate::block::{Block, Outcome};
use crate::estimate::Estimate;
use crate::plan::{Plan, PlanPool};

/// A pool with what was measured on it.
#[derive(Clone, Debug)]
pub struct Pool<'a> {
    /// What was planned for all.
    pub plan: &'a Plan,
    /// What was planned for it.
    pub pool: &'a PlanPool,
    /// Its blocks.
    pub blocks: Vec<&'a Block>,
}

/// What became of a candidate over all blocks of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It did its work in every block.
    Lives,
    /// No block came to it: each was killed together with a candidate before it, or there is none.
    Unmeasured,
    /// It wanted more memory than it may have, at least once; how often, in words. In production it would be killed as often.
    OverMemory(String),
    /// It failed in some other way, at least once; how, and how often.
    Failed(String),
}

impl Fate {
    /// What went wrong.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Lives | Self::Unmeasured => None,
            Self::OverMemory(text) | Self::Failed(text) => Some(text.clone()),
        }
    }
}

impl<'a> Pool<'a> {
    /// The pool's part of all blocks.
    pub fn new(plan: &'a Plan, pool: &'a PlanPool, blocks: &'a [Block]) -> Self {
        Self { plan, pool, blocks: blocks.iter().filter(|block| block.pool == pool.name).collect() }
    }

    /// Nodes that blocks were measured on; a block of no known node is of one of its own.
    pub fn nodes(&self) -> usize {
        let named: BTreeSet<&str> = self.blocks.iter().filter_map(|block| block.node.as_deref()).collect();
        named.len() + self.blocks.iter().filter(|block| block.node.is_none()).count()
    }

    /// What ratios are to: what is used now, or the first that lives. None without a block, or where none lives.
    pub fn base(&self) -> Option<&'a str> {
        let lives = |name: &&str| self.fate(name) == Fate::Lives;
        let names = self.plan.candidates.iter().map(|candidate| candidate.name.as_str());
        let reference = Some(self.plan.reference.as_str()).into_iter();
        reference.chain(names).find(lives)
    }

    /// What became of a candidate.
    pub fn fate(&self, name: &str) -> Fate {
        let outcomes = || self.blocks.iter().filter_map(|block| block.outcome(name));
        let of = |count: usize| format!("{count} of {}", outcomes().count());
        if outcomes().next().is_none() {
            return Fate::Unmeasured;
        }
        let killed = outcomes().filter(|outcome| matches!(outcome, Outcome::OverMemory { .. })).count();
        if let Some(Outcome::OverMemory { limit, .. }) =
            outcomes().find(|outcome| matches!(outcome, Outcome::OverMemory { .. }))
        {
            let limit = format::bytes(*limit as f64);
            return Fate::OverMemory(format!(
                "wanted more than the limit of {limit} in {} blocks",
                of(killed)
            ));
        }
        let failed = outcomes().filter(|outcome| !matches!(outcome, Outcome::Sample(_))).count();
        match outcomes().find(|outcome| !matches!(outcome, Outcome::Sample(_))) {
            Some(Outcome::Failed { reason }) => {
                Fate::Failed(format!("failed in {} blocks: {reason}", of(failed)))
            }
            Some(Outcome::TimedOut { seconds }) => {
                let seconds = format::seconds(*seconds);
                Fate::Failed(format!("did not end within {seconds} in {} blocks", of(failed)))
            }
            _ => Fate::Lives,
        }
    }

    /// The logarithm of a figure of one candidate over that of another. None where no block has both.
    pub fn estimate(
        &self,
        name: &str,
        base: &str,
        figure: &dyn Fn(&Sample) -> Option<f64>,
    ) -> Option<Estimate> {
        let of = |block: &Block, name: &str| figure(block.sample(name)?).filter(|value| *value > 0.0);
        let ratio = |block: &&'a Block| {
            let ratio = (of(block, name)? / of(block, base)?).ln();
            ratio.is_finite().then_some((block.node.as_deref(), ratio))
        };
        let ratios: Vec<(Option<&str>, f64)> = self.blocks.iter().filter_map(ratio).collect();
        Estimate::of(&ratios, self.pool.nodes)
    }

    /// A figure of a candidate over all its blocks.
    pub fn summary(&self, name: &str, figure: impl Fn(&Sample) -> Option<f64>) -> Option<Summary> {
        let values = self.blocks.iter().filter_map(|block| figure(block.sample(name)?));
        Summary::of(&values.collect::<Vec<_>>())
    }
}
