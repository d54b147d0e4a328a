//! What does this machine have and lack?
//!
//! Each of the [`CHECKS`] looks at one thing by trying it, where it can be tried, and answers with its state, what a lack of it
//! costs, and the command that cures it. A new check is one file in `checks/` and one line in [`CHECKS`].

mod checks;
mod finding;

pub use checks::{CHECKS, Check, login_files};
pub use finding::{Finding, Report, SCHEMA_VERSION, State};

/// Looks at everything.
pub fn examine() -> Report {
    Report::new(CHECKS.iter().map(|(name, look)| look().named(name)).collect())
}
