//! What is said about a program: findings, and how much each matters.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Content, Found, Need, Run};

/// The version of the JSON form. It grows when a field changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that is known about whether a program runs in an empty root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The version of this form: 1.
    pub schema_version: u32,
    /// Whether no finding is an error.
    pub ok: bool,
    /// Parts of an image that the root had.
    pub with: BTreeSet<Content>,
    /// Parts that it should have besides.
    pub missing: BTreeSet<Content>,
    /// What follows, the most important first.
    pub findings: Vec<Finding>,
    /// What the executable shows without running.
    pub shows: Vec<Found>,
    /// The run; none when it was not run.
    pub run: Option<Run>,
}

/// Something worth saying.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name: that of a need, or `dynamic-executable`, `wrong-architecture`, `new-processor`, `illegal-instruction`,
    /// `failed`, `missing-file`, `cannot-write`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// How much the program needs what this is about; none when it is about no need.
    #[serde(default)]
    pub grade: Option<Grade>,
    /// Whether the run showed it; false when only the file does, or it was not run.
    #[serde(default)]
    pub in_run: bool,
    /// What is so.
    pub message: String,
    /// How it is known.
    pub evidence: Vec<String>,
    /// The part of an image that provides it.
    pub content: Option<Content>,
    /// What else to do about it.
    pub hint: Option<String>,
}

/// How much a program needs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// It looked for this, found none, and failed.
    Required,
    /// It looked for this, found none, and went on; or it was not run, and the code that would use it is there.
    Probable,
    /// It found this, does without, or may use it another time.
    Optional,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It does not run, it failed, or it failed without something that an image can hold.
    Error,
    /// It looked for something that is not there, or may want it.
    Warning,
    /// Good to know.
    Info,
}

impl Finding {
    /// Something that is so; evidence, hint and the like are for the caller to add.
    pub(crate) fn new(code: &str, severity: Severity, message: impl Into<String>) -> Finding {
        Finding {
            code: code.to_owned(),
            severity,
            grade: None,
            in_run: false,
            message: message.into(),
            evidence: Vec::new(),
            content: None,
            hint: None,
        }
    }

    /// The need that it is about, if any.
    pub fn need(&self) -> Option<Need> {
        self.grade.and_then(|_| Need::ALL.into_iter().find(|need| need.name() == self.code))
    }
}
