//! One file per suite.

pub mod threads;
