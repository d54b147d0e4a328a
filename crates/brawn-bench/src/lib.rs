//! The standard suites of `brawn bench`, and what they stand on.
//!
//! A suite is one file in `suites/` (and, where it has programs of its own, one folder in `workloads/`) and one name in
//! [`registry`]. It asks the [`Workshop`] for programs: each is compiled once for every
//! libc, and linked once for every [`Flavour`] by doing the recorded link again with another `libc.a`, so that two musl
//! variants differ in their libc and in nothing else. What it hands back are [`Case`]s: commands to run side by side, and
//! the figures that become rows. The [`runner`] runs them.
//!
//! | module | does |
//! |---|---|
//! | [`builds`] | compares builds of the user's own program |
//! | [`flavour`] | the variants that can be compared, by name |
//! | [`workshop`] | builds programs once, links them per variant, keeps both by content |
//! | [`suite`] | what a suite is |
//! | [`case`] | what comes of one |
//! | `prepare` | makes cases of a suite |
//! | `rows` | the figures that a suite's cases show |
//! | `programs` | the programs that a suite names |
//! | `inputs` | what programs work on, and how their answers are checked |
//! | [`registry`] | the list of suites |
//! | [`published`] | what others published |
//! | [`runner`] | runs suites |
//! | [`output`] | writes results in every form |

pub mod builds;
pub mod case;
pub mod flavour;
pub mod output;
pub mod published;
pub mod registry;
pub mod runner;
pub mod suite;
pub mod workshop;

mod error;
mod inputs;
mod jvm;
mod prepare;
mod programs;
mod rows;
mod texts;
mod words;
mod workloads;

pub use brawn_measure::figure::{Figure, RowSpec};
pub use case::{Case, Context, Options, Prepared};
pub use error::Error;
pub use flavour::Flavour;
pub use registry::suites;
pub use suite::Suite;
pub use workshop::{Programs, Workshop, unpacked_crate};
