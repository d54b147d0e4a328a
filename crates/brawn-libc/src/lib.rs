//! Makes overlays: musl archives in which the kit has replaced what is slow.
//!
//! The way from a user's `libc.a` to an overlay is a line of small steps, one module each:
//!
//! 1. [`archive`] reads the archive and the symbols of every member;
//! 2. [`musl`] says whether this is a musl that Brawn knows, or why not;
//! 3. [`choice`] is what shall go in: preset, allocator, knobs;
//! 4. [`plan`] decides by symbol which members go, stay and come, and proves that the result is whole;
//! 5. [`overlay`] writes it, deterministically, into a cache that is keyed by content;
//! 6. [`patch`] does the same in place, and back.

pub mod archive;
mod atomic;
pub mod choice;
mod digest;
mod error;
mod layout;
pub mod musl;
pub mod overlay;
pub mod patch;
pub mod plan;
mod redirect;

pub use choice::{Choice, LEVEL_KNOB, Malloc, PRESETS, Preset};
pub use digest::sha256_hex;
pub use error::{Error, nearest};
pub use overlay::{Cache, Manifest, Overlay};
