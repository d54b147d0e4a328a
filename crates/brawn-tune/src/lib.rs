//! Finds the right allocator for a program by measuring it.
//!
//! A [`Job`](job::Job) is the work that every candidate does. A [`Search`](tune::Search) runs candidates in rounds:
//! the allocators, then knobs of the best ones, then a last round of those that are left, with blocks that took no part
//! in choosing them. In every round the candidates run interleaved, and a candidate that is certainly worse leaves early
//! ([`race`]). [`verdict`] decides, by rules that hold "nothing is certainly better" for an answer like any other.
//!
//! | module | does |
//! |---|---|
//! | [`goal`] | what a run costs |
//! | [`setting`], [`space`] | what there is to choose from |
//! | [`candidate`], [`links`] | executables, linked again without compiling |
//! | [`job`], [`runner`], [`load`] | the work, one run of it, and the load on a server |
//! | [`race`], [`tune`], [`verdict`], [`front`] | the search and its answer, arithmetic only |
//! | [`state`] | what was measured, kept while it runs |
//! | [`trace`] | what the program allocates, counted in a run of its own |
//! | [`explain`], [`answer`], [`document`] | why, in words, in JSON, in Markdown and in the form of `bench` |
//! | [`apply`] | writes the answer into a manifest |

pub mod answer;
pub mod apply;
pub mod candidate;
pub mod document;
mod error;
pub mod explain;
pub mod failure;
pub mod front;
pub mod goal;
pub mod job;
pub mod links;
pub mod load;
mod pace;
pub mod race;
pub mod runner;
pub mod setting;
pub mod space;
pub mod state;
pub mod trace;
pub mod tune;
pub mod verdict;

pub use error::Error;
pub use goal::Goal;
pub use tune::Stage;
