//! One file per suite.

pub mod footprint;
pub mod malloc;
pub mod startup;
pub mod stream;
pub mod strings;
pub mod threads;
