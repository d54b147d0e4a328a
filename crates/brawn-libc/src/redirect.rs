//! A heap that keeps musl's mallocng behind it may want to be asked for its pages (`libc/malloc/brawn/pages.h`). mallocng
//! calls `mmap` and `munmap` by names that everybody uses, so in its members, and in no others, those calls are led
//! elsewhere. Where a kit has no such functions, or a libc.a no such calls, everything stays as it is.

use std::collections::HashMap;
use std::path::Path;

use crate::Error;
use crate::archive::{Archive, Member};

/// mallocng's members, by what they define.
const MALLOCNG: [&str; 2] = ["__libc_malloc_impl", "__libc_free"];

/// What they call, and what takes its place.
const CALLS: [(&str, &str); 6] = [
    ("mmap", "__brawn_map_pages"),
    ("__mmap", "__brawn_map_pages"),
    ("munmap", "__brawn_unmap_pages"),
    ("__munmap", "__brawn_unmap_pages"),
    ("__lock", "__brawn_lock"),
    ("__unlock", "__brawn_unlock"),
];

/// Those of the members in `keep` that change, by their index.
pub fn members(
    path: &Path,
    archive: &Archive<'_>,
    keep: &[usize],
    kit: &[Member<'_>],
) -> Result<HashMap<usize, Vec<u8>>, Error> {
    if !CALLS.iter().all(|(_, ours)| kit.iter().any(|member| member.defines(ours))) {
        return Ok(HashMap::new());
    }
    keep.iter()
        .map(|&index| (index, &archive.members[index]))
        .filter(|(_, member)| MALLOCNG.iter().any(|symbol| member.defines(symbol)))
        .map(|(index, member)| {
            let bytes =
                brawn_elf::redirect_needs(member.data, &CALLS).map_err(|source| Error::BadMember {
                    path: path.to_owned(),
                    member: member.name.clone(),
                    what: format!("cannot be led to the kit's pages: {source}"),
                })?;
            Ok((index, bytes))
        })
        .collect()
}
