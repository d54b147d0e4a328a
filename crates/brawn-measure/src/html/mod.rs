//! The report: one page that needs no other file and no network, with every figure inside.

mod page;

pub use page::page;
