//! Looks into ELF executables: what is linked, which heap, and whether it keeps Brawn's promises.
//!
//! - [`note`]: what Brawn writes into every executable about its making, and how it is read back.
//! - [`inspect()`]: what is inside any ELF executable.
//! - [`verify()`]: whether an executable keeps what its note says.
//! - [`Image`]: the headers of an ELF file, read once, whatever its class and byte order.
//!
//! Every function here takes bytes that anybody may have made. None panics, none loops for longer than the
//! input is long, and none allocates more than a small multiple of it.

mod arch;
mod callers;
mod code;
mod cpu;
mod crates;
mod dynamic;
mod embedded;
mod error;
mod expectation;
#[doc(hidden)]
pub mod fuzz;
mod heap;
mod image;
mod inspect;
pub mod inspection;
pub mod note;
pub mod obfuscated;
mod property;
mod redirect;
mod report;
#[cfg(test)]
#[path = "../tests/common/schema.rs"]
mod schema;
mod signature;
mod symbols;
mod verdict;
mod verify;

pub use arch::Arch;
pub use cpu::{Cpu, CpuEvidence, CpuLevel};
pub use crates::{Crate, recorded_crates};
pub use error::Error;
pub use expectation::{Expectation, Requirement, SecondHeap};
pub use heap::{Evidence, EvidenceKind, Heap, Role};
pub use image::{Image, Section, Segment, Symbol};
pub use inspect::{inspect, overview};
pub use inspection::Inspection;
pub use note::{
    BrawnNotes, FUNCTIONS, Graft, HeapFacts, KNOB, LinkId, Note, PROGRAM, Piece, add_note_section,
    link_note_object, read_notes,
};
pub use redirect::{define_needed, hide_definitions, redirect_calls, rename_definitions};
pub use report::{Code, Problem, Report};
pub use signature::{constant_data, mallocng_size_classes};
pub use verify::{STOCK, verify};
