//! The objects among a link's inputs, and what they define.

use std::collections::BTreeSet;

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSymbol as _};

/// An archive's members, or the one object that the bytes are. What cannot be read is left out: the linker reports it.
pub(crate) fn of(bytes: &[u8]) -> Vec<&[u8]> {
    match ArchiveFile::parse(bytes) {
        Ok(archive) => archive.members().flatten().filter_map(|member| member.data(bytes).ok()).collect(),
        Err(_) => vec![bytes],
    }
}

/// The global definitions of an object.
pub(crate) fn defined(object: &[u8]) -> BTreeSet<String> {
    let Ok(file) = object::File::parse(object) else { return BTreeSet::new() };
    let defined = file.symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}
