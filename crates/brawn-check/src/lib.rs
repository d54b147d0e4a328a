//! What does a program need besides itself?
//!
//! - [`needs()`]: what an executable shows by its symbols and texts, stripped or not, without running it.
//! - [`Need`]: everything that can be found wanting, and which part of an image ([`Content`]) answers it.
//! - [`run()`]: runs a program in a root that holds nothing but what an image would, and watches what it looks for.
//! - [`judge()`]: what follows from both.
//! - [`configure::add_contents`]: writes the answer into a `Cargo.toml`.
//! - [`doctor`]: what a machine has and lacks for Brawn.

mod clues;
pub mod configure;
mod content;
pub mod doctor;
mod entry;
mod error;
mod judge;
mod need;
mod needs;
mod paths;
mod report;
mod root;
mod run;
mod sandbox;
#[cfg(test)]
#[path = "../tests/common/schema.rs"]
mod schema;
mod trace;

pub use content::Content;
pub use entry::{Entries, Entry, Kind};
pub use error::Error;
pub use judge::judge;
pub use need::{Need, Provider, Strength};
pub use needs::{Found, Needs, needs};
pub use report::{Finding, Grade, Report, SCHEMA_VERSION, Severity};
pub use run::{End, NONROOT, Program, Run, can_trace, run, run_by, ways};
pub use sandbox::How;
pub use trace::{Access, Operation};
