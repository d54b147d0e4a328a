//! Whether what a function calls was recognised as well. Of a libc whose inner functions someone changed, what calls them stays.

use std::collections::{BTreeMap, BTreeSet};

use brawn_elf::{Arch, Image};
use brawn_identify::Identification;

use crate::entry;

/// Where functions begin, in bytes.
const ALIGNED: u64 = 16;

/// Functions by their addresses, with code that they call, or that those call, and that was not recognised.
pub(crate) fn strangers(arch: Arch, image: &Image<'_>, found: &Identification) -> BTreeMap<u64, u64> {
    let code = |address: u64, size: u64| {
        let code = image.bytes_at_address(address).unwrap_or_default();
        &code[..usize::try_from(size).unwrap_or(usize::MAX).min(code.len())]
    };
    let functions = || found.functions.iter().chain(&found.local);
    let ends: BTreeMap<u64, u64> = functions().map(|it| (it.address, it.address + it.size)).collect();
    // Not every return is a function: it begins behind another, or where compilers align them.
    let begins = |address: u64| match ends.range(..=address).next_back() {
        Some((start, end)) if *start != address && address < *end => false,
        Some((_, end)) if address == *end => true,
        _ => address.is_multiple_of(ALIGNED),
    };
    // And what stands behind it belongs to another, or to none: a function whose first byte someone made a return does not
    // end there.
    let does_nothing = |address: u64| {
        let Some(size) = brawn_identify::does_nothing(arch, code(address, ALIGNED)) else { return false };
        let end = address + size as u64;
        let room = end.next_multiple_of(ALIGNED) - end;
        begins(address) && (ends.contains_key(&end) || entry::is_padding(arch, code(end, room), end))
    };
    let mut calls: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for function in functions() {
        let mut targets = entry::calls(arch, code(function.address, function.size), function.address);
        targets.retain(|target| !does_nothing(*target));
        calls.insert(function.address, targets);
    }
    let unknown =
        |targets: &BTreeSet<u64>| targets.iter().copied().find(|target| !calls.contains_key(target));
    let mut strangers: BTreeMap<u64, u64> =
        calls.iter().filter_map(|(address, targets)| Some((*address, unknown(targets)?))).collect();
    // What calls one of these does not know either.
    loop {
        let reached =
            |targets: &BTreeSet<u64>| targets.iter().find_map(|target| strangers.get(target).copied());
        let more: Vec<(u64, u64)> = calls
            .iter()
            .filter(|(address, _)| !strangers.contains_key(address))
            .filter_map(|(address, targets)| Some((*address, reached(targets)?)))
            .collect();
        if more.is_empty() {
            return strangers;
        }
        strangers.extend(more);
    }
}
