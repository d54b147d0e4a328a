//! One file per suite.

mod exporter;
pub mod footprint;
pub mod jvm;
pub mod malloc;
pub mod nginx;
mod programs;
pub mod startup;
pub mod stream;
pub mod strings;
pub mod threads;
pub mod wasmtime;

mod server;
