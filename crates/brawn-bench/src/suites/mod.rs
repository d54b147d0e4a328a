//! One file per suite.

pub mod exporter;
pub mod footprint;
pub mod jvm;
pub mod malloc;
pub mod nginx;
pub mod programs;
pub mod startup;
pub mod stream;
pub mod strings;
pub mod threads;
pub mod wasmtime;

mod server;
