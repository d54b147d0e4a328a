//! What is run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::race::Role;
use crate::setting::Setting;

/// An executable, and what it carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Short name, unique among all.
    pub name: String,
    /// What it is in the race for.
    pub role: Role,
    /// What it was linked with; none for an executable that was brought along.
    pub setting: Option<Setting>,
    /// Where it is; none until it is linked.
    #[serde(skip)]
    pub program: Option<PathBuf>,
    /// Variables that it alone has in its environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
}

impl Candidate {
    /// A candidate that can be linked.
    pub fn linked(role: Role, setting: Setting) -> Self {
        Self { name: setting.name(), role, setting: Some(setting), program: None, env: Vec::new() }
    }

    /// An executable as it is.
    pub fn executable(name: impl Into<String>, role: Role, program: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), role, setting: None, program: Some(program.into()), env: Vec::new() }
    }
}
