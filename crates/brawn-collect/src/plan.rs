//! What was planned: which candidates, on which pools, how often.

use std::collections::BTreeMap;

use brawn_tune::Goal;
use serde::{Deserialize, Serialize};

/// Version of the form in which plan, blocks and answers are kept; it grows when a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// What a fleet was asked to measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Plan {
    /// Short name, a DNS label in lower case; the value of the owner label.
    pub id: String,
    /// When it was made, as a date of RFC 3339.
    pub created: String,
    /// The program's name for people.
    pub program: String,
    /// What the program shall be good at.
    #[cfg_attr(test, schemars(with = "String"))]
    pub goal: Goal,
    /// Name of the candidate that is used now.
    pub reference: String,
    /// What is compared.
    pub candidates: Vec<PlanCandidate>,
    /// Where it is compared.
    pub pools: Vec<PlanPool>,
    /// Where every random order comes from.
    pub seed: u64,
    /// The image with all candidates, by its digest; none without containers.
    #[serde(default)]
    pub image: Option<String>,
}

/// One executable with its settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanCandidate {
    /// Short name, unique among all.
    pub name: String,
    /// Where the executable is in the image.
    pub image_path: String,
    /// SHA-256 of the executable, in hexadecimal digits.
    pub digest: String,
    /// Environment variables that it is run with.
    #[serde(default)]
    pub knobs: BTreeMap<String, String>,
}

/// One kind of node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanPool {
    /// Short name, unique among all.
    pub name: String,
    /// Blocks that are to be measured, with the indexes from 0 on.
    pub blocks: u32,
    /// Labels that choose the nodes.
    #[serde(default)]
    pub selector: BTreeMap<String, String>,
    /// Architecture of the nodes, as the kernel calls it.
    #[serde(default)]
    pub arch: Option<String>,
    /// Cores that a pod is given.
    #[serde(default)]
    pub cores: Option<f64>,
    /// Memory that a pod may hold, in bytes.
    #[serde(default)]
    pub memory: Option<u64>,
    /// How many copies of the program the pool runs.
    #[serde(default)]
    pub replicas: Option<u64>,
    /// How many nodes the pool has, where that is a fixed number: with it, a small pool that was measured as a whole is
    /// not taken for a sample of a larger one.
    #[serde(default)]
    pub nodes: Option<u32>,
}

impl Plan {
    /// The pool with this name.
    pub fn pool(&self, name: &str) -> Option<&PlanPool> {
        self.pools.iter().find(|pool| pool.name == name)
    }

    /// The candidate with this name.
    pub fn candidate(&self, name: &str) -> Option<&PlanCandidate> {
        self.candidates.iter().find(|candidate| candidate.name == name)
    }
}
