//! One block, and its form in a log.
//!
//! A pod's log is no file: a container runtime cuts long lines, puts a time and a stream before each, mixes in what others
//! print, rotates the beginning away, and shows some of it twice. So a block is written as a few short lines that each say
//! which block they are a part of, which part, and a checksum of their own; and the whole has a digest:
//!
//! ```text
//! brawn-block-begin FLEET POOL INDEX ATTEMPT DIGEST
//! brawn-block-data DIGEST NUMBER COUNT SUM TEXT
//! brawn-block-end DIGEST
//! ```
//!
//! The texts in the order of their numbers (from 0 on) are a JSON document whose SHA-256 is the digest. The sum is the
//! beginning of the text's own SHA-256. [`crate::log`] reads it.

use brawn_base::text::hex;
use brawn_measure::{Machine, Sample};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// What the first line of a block begins with.
pub const BEGIN: &str = "brawn-block-begin";
/// What a line with a part of it begins with.
pub const DATA: &str = "brawn-block-data";
/// What its last line begins with.
pub const END: &str = "brawn-block-end";
/// Longest line, in bytes: some runtimes cut at 4,096, most at 16,384.
pub const LINE: usize = 4_000;
/// Longest text in a line: the rest is for what stands before it.
const TEXT: usize = LINE - 120;

/// One block: every candidate once on one node, one after the other, in random order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Block {
    /// [`crate::plan::Plan::id`].
    pub fleet: String,
    /// [`crate::plan::PlanPool::name`].
    pub pool: String,
    /// Which of the pool's blocks it is, from 0 on.
    pub index: u32,
    /// Which try of it, from 0 on: a pod that was lost is started again.
    pub attempt: u32,
    /// Where it was measured.
    #[cfg_attr(test, schemars(schema_with = "crate::elsewhere::machine"))]
    pub machine: Machine,
    /// The node's name; none where no one told. Blocks without one count as of a node each.
    #[serde(default)]
    pub node: Option<String>,
    /// When it began, as a date of RFC 3339.
    pub started: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What became of each candidate, in the order in which they ran.
    pub runs: Vec<BlockRun>,
}

/// One candidate's part of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BlockRun {
    /// [`crate::plan::PlanCandidate::name`].
    pub candidate: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did its work.
    Sample(#[cfg_attr(test, schemars(schema_with = "crate::elsewhere::sample"))] Sample),
    /// It wanted more memory than it may have.
    OverMemory {
        /// The limit, in bytes.
        limit: u64,
        /// Its peak, where it lived long enough to have one, in bytes.
        #[serde(default)]
        peak: Option<u64>,
    },
    /// It ended otherwise than it should.
    Failed {
        /// What it said.
        reason: String,
    },
    /// It did not end in time.
    TimedOut {
        /// The time that it had, in seconds.
        seconds: f64,
    },
}

impl Block {
    /// What this candidate took, if it did its work.
    pub fn sample(&self, candidate: &str) -> Option<&Sample> {
        match self.outcome(candidate)? {
            Outcome::Sample(sample) => Some(sample),
            _ => None,
        }
    }

    /// What became of this candidate.
    pub fn outcome(&self, candidate: &str) -> Option<&Outcome> {
        self.runs.iter().find(|run| run.candidate == candidate).map(|run| &run.outcome)
    }
}

/// The lines of a block for a log, each with a line break at its end.
///
/// # Panics
/// Never: a block is plain data.
pub fn write(block: &Block) -> String {
    let json = serde_json::to_string(block).expect("a block is plain data");
    let digest = digest(&json);
    let parts = parts(&json);
    let Block { fleet, pool, index, attempt, .. } = block;
    let mut lines = format!("{BEGIN} {fleet} {pool} {index} {attempt} {digest}\n");
    for (number, text) in parts.iter().enumerate() {
        lines += &format!("{DATA} {digest} {number} {} {} {text}\n", parts.len(), sum(text));
    }
    lines + &format!("{END} {digest}\n")
}

/// Cuts a text into pieces that fit a line. None ends with a space, which a log may lose.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > TEXT {
        let ends = || (1..=TEXT).rev().filter(|at| rest.is_char_boundary(*at));
        let at = ends().find(|at| rest.as_bytes()[at - 1] != b' ');
        // A text of nothing but spaces is cut anyhow: its block is lost where a log loses them.
        let at = at.or_else(|| ends().next()).expect("a character has four bytes at most");
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// The digest with which a block is written.
pub(crate) fn digest_of(block: &Block) -> String {
    digest(&serde_json::to_string(block).expect("a block is plain data"))
}

/// The digest of a whole document.
pub(crate) fn digest(json: &str) -> String {
    hex(&Sha256::digest(json))
}

/// The checksum of a line's text.
pub(crate) fn sum(text: &str) -> String {
    hex(&Sha256::digest(text)[..4])
}
