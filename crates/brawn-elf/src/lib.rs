//! Looks into ELF executables: what is linked, which heap, and whether it keeps Brawn's promises.
//!
//! - [`note`]: what Brawn writes into every executable about its making, and how it is read back.
//! - [`Image`]: the headers of an ELF file, read once, whatever its class and byte order.
//!
//! Every function here takes bytes that anybody may have made. None panics, none loops for longer than the
//! input is long, and none allocates more than a small multiple of it.

mod arch;
mod error;
mod image;
pub mod note;

pub use arch::Arch;
pub use error::Error;
pub use image::{Image, Section, Segment, Symbol};
pub use note::{BrawnNotes, LinkId, Note, add_note_section, link_note_object, read_notes};
