//! `brawn init`: what a project needs to build with Brawn.
//!
//! A [`Project`] is looked at, never changed by that. [`plan`] says what would be written into it and [`undo`] what would be
//! taken out, as [`Change`]s that hold the bytes before and after; [`apply`] makes all of them or none. What is written
//! carries a mark with the digest of its own text, so that it is known again, and known to be untouched: nothing else in
//! the project is ever changed or removed.
//!
//! | module | does |
//! |---|---|
//! | [`project`] | which build system, and which executable |
//! | `recipe` | how each build system builds with Brawn |
//! | `part` | the files, made of a recipe |
//! | `mark` | what shows that a text is ours and untouched |
//! | `plan` | changes, and making them |

pub mod project;

mod error;
mod mark;
mod part;
mod plan;
mod recipe;

pub use error::Error;
pub use part::Part;
pub use plan::{Action, Change, Report, SCHEMA_VERSION, apply, plan, undo};
pub use project::{Kind, Project};
