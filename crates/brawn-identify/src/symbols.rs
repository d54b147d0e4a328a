use std::collections::BTreeMap;

use brawn_elf::Image;

use crate::{Evidence, Function, Identification};

/// What the symbol table of an executable names, where it has one. Only what the whole program shares counts: a file may have
/// functions of its own under libc's names.
pub fn identify(image: &Image<'_>) -> Identification {
    let mut places: BTreeMap<u64, Function> = BTreeMap::new();
    for symbol in image.symbols().unwrap_or_default() {
        if symbol.section == 0 || !symbol.function || symbol.local || symbol.size == 0 {
            continue;
        }
        let place = places.entry(symbol.value).or_insert_with(|| Function {
            names: Vec::new(),
            address: symbol.value,
            size: symbol.size,
            evidence: Evidence::Symbol,
        });
        place.names.push(String::from_utf8_lossy(symbol.name).into_owned());
        place.names.sort();
    }
    Identification { functions: places.into_values().collect() }
}
