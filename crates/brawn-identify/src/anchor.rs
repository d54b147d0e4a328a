//! Eight bytes of a function by which it is looked for.

use std::collections::{BTreeSet, HashMap};

use brawn_elf::Arch;

use crate::signature::Signature;

/// Bytes of an anchor.
pub const LENGTH: usize = 8;

/// The distance between two places where an anchor may begin.
pub fn step(arch: Arch) -> usize {
    match arch {
        Arch::X86_64 => 1,
        Arch::Aarch64 => 4,
    }
}

/// Reads an anchor at the start of `code`.
pub fn read(code: &[u8]) -> Option<u64> {
    code.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Chooses the rarest anchor of every function in an archive: the one that fewest others have, and has most different bytes.
pub fn choose(functions: &mut [(Signature, &[u8])], arch: Arch) {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    for (function, code) in functions.iter() {
        for (_, anchor) in candidates(function, code, arch) {
            *seen.entry(anchor).or_default() += 1;
        }
    }
    for (function, code) in functions.iter_mut() {
        let different = |anchor: u64| BTreeSet::from(anchor.to_le_bytes()).len();
        let rank = |(_, anchor): &(u32, u64)| (seen[anchor], LENGTH - different(*anchor));
        function.anchor = candidates(function, code, arch).into_iter().min_by_key(rank);
    }
}

/// All that a function could be looked for by.
fn candidates(function: &Signature, code: &[u8], arch: Arch) -> Vec<(u32, u64)> {
    let mut fields =
        function.links.iter().map(|link| link.field.bytes(arch, link.offset as usize)).peekable();
    let mut found = Vec::new();
    for offset in (0..code.len().saturating_sub(LENGTH - 1)).step_by(step(arch)) {
        while fields.next_if(|field| field.end <= offset).is_some() {}
        if fields.peek().is_none_or(|field| field.start >= offset + LENGTH)
            && let Some(anchor) = read(&code[offset..])
        {
            found.push((offset as u32, anchor));
        }
    }
    found
}
