//! The kit: the compiled objects that Brawn puts into a `libc.a`.
//!
//! The build script compiles one relocatable object per allocator and architecture (`brawn-kit-build`), and this
//! crate carries them: for the architecture that it is compiled for, and for those that its features add ([`ARCHES`]). Everything in an object is local except the malloc family, so that it can stand in any
//! `libc.a` and beside any other copy of the same allocator. `docs/reference/kit.md` tells which flags each is built
//! with and why.

mod allocator;
mod functions;
mod knobs;
mod library;
mod names;
mod object;
mod packed;
mod strings;

pub use allocator::{Allocator, TRACE, allocator, allocators};
pub use functions::{BEHIND, Family, Functions, behind, functions};
pub use knobs::{KNOBS_SIZE, Knob, Knobs};
pub use library::{Library, library, library_names};
pub use names::{Names, names};
pub use object::Object;
pub use packed::Packed;
pub use strings::{
    Cpu, LEVEL_MEMBER, Level, START, START_MEMBER, START_OF_MUSL, Strings, level_names, strings,
};

/// The version of the kit, which is the version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

include!(concat!(env!("OUT_DIR"), "/kit.rs"));
