//! What every crate of Brawn needs.
//!
//! * [`text`] makes text from outside visible: nothing in it can steer a terminal or forge a line.
//! * [`file`] opens regular files only, looks at their first bytes first, and reads no more than a limit.

pub mod file;
pub mod text;
