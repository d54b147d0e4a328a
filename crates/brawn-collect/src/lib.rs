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

pub mod block;
pub mod log;
pub mod plan;

mod frame;

#[cfg(test)]
mod schema;
