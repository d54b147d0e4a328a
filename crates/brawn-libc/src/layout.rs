//! Whether a `libc.a` has the mallocng that the Brawn heap was written for.
//!
//! The front reads the headers of mallocng's blocks (`libc/malloc/brawn/layout.h`), and musl promises nobody that they
//! stay as they are. So before an overlay is made, what can be told from the archive is held against what is known:
//! the version, the table of size classes, and the sizes of mallocng's state and of musl's own record of the process.

use std::path::Path;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use crate::Error;
use crate::archive::{Archive, Member};
use crate::musl::{Musl, parse_version};

/// The symbol that tells an object which needs mallocng from one that replaces it.
const NEEDS_MALLOCNG: &str = "__malloc_context";

/// The versions whose sources were read.
const KNOWN: std::ops::RangeInclusive<(u32, u32, u32)> = (1, 2, 2)..=(1, 2, 6);

/// Slots are multiples of 16 bytes: `src/malloc/mallocng/malloc.c`.
const SIZE_CLASSES: [u16; 48] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 20, 25, 31, 36, 42, 50, 63, 72, 84, 102, 127, 146, 170, 204,
    255, 292, 340, 409, 511, 584, 682, 818, 1023, 1169, 1364, 1637, 2047, 2340, 2730, 3276, 4095, 4680, 5460,
    6552, 8191,
];

/// Sizes in bytes of hidden structures, on every 64-bit architecture.
const STRUCTURES: [(&str, u64); 2] = [("__malloc_context", 928), ("__libc", 104)];

/// Refuses an archive with another heap than the one that a front among `kit` was written for.
pub fn check(path: &Path, archive: &Archive<'_>, musl: &Musl, kit: &[Member<'_>]) -> Result<(), Error> {
    if !kit.iter().any(|member| member.needed.contains(&NEEDS_MALLOCNG)) {
        return Ok(());
    }
    let unknown = |what: String| Error::UnknownHeapLayout { path: path.to_owned(), what };
    if let Some(version) = &musl.version
        && !parse_version(version).is_some_and(|numbers| KNOWN.contains(&numbers))
    {
        return Err(unknown(format!("musl {version} is newer than the last one that is known, 1.2.6")));
    }
    let table: Vec<u8> = SIZE_CLASSES.iter().flat_map(|class| class.to_le_bytes()).collect();
    match find(archive, "__malloc_size_classes") {
        None => return Err(unknown("it has no mallocng".to_owned())),
        Some(found) if found.content.as_deref() != Some(&table) => {
            return Err(unknown("mallocng's size classes are not the known ones".to_owned()));
        }
        Some(_) => {}
    }
    for (name, size) in STRUCTURES {
        match find(archive, name) {
            Some(found) if found.size == size => {}
            Some(found) => return Err(unknown(format!("{name} has {} bytes instead of {size}", found.size))),
            None => return Err(unknown(format!("{name} is missing"))),
        }
    }
    Ok(())
}

struct Found {
    size: u64,
    /// `None` where the object holds no bytes for it.
    content: Option<Vec<u8>>,
}

/// The definition of a data symbol.
fn find(archive: &Archive<'_>, name: &str) -> Option<Found> {
    let member = archive.members.iter().find(|member| member.defines(name))?;
    let file = object::File::parse(member.data).ok()?;
    let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())?;
    let content = symbol.section_index().and_then(|index| {
        let section = file.section_by_index(index).ok()?;
        let start = usize::try_from(symbol.address()).ok()?;
        let end = start.checked_add(usize::try_from(symbol.size()).ok()?)?;
        section.data().ok()?.get(start..end).map(<[u8]>::to_vec)
    });
    Some(Found { size: symbol.size(), content })
}
