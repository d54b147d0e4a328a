//! `brawn tune`: the right allocator for a program, found by measuring it.

mod arguments;
mod clock;
mod load;
mod progress;
mod run;
mod subject;

pub use arguments::Arguments;
pub use brawn_measure::units;
pub use load::{Arguments as LoadArguments, run as run_load};
pub use run::run;
