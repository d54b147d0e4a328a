//! The linker seam: compiler and linker drivers, recorded links and their replay.
//!
//! Brawn changes no compiler flag. It stands where the linker stands: the build system calls it with the arguments
//! of a link, it finds the `libc.a` which that link would have used, puts the overlay of it first on the search
//! path, calls the linker that would have been called, verifies what came out, and keeps a record from which the
//! same link can be done again with another overlay.
//!
//! | module | does |
//! |---|---|
//! | [`settings`] | flag, environment, package, workspace, user file, default: in this order |
//! | [`vars`] | every environment variable that Brawn reads |
//! | [`toolchain`] | finds rustc's folders and linkers |
//! | [`line`] | understands the arguments of a link |
//! | [`link`] | performs one link with an overlay |
//! | [`module`] | performs one of a shared library |
//! | [`linkers`] | says whether a recorded linker is one that would be chosen now |
//! | [`record`] | keeps what is needed to do a link again |
//! | [`replay`] | does it again |
//! | [`seam`] | is called by rustc in the linker's place |
//! | [`cargo`] | runs cargo with the seam in place |
//! | [`cc`] | is a C and C++ compiler for static musl executables |
//! | [`archiver`] | gives build scripts an archiver |
//! | [`progress`] | says that something takes long |
//! | [`libraries`] | finds C++'s runtime and an unwinder |
//! | `unfit` | says which library does not fit a link that failed |

pub mod archiver;
pub mod base;
pub mod cargo;
pub mod cc;
mod configured;
mod error;
mod home;
mod identity;
mod job;
pub mod kernel_headers;
pub mod libraries;
pub mod line;
pub mod link;
pub mod linkers;
pub mod module;
mod objects;
pub mod progress;
pub mod record;
pub mod replay;
mod report;
mod requirements;
pub mod runner;
pub mod seam;
mod serve;
pub mod settings;
pub mod toolchain;
mod unfit;
pub mod vars;

pub use error::Error;
