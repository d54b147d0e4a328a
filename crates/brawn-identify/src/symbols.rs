//! By the symbol table, where there is one.

use std::collections::{BTreeMap, BTreeSet};

use brawn_elf::Symbol;

use crate::{Datum, Evidence, Function, Identification, Signatures};

/// What musl and no other libc has.
const MUSLS_OWN: &[&[u8]] = &[b"__init_libc", b"__libc_start_init", b"__init_tls", b"__init_tp", b"__libc"];

/// Whether the symbols are those of a program with musl in it.
pub fn are_musls(symbols: &[Symbol<'_>]) -> bool {
    let has = |name: &[u8]| symbols.iter().any(|symbol| symbol.section != 0 && symbol.name == name);
    has(b"__libc_start_main") && MUSLS_OWN.iter().any(|name| has(name)) && !has(b"__libc_early_init")
}

/// What the symbol table of an executable names. Only what the whole program shares counts: a file may have
/// functions of its own under libc's names.
pub fn named(symbols: &[Symbol<'_>], known: &Signatures) -> Identification {
    let musls: BTreeSet<&str> = known.names.iter().map(String::as_str).collect();
    let mut places: BTreeMap<u64, Function> = BTreeMap::new();
    let mut data = Vec::new();
    for symbol in symbols.iter().filter(|symbol| symbol.section != 0 && !symbol.local) {
        let Some(name) = std::str::from_utf8(symbol.name).ok().filter(|name| musls.contains(name)) else {
            continue;
        };
        if !symbol.function {
            data.push(Datum { name: name.to_owned(), address: symbol.value });
            continue;
        }
        let place = places.entry(symbol.value).or_insert_with(|| Function {
            names: Vec::new(),
            address: symbol.value,
            size: symbol.size,
            evidence: Evidence::Symbol,
            confirmations: 0,
        });
        place.size = place.size.max(symbol.size);
        place.names.push(name.to_owned());
        place.names.sort();
    }
    data.sort_by(|a, b| a.name.cmp(&b.name));
    Identification { functions: places.into_values().collect(), data, ..Identification::default() }
}
