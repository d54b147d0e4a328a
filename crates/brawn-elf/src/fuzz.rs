//! Everything that looks into an ELF file, for a fuzzer: bytes in, no panic out.

use crate::inspect::{look, look_closer};
use crate::{Expectation, Image, Inspection, crates, verify};

/// What [`inspect`](crate::inspect()), [`verify`](crate::verify()) and [`recorded_crates`](crate::recorded_crates) do, with
/// one look for all of them.
pub fn executable(data: &[u8]) -> Option<Inspection> {
    let image = Image::parse(data).ok()?;
    let _ = crates::info(&image);
    let looked = look(&image);
    let _ = verify::report(data, &Expectation::default(), looked.as_ref());
    Some(look_closer(&image, looked.ok()?.0))
}
