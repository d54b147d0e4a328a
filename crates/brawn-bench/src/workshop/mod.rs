//! The workshop: builds each program once for every libc, links it once for every variant, and keeps both.
//!
//! Everything lies in one folder, `<cache>/bench` unless told otherwise, under names that are digests of what went in:
//! the source, the compiler, the flags. So nothing is built twice, and a changed source or compiler is noticed. What
//! is linked for a musl variant is kept until the `brawn` that links is another one.
//!
//! | file | builds |
//! |---|---|
//! | `rust.rs` | a single Rust file: all workloads of our own |
//! | `c.rs` | a C program from its sources |
//! | `make.rs` | a C program with a build system of its own |
//! | `package.rs` | a Rust package of our own that stands on crates |
//! | `install.rs` | a package of the crate registry |
//! | `own_tests.rs` | the same programs, for their own tests |
//! | `source.rs` | nothing: fetches pinned archives and crates, and checks them |
//! | `slot.rs` | one folder per digest, built once |
//! | `link.rs` | the variants of a program |
//! | `process.rs` | runs a step and keeps what it said |

mod c;
mod install;
mod link;
mod make;
mod own_tests;
mod package;
mod place;
mod process;
mod rust;
mod slot;
mod source;

pub use c::CProgram;
pub use install::Install;
pub use link::{Builder, Programs};
pub use make::Made;
pub use own_tests::unpacked_crate;
pub use place::Workshop;
pub use slot::Slot;
pub use source::{Origin, Source};
