//! Makes overlays: musl archives in which the kit has replaced what is slow.
//!
//! The way from a user's `libc.a` to an overlay is a line of small steps, one module each:
//!
//! 1. [`archive`] reads the archive and the symbols of every member;
//! 2. [`musl`] says whether this is a musl that Brawn knows, or why not;
//! 3. [`choice`] is what shall go in: preset, allocator, knobs;
//! 4. [`plan`] decides by symbol which members go, stay and come, and proves that the result is whole;
//! 5. [`overlay`] writes it, deterministically, and [`cache`] keeps it by its content;
//! 6. [`patch`] does the same in place, and back.
//!
//! [`module`] makes what a shared library takes along instead.
//! [`atomic`] writes files that appear whole or not at all; [`trust`] says whose a file is.

pub mod archive;
pub mod atomic;
pub mod cache;
pub mod choice;
mod digest;
mod error;
mod layout;
pub mod module;
pub mod musl;
pub mod overlay;
pub mod patch;
pub mod plan;
mod redirect;
pub mod trust;

pub use cache::Cache;
pub use choice::{Choice, LEVEL_KNOB, Malloc, PRESETS, Preset};
pub use digest::sha256_hex;
pub use error::Error;
pub use overlay::{Manifest, Overlay};
