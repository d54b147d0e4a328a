//! Runs variants of a program side by side and measures time, CPU and memory.
//!
//! The rules that make a comparison worth something are built in, so that no suite has to remember them:
//!
//! * all variants run in one session, interleaved in blocks: a block holds each variant once, in random order, so that
//!   a machine that grows slow for a minute slows all of them. The seed is part of the result;
//! * what the variants print is compared run by run, and a difference ends the session: time that was spent on
//!   another answer counts for nothing;
//! * memory is the peak of the process as the kernel saw it when the process ended ([`probe`]), not `ru_maxrss`, which
//!   for a small program is the size of the process that started it;
//! * raw samples are kept, and summaries are medians with the range and a bootstrap interval beside them
//!   ([`statistics`]).
//!
//! A suite describes [`Variant`]s, hands them to a [`Session`], and turns the [`Outcome`] into the cases of a results
//! document by [`RowSpec`]s.

pub mod compare;
pub mod date;
pub mod export;
pub mod figure;
pub mod format;
pub mod html;
pub mod limits;
pub mod machine;
pub mod noise;
pub mod pace;
pub mod probe;
pub mod results;
pub mod service;
pub mod statistics;
pub mod table;
pub mod units;

mod document;
mod error;
mod means;
mod outcome;
mod output;
mod plan;
mod session;
mod variant;

pub use document::{DocumentError, write_whole};
pub use error::Error;
pub use figure::{Figure, RowSpec};
pub use machine::Machine;
pub use means::Mean;
pub use outcome::{Measured, Outcome, Stop};
pub use output::{Output, Reference};
pub use probe::{Conditions, Exit, Sample};
pub use session::{Progress, Session};
pub use statistics::Summary;
pub use table::Table;
pub use variant::{Reader, Ready, Service, Variant};
