//! The tests of the program that generates the module of the suite `wasmtime`. It is built by the suite, alone.

// A workload needs no more than the standard library for its files.
#![allow(clippy::disallowed_methods, dead_code)]

#[path = "../workloads/module/src/main.rs"]
mod module;
