//! Why a candidate is out, while the others go on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What went wrong with one candidate. It is reported, never averaged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// It wanted more memory than it may have: in production it would have been killed.
    OverLimit {
        /// The limit, in bytes.
        limit: u64,
        /// Its peak, where it lived long enough to have one.
        peak: Option<u64>,
    },
    /// It ended otherwise than it should; what it said.
    Ended(String),
    /// It did not end within the time that the user gave, in seconds.
    TimedOut(f64),
    /// It was given up after so many seconds: many times as long as what is used now.
    TooSlow(f64),
    /// It printed something else than the others; where.
    Output(String),
    /// The user's check did not like its result; what that said.
    Check(String),
    /// A server that did not get ready, or did not stop; or its client failed.
    Service(String),
    /// It could not be linked.
    Link(String),
}

impl Failure {
    /// Whether the program itself is to blame, and not the limit of memory or time that it was held to.
    pub fn is_wrong(&self) -> bool {
        !matches!(self, Self::OverLimit { .. } | Self::TimedOut(_) | Self::TooSlow(_))
    }

    /// Whether it was waited for until there was no more time.
    pub fn is_wait(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::TooSlow(_) | Self::Service(_))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |bytes: u64| brawn_measure::format::bytes(bytes as f64);
        let seconds = brawn_measure::format::seconds;
        match self {
            Self::OverLimit { limit, peak: Some(peak) } if peak > limit => {
                write!(formatter, "would be killed: it took {}, the limit is {}", bytes(*peak), bytes(*limit))
            }
            // The kernel counts more than what is resident, and kills before the limit is passed.
            Self::OverLimit { limit, .. } => {
                write!(formatter, "would be killed: it wanted more than the limit of {}", bytes(*limit))
            }
            Self::TimedOut(limit) => write!(formatter, "did not end within {}", seconds(*limit)),
            Self::TooSlow(limit) => write!(formatter, "was given up after {}", seconds(*limit)),
            Self::Ended(text) | Self::Output(text) | Self::Check(text) | Self::Service(text) => {
                formatter.write_str(text)
            }
            Self::Link(text) => write!(formatter, "could not be linked: {text}"),
        }
    }
}
