//! Two documents of results, row by row: what grew better, what grew worse, and whether that is more than noise.

mod change;
mod comparison;
mod gate;
mod show;

pub use change::{Change, Interval, Verdict};
pub use comparison::{Basis, CompareError, Comparison, Options, compare};
pub use gate::{Failure, Gate, GateError};
