//! What every crate of Brawn needs.
//!
//! * [`Diagnostic`] is what every error says beside its message; [`Code`] is the list of exit codes. [`errors!`] declares such types.
//! * [`names`] says which name was meant by one that does not exist.
//! * [`text`] makes text from outside visible: nothing in it can steer a terminal or forge a line.
//! * [`temporary`] names and locks what is being written, so that leftovers of killed processes are known.
//! * [`hint_of_writing`] says what to do about a full disk and the like.
//! * [`named!`] makes enumerations whose values have names.
//! * [`file`] opens regular files only, looks at their first bytes first, and reads no more than a limit.

mod diagnostic;
mod errors;
pub mod file;
mod named;
pub mod names;
mod room;
pub mod temporary;
pub mod text;

pub use diagnostic::{Asked, Code, Diagnostic};
pub use errors::Hint;
pub use room::hint_of_writing;
