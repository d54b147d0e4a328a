//! Programs of others, as `check` and the runner of `bench` and `tune` run them.
//!
//! - [`stops`] and [`call`]: following a program by `ptrace`, from stop to stop.
//! - [`Family`]: everything that a run starts, and the end of all that is left of it.
//! - [`Group`]: a control group of our own.
//! - [`Scratch`]: a folder that a program may do anything to, and that is removed all the same.

pub mod call;
mod family;
mod group;
mod scratch;
pub mod stops;

pub use family::{Family, Launch, Started, can_group};
pub use group::Group;
pub use scratch::Scratch;
