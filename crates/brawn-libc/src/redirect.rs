//! A heap that keeps musl's mallocng behind it is asked in its place: for pages (`crates/brawn-kit/libc/malloc/brawn/pages.h`), for the lock,
//! and by `fork`. mallocng calls `mmap` and `munmap` by names that everyone uses, and `fork` has a stand-in by the name of
//! mallocng's handler, so in these members, and in no others, those calls are led elsewhere. Where a kit has no such
//! functions, or a libc.a no such calls, everything stays as it is.

use std::collections::HashMap;
use std::path::Path;

use crate::Error;
use crate::archive::{Archive, Member};

/// Members by what they define; what such a member calls, and what takes its place.
const CALLS: [(&str, &[(&str, &str)]); 4] = [
    ("__libc_malloc_impl", MALLOCNG),
    ("__libc_free", MALLOCNG),
    ("__libc_realloc", REALLOC),
    ("fork", FORK),
];

const MALLOCNG: &[(&str, &str)] = &[
    ("mmap", "__brawn_map_pages"),
    ("__mmap", "__brawn_map_pages"),
    ("munmap", "__brawn_unmap_pages"),
    ("__munmap", "__brawn_unmap_pages"),
    ("__lock", "__brawn_lock"),
    ("__unlock", "__brawn_unlock"),
];

const REALLOC: &[(&str, &str)] = &[
    ("__libc_free", "__brawn_free"),
    ("mremap", "__brawn_remap_pages"),
    ("__mremap", "__brawn_remap_pages"),
];
const FORK: &[(&str, &str)] = &[("__malloc_atfork", "__brawn_atfork")];

/// Those of the members in `keep` that change, by their index.
pub fn members(
    path: &Path,
    archive: &Archive<'_>,
    keep: &[usize],
    kit: &[Member<'_>],
) -> Result<HashMap<usize, Vec<u8>>, Error> {
    let mut ours = CALLS.iter().flat_map(|(_, calls)| *calls).map(|(_, ours)| ours);
    if !ours.all(|ours| kit.iter().any(|member| member.defines(ours))) {
        return Ok(HashMap::new());
    }
    let mut changed = HashMap::new();
    for &index in keep {
        let member = &archive.members[index];
        let Some((_, calls)) = CALLS.iter().find(|(symbol, _)| member.defines(symbol)) else { continue };
        let bytes = brawn_elf::redirect_calls(member.data, calls).map_err(|source| Error::BadMember {
            path: path.to_owned(),
            member: member.name.clone(),
            what: format!("cannot be led to the kit's heap: {source}"),
        })?;
        changed.insert(index, bytes);
    }
    Ok(changed)
}
