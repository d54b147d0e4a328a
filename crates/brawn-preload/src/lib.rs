//! The kit's allocators as shared libraries, for programs that load their libc at run time and are not ours to link
//! again.
//!
//! - [`library`]: from a choice of allocator and knobs to the bytes of a library, and to a file;
//! - [`program`]: which libc a program will load, and why it may take no library at all.

mod error;
pub mod library;
pub mod program;

pub use error::Error;
pub use library::{Libc, Library};
pub use program::Program;
