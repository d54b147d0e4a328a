//! What does a program need besides itself?
//!
//! - [`needs()`]: what an executable shows by its symbols and texts, stripped or not, without running it.
//! - [`Need`]: everything that can be found wanting, and which part of an image ([`Content`]) answers it.
//! - [`configure::add_contents`]: writes the answer into a `Cargo.toml`.

mod clues;
pub mod configure;
mod content;
mod error;
mod need;
mod needs;
mod paths;

pub use content::Content;
pub use error::Error;
pub use need::{Need, Provider};
pub use needs::{Found, Needs, Strength, needs};
