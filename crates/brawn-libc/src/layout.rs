//! Whether a `libc.a` has the mallocng that the Brawn heap was written for.
//!
//! The front reads the headers of mallocng's blocks (`crates/brawn-kit/libc/malloc/brawn/layout.h`), and musl promises no one that they
//! stay as they are. So before an overlay is made, what can be told from the archive is held against what is known:
//! the version, the table of size classes, the sizes of mallocng's state, of its lock and of musl's own record of the
//! process, and by whose functions that lock is taken.

use std::path::Path;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use crate::Error;
use crate::archive::{Archive, Member};
use crate::musl::{Musl, parse_version};

/// The symbol that tells an object which needs mallocng from one that replaces it.
const NEEDS_MALLOCNG: &str = "__malloc_context";

/// The versions whose sources were read.
const KNOWN: std::ops::RangeInclusive<(u32, u32, u32)> = (1, 2, 2)..=(1, 2, 6);

/// Sizes in bytes of hidden structures, on every 64-bit architecture.
const STRUCTURES: [(&str, u64); 3] = [("__malloc_context", 928), ("__libc", 104), ("__malloc_lock", 4)];

/// Those who change mallocng's state, which the front does as well and under the same lock.
const LOCKING: [&str; 2] = ["__libc_malloc_impl", "__libc_free"];

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
    let table: Vec<u8> =
        brawn_elf::mallocng_size_classes().iter().flat_map(|class| class.to_le_bytes()).collect();
    match find(archive, "__malloc_size_classes") {
        None if !archive.mentions("malloc") => {
            return Err(Error::HeapElsewhere { path: path.to_owned(), arch: musl.arch });
        }
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
    for function in LOCKING {
        let locks =
            |member: &Member<'_>| ["__lock", "__unlock"].iter().all(|name| member.needed.contains(name));
        if !archive.owner(function).is_some_and(locks) {
            return Err(unknown(format!("{function} does not take musl's lock")));
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
