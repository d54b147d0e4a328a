//! The one file in which a fleet is kept: the plan, and every block that was collected. It is whole at any time, and can be
//! read without a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::block::{Block, Outcome};
use crate::log::Lost;
use crate::plan::{Plan, SCHEMA};

/// Most bytes of such a file: ten times those of the largest fleet that was tried.
const LIMIT: u64 = 1 << 30;

/// A fleet: what was planned, and what was measured so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kept {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Version of the Brawn that wrote it.
    pub brawn: String,
    /// What was planned.
    pub plan: Plan,
    /// What was measured: one block for each index of a pool at most, by the plan's order of pools, and by index.
    pub blocks: Vec<Block>,
    /// Blocks that logs had only parts of, and that no other log or attempt had as a whole.
    pub lost: Vec<Lost>,
}

/// What every version of the file has.
#[derive(Deserialize)]
struct Head {
    schema: u32,
}

impl Kept {
    /// A fleet of which nothing is measured.
    pub fn new(plan: Plan) -> Self {
        Self { schema: SCHEMA, brawn: env!("CARGO_PKG_VERSION").to_owned(), plan, ..Self::default() }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`Error`]: it cannot be read, is something else, has another form, or a plan that cannot be.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::parse(path, &brawn_base::file::read_text(path, LIMIT)?)
    }

    /// Reads the file's text; `path` is its name for messages.
    ///
    /// # Errors
    /// [`Error`]: it is something else, has another form, or a plan that cannot be.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let not_kept = |source| Error::NotKept { path: path.to_owned(), source };
        let head: Head = serde_json::from_str(text).map_err(not_kept)?;
        if head.schema != SCHEMA {
            return Err(Error::Schema { path: path.to_owned(), found: head.schema });
        }
        let mut kept: Self = serde_json::from_str(text).map_err(not_kept)?;
        check(&kept.plan).map_err(|what| Error::Plan { path: path.to_owned(), what })?;
        // Even if someone edited it, what follows holds.
        let (blocks, lost) = (std::mem::take(&mut kept.blocks), std::mem::take(&mut kept.lost));
        kept.add(blocks, lost);
        Ok(kept)
    }

    /// Writes the file in one step.
    ///
    /// # Errors
    /// The system's; the message names the file.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).expect("a fleet is plain data");
        Ok(brawn_measure::write_whole(path, &text)?)
    }

    /// Changes the file, and gives what came of it. Others that change it wait meanwhile.
    ///
    /// # Errors
    /// Those of [`Kept::load`] and [`Kept::save`].
    pub fn update<T>(path: &Path, change: impl FnOnce(&mut Self) -> T) -> Result<(Self, T), Error> {
        let same = |file: &fs_err::File| {
            let (held, named) = (file.metadata(), fs_err::metadata(path));
            held.is_ok_and(|held| {
                named.is_ok_and(|named| (held.dev(), held.ino()) == (named.dev(), named.ino()))
            })
        };
        // The lock is on what has the name; a change gives the name to a new file.
        let _locked = loop {
            let file = brawn_base::file::open(path)?;
            // On a file system without locks, of two at once one may be in vain: collecting again makes up for it.
            let _ = file.file().lock();
            if same(&file) {
                break file;
            }
        };
        let mut kept = Self::load(path)?;
        let done = change(&mut kept);
        kept.save(path)?;
        Ok((kept, done))
    }

    /// Adds blocks, in any order and as often as they come: what is kept in the end is the same. Of several attempts at one index
    /// the first complete one counts: whether another one is made depends on what became of the first, so a choice among
    /// them would be a choice among results. What is not of this plan, or lacks a candidate without one that took the others along, is told and left out.
    pub fn add(&mut self, blocks: Vec<Block>, lost: Vec<Lost>) -> Added {
        let mut added = Added::default();
        let order: BTreeMap<String, usize> =
            self.plan.pools.iter().enumerate().map(|(at, pool)| (pool.name.clone(), at)).collect();
        let place = |block: &Block| (order[&block.pool], block.index);
        let mut kept: BTreeMap<(usize, u32), Block> = std::mem::take(&mut self.blocks)
            .into_iter()
            .filter(|block| order.contains_key(&block.pool))
            .map(|block| (place(&block), block))
            .collect();
        let before = kept.len();
        for block in blocks {
            let pool = self.plan.pool(&block.pool).filter(|pool| block.index < pool.blocks);
            if block.fleet != self.plan.id || pool.is_none() {
                added.foreign += 1;
                continue;
            }
            if let Some(reason) = self.incomplete(&block) {
                self.lost.push(Lost {
                    pool: Some(block.pool.clone()),
                    index: Some(block.index),
                    attempt: Some(block.attempt),
                    reason,
                    digest: crate::block::digest_of(&block),
                });
                continue;
            }
            let rank = |block: &Block| (block.attempt, block.started.clone(), block.node.clone());
            match kept.entry(place(&block)) {
                std::collections::btree_map::Entry::Vacant(entry) => drop(entry.insert(block)),
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    if rank(&block) < rank(entry.get()) {
                        entry.insert(block);
                    }
                }
            }
        }
        added.new = kept.len() - before;
        self.lost.extend(lost);
        self.blocks = kept.into_values().collect();
        self.forget();
        added
    }

    /// What the block lacks.
    fn incomplete(&self, block: &Block) -> Option<String> {
        let names: BTreeSet<&str> = block.runs.iter().map(|run| run.candidate.as_str()).collect();
        let planned = self.plan.candidates.iter().map(|candidate| candidate.name.as_str());
        let missing: Vec<&str> = planned.clone().filter(|name| !names.contains(name)).collect();
        // The kernel killed all of a container together with its last candidate.
        let was_killed =
            matches!(block.runs.last().map(|run| &run.outcome), Some(Outcome::OverMemory { .. }));
        if was_killed
            && names.len() == block.runs.len()
            && names.len() + missing.len() == planned.clone().count()
        {
            return None;
        }
        if !missing.is_empty() {
            return Some(format!("it has no run of `{}`", missing.join("`, `")));
        }
        (block.runs.len() != planned.count())
            .then(|| "it has runs of something that was not planned".to_owned())
    }

    /// Forgets losses that were made good, and keeps each of the others once.
    fn forget(&mut self) {
        let here: BTreeSet<(&str, u32)> =
            self.blocks.iter().map(|block| (block.pool.as_str(), block.index)).collect();
        let nameless = self.lost.iter().any(|lost| lost.pool.is_none());
        let digests: BTreeSet<String> =
            self.blocks.iter().filter(|_| nameless).map(crate::block::digest_of).collect();
        // The last word on each counts: more of it may have come.
        let lost: BTreeMap<String, Lost> =
            std::mem::take(&mut self.lost).into_iter().map(|lost| (lost.digest.clone(), lost)).collect();
        let is_lost = |lost: &Lost| match (&lost.pool, lost.index) {
            (Some(pool), Some(index)) => {
                let planned = self.plan.pool(pool).is_some_and(|pool| index < pool.blocks);
                planned && !here.contains(&(pool.as_str(), index))
            }
            _ => !digests.contains(&lost.digest),
        };
        let mut lost: Vec<Lost> = lost.into_values().filter(is_lost).collect();
        lost.sort();
        self.lost = lost;
    }

    /// Indexes that nothing was collected of, by pool.
    pub fn missing(&self) -> BTreeMap<&str, Vec<u32>> {
        let here: BTreeSet<(&str, u32)> =
            self.blocks.iter().map(|block| (block.pool.as_str(), block.index)).collect();
        let of =
            |name: &str, blocks: u32| (0..blocks).filter(|index| !here.contains(&(name, *index))).collect();
        let pools = self.plan.pools.iter().map(|pool| (pool.name.as_str(), of(&pool.name, pool.blocks)));
        pools.filter(|(_, missing): &(&str, Vec<u32>)| !missing.is_empty()).collect()
    }
}

/// What came of adding blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Added {
    /// Blocks of indexes that had none.
    pub new: usize,
    /// Blocks of another fleet, or that were not planned.
    pub foreign: usize,
}

/// What is wrong with a plan.
fn check(plan: &Plan) -> Result<(), String> {
    let names = |of: &str, names: Vec<&str>| match names.iter().collect::<BTreeSet<_>>().len() {
        0 => Err(format!("it has no {of}")),
        count if count < names.len() => Err(format!("two {of}s have the same name")),
        _ => Ok(()),
    };
    names("candidate", plan.candidates.iter().map(|candidate| candidate.name.as_str()).collect())?;
    names("pool", plan.pools.iter().map(|pool| pool.name.as_str()).collect())?;
    match plan.candidate(&plan.reference) {
        Some(_) => Ok(()),
        None => Err(format!("`{}`, which is used now, is no candidate", plan.reference)),
    }
}
