//! The tests of the program that uses servers: it reads the reports of load generators. It is built by the suites, alone.

// A workload has nothing but the standard library.
#![allow(clippy::disallowed_methods, dead_code)]

#[path = "../workloads/client/client.rs"]
mod client;
