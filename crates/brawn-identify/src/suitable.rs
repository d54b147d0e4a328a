//! Whether libc's functions can be looked for in a file at all.

use brawn_elf::inspection::{Kind, LibcName};
use brawn_elf::{Arch, Image};
use memchr::memmem;
use object::elf;

use crate::Error;

/// The architecture of an executable that may have musl in it.
pub fn suitable(image: &Image<'_>) -> Result<Arch, Error> {
    let arch = Arch::from_elf_machine(image.machine).filter(|_| image.is_64);
    let little = image.endian == object::Endianness::Little;
    let arch = arch.filter(|_| little).ok_or_else(|| {
        let bits = if image.is_64 { 64 } else { 32 };
        Error::Architecture { found: format!("ELF machine {} ({bits} bits)", image.machine) }
    })?;
    if image.segments.iter().any(|segment| segment.kind == elf::PT_INTERP.0) {
        return Err(Error::Dynamic { found: "dynamically linked".into() });
    }
    match elf::FileType(image.file_type) {
        elf::ET_EXEC | elf::ET_DYN => Ok(arch),
        elf::ET_REL => Err(Error::Dynamic { found: "an object file".into() }),
        _ => Err(Error::Dynamic { found: "no executable".into() }),
    }
}

/// Why nothing was found in an executable.
pub fn why_nothing(image: &Image<'_>) -> Error {
    // UPX writes it at the start of what it has packed, and at the end.
    let head = &image.data[..image.data.len().min(4096)];
    if memmem::find(head, b"UPX!").is_some() {
        return Error::Packed { packer: "UPX" };
    }
    let inspection = match brawn_elf::inspect(image.data) {
        Ok(inspection) => inspection,
        Err(error) => return Error::Elf(error),
    };
    if matches!(inspection.kind, Kind::Dynamic | Kind::DynamicPie | Kind::SharedObject) {
        return Error::Dynamic { found: format!("a {} file", inspection.kind.name()) };
    }
    match inspection.libc.name {
        LibcName::Musl | LibcName::Unknown => Error::Nothing,
        LibcName::None => Error::NotMusl { found: "it has none (Go without cgo)".into() },
        other => Error::NotMusl { found: format!("it is {}", other.name()) },
    }
}
