//! Minimal OCI images of static executables, made without a daemon, without root and without a network.
//!
//! 1. [`Executable`] reads what is to run, and for which platform it is;
//! 2. [`contents`] are the few files that a program may want besides: certificates, time zones, users, `/tmp`;
//! 3. [`layer`] makes tar archives of them, the same ones on every machine;
//! 4. [`build`] puts layers, configuration and manifest together, on top of a [`Base`] if there is one, and several
//!    platforms into one index: a [`Bundle`];
//! 5. [`sink`] writes the bundle: a layout directory, one tar archive, a registry;
//! 6. [`sbom`] says what is inside, for scanners;
//! 7. [`check()`] reads an image back and believes nothing: digests, sizes, media types, diff IDs.
//!
//! Everything that is read here (layouts, archives, answers of registries) may have been made by anybody.

pub mod base;
mod blob;
mod build;
mod bundle;
pub mod check;
pub mod compress;
pub mod contents;
pub mod dockerfile;
mod epoch;
mod error;
mod executable;
mod json;
pub mod layer;
pub mod limits;
mod name;
mod package;
mod platform;
pub mod registry;
mod room;
pub mod sbom;
pub mod settings;
pub mod sink;
pub mod store;
#[doc(hidden)]
pub mod tarball;
mod vcs;

pub use base::Base;
pub use blob::{Blob, Content};
pub use build::{Beside, Parts, Request, build, warnings};
pub use bundle::{Bundle, Image};
pub use check::check;
pub use compress::Compression;
pub use contents::Part;
pub use epoch::Epoch;
pub use error::Error;
pub use executable::Executable;
pub use package::Package;
pub use platform::Platform;
pub use settings::Settings;
pub use store::Store;
