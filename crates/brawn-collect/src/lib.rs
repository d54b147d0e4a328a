//! Collects what a fleet measured, and answers with one recommendation for each pool of nodes.
//!
//! A fleet is many machines that each measure a [`Block`](block::Block): all candidates once, on one node. Blocks
//! arrive in logs.
//!
//! | module | does |
//! |---|---|
//! | [`plan`] | what was to be measured |
//! | [`block`] | one block, and how it is written into a log |
//! | [`log`] | blocks out of any log, and which ones were lost |
//! | [`source`] | where logs come from, and collecting them |
//! | [`kept`] | the one file in which a fleet is kept |
//! | [`answer`], [`pool`], `decide` | what each pool should run, and all together |
//! | [`report`], [`prices`], [`patch`], [`page`] | the answer for people, in money, for a workload, and with pictures |
//! | [`prometheus`], [`canary`], [`experiment`] | figures over time, their judgement, and what gathers them |
//! | [`estimate`], [`power`] | ratios with intervals, and how many blocks these need: arithmetic only |

pub mod answer;
pub mod block;
pub mod canary;
pub mod estimate;
pub mod experiment;
pub mod kept;
pub mod log;
pub mod page;
pub mod patch;
pub mod plan;
pub mod pool;
pub mod power;
pub mod prices;
pub mod prometheus;
pub mod report;
pub mod source;

mod decide;
mod error;
mod frame;
mod notes;

pub use answer::Answer;
pub use error::Error;
pub use kept::Kept;

#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod schema;
