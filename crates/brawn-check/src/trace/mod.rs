//! Watches what a program looks for, by `ptrace`.

mod calls;
mod watch;

pub use calls::{Access, Operation};
pub(crate) use watch::{Watched, watch};
