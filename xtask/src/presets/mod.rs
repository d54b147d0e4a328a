//! `make presets`: the search behind the presets. Candidates and cases are lines of `candidates.txt`; `brawn bench` measures
//! them side by side, a run for each line, and here they are put together and judged.

mod candidates;
mod pages;
pub(crate) mod picture;
mod search;
mod standing;
mod start;

pub use search::{Search, run};
