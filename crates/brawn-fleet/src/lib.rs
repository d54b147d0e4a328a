//! The same comparison on every kind of machine that a program runs on, by engines that exist.
//!
//! A [`Spec`](spec::Spec) says what is compared and where; a [`Fleet`](fleet::Fleet) is planned from it, with the nodes that
//! there are. On each pool the same [`Task`](task::Task) is done many times: a [block](mod@block) runs every candidate once on
//! one machine, and prints what came of it. An [engine] starts blocks, and tells how far they are.
//!
//! | module | does |
//! |---|---|
//! | [`spec`] | `fleet.toml` |
//! | [`nodes`], [`fleet`], [`rehearsal`] | what there is, what will run, whether it can |
//! | [`task`], [`mod@block`] | one block, wherever it runs |
//! | [`last_words`] | what is left of a block that was killed |
//! | [`pack`] | executables and files, as an image or an archive |
//! | [`manifest`], [`kubectl`] | jobs as Kubernetes reads them, and who carries them |
//! | [`engine`] | Kubernetes, ssh, Slurm |
//! | [`record`] | what later commands must know of a fleet |

pub mod block;
pub mod engine;
mod error;
pub mod fleet;
mod guard;
pub mod kubectl;
pub mod last_words;
pub mod manifest;
pub mod nodes;
pub mod pack;
pub mod record;
pub mod rehearsal;
pub mod spec;
pub mod task;
mod tool;

pub use error::Error;
