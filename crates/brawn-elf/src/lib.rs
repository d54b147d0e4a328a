//! Looks into ELF executables: what is linked, which heap, and whether it keeps Brawn's promises.

mod arch;

pub use arch::Arch;
