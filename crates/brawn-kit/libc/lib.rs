//! Where the sources lie that `brawn-kit` and `brawn-heap` compile: this folder.

/// The folder, absolute.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
