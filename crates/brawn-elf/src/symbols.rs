//! What the symbol table of an executable tells about heaps.

use std::collections::{BTreeMap, HashSet};

use crate::Symbol;

/// The names through which a program reaches its heap, C's and POSIX's.
pub(crate) const MALLOC_FAMILY: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "reallocarray",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "malloc_usable_size",
];

/// The names through which musl itself does, since 1.2.2.
const MUSL_INTERNAL: &[&str] = &[
    "__libc_malloc",
    "__libc_calloc",
    "__libc_realloc",
    "__libc_free",
    "__libc_malloc_impl",
    "__malloc_atfork",
];

/// Symbols of one allocator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// How many of its functions and tables are there.
    pub count: usize,
    /// One of them, the first in the table.
    pub example: String,
}

/// The allocators that are told by names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Mallocng,
    OldMalloc,
    MuslBump,
    Mimalloc,
    Jemalloc,
    Tcmalloc,
    Snmalloc,
    Rpmalloc,
    Dlmalloc,
    Scudo,
    HardenedMalloc,
    Ptmalloc,
    Go,
}

/// What the symbol table says.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolFacts {
    /// Defined members of the malloc family and of musl's internal names: the address of each.
    pub family: BTreeMap<&'static str, u64>,
    /// Allocators by their own names, those of a kit's object left out.
    pub owners: BTreeMap<Owner, Found>,
    /// Allocators whose entry points have the same address as `malloc`, or that define it under its plain name.
    pub malloc_is: Option<Owner>,
    /// Names of the malloc family that the kit's object does not define although it is there: somebody else's
    /// definition won.
    pub outside_kit: Vec<&'static str>,
    /// Whether the extent of the kit's object was found among the symbols.
    pub kit_found: bool,
    /// Whether the definition of `malloc` is weak, as musl's own and the kit's are.
    pub malloc_is_weak: bool,
    pub musl: Option<String>,
    pub glibc: Option<String>,
}

/// Reads the table. `markers` are the addresses of kit markers.
pub(crate) fn facts(symbols: &[Symbol<'_>], markers: &[u64]) -> SymbolFacts {
    let kit_run = kit_run(symbols, markers);
    let mut facts = SymbolFacts { kit_found: kit_run.is_some(), ..SymbolFacts::default() };
    let mut addresses: BTreeMap<Owner, HashSet<u64>> = BTreeMap::new();
    let mut plain_jemalloc = false;
    let mut strong: HashSet<&'static str> = HashSet::new();
    for (index, symbol) in symbols.iter().enumerate() {
        if symbol.section == 0 || symbol.file || symbol.name.len() < 3 {
            continue;
        }
        if !symbol.local || symbol.name.starts_with(b"__libc_") || symbol.name.starts_with(b"__malloc_") {
            if let Some(name) = family_name(symbol.name) {
                facts.family.insert(name, symbol.value);
                facts.malloc_is_weak |= name == "malloc" && symbol.weak;
                if !symbol.weak && MALLOC_FAMILY.contains(&name) {
                    strong.insert(name);
                }
            }
        }
        if kit_run.as_ref().is_some_and(|run| run.contains(&index)) {
            continue;
        }
        plain_jemalloc |= symbol.name == b"mallocx";
        match symbol.name {
            b"__init_libc" | b"builtin_tls" | b"libc_start_main_stage2" => {
                note_first(&mut facts.musl, symbol)
            }
            b"__libc_start_call_main" | b"__libc_setup_tls" | b"_nl_C_locobj" => {
                note_first(&mut facts.glibc, symbol);
            }
            _ => {}
        }
        let Some(owner) = owner_of(symbol.name) else { continue };
        let found = facts.owners.entry(owner).or_default();
        found.count += 1;
        if found.example.is_empty() {
            found.example = String::from_utf8_lossy(symbol.name).into_owned();
        }
        addresses.entry(owner).or_default().insert(symbol.value);
    }
    if let Some(malloc) = facts.family.get("malloc") {
        facts.malloc_is = addresses.iter().find(|(_, known)| known.contains(malloc)).map(|(owner, _)| *owner);
        if facts.malloc_is.is_none() && plain_jemalloc && facts.owners.contains_key(&Owner::Jemalloc) {
            facts.malloc_is = Some(Owner::Jemalloc);
        }
    }
    if let Some(run) = kit_run {
        // The kit's definitions are weak, so that a program can bring its own: a weak one is never another's.
        facts.outside_kit = outside_kit(symbols, run, &facts.family);
        facts.outside_kit.retain(|name| strong.contains(name));
    }
    facts
}

fn note_first(place: &mut Option<String>, symbol: &Symbol<'_>) {
    place.get_or_insert_with(|| String::from_utf8_lossy(symbol.name).into_owned());
}

fn family_name(name: &[u8]) -> Option<&'static str> {
    let known = MALLOC_FAMILY.iter().chain(MUSL_INTERNAL);
    known.copied().find(|known| known.as_bytes() == name)
}

/// The allocator that alone uses this name.
fn owner_of(name: &[u8]) -> Option<Owner> {
    // Names which musl's headers share between its own allocators, and with replacements, are not listed.
    Some(match name {
        b"__malloc_context" | b"__malloc_size_classes" | b"__malloc_alloc_meta" => Owner::Mallocng,
        b"__bin_chunk" => Owner::OldMalloc,
        b"__simple_malloc" => Owner::MuslBump,
        b"_int_malloc" | b"_int_free" | b"main_arena" | b"__libc_memalign" => Owner::Ptmalloc,
        b"tc_malloc" | b"TCMallocInternalMalloc" => Owner::Tcmalloc,
        b"rpmalloc" | b"rpaligned_alloc" | b"rpmalloc_initialize" => Owner::Rpmalloc,
        b"dlmalloc" | b"dlfree" => Owner::Dlmalloc,
        b"h_malloc" | b"h_free" => Owner::HardenedMalloc,
        b"runtime.mallocgc" => Owner::Go,
        b"je_malloc" | b"_rjem_malloc" | b"mallocx" | b"_rjem_mallocx" | b"je_mallocx" => Owner::Jemalloc,
        _ if name.starts_with(b"_mi_") || name.starts_with(b"mi_") => Owner::Mimalloc,
        _ if name.starts_with(b"je_arena") || name.starts_with(b"_rjem_je_") => Owner::Jemalloc,
        _ if name.starts_with(b"sn_") => Owner::Snmalloc,
        _ if memchr::memmem::find(name, b"8snmalloc").is_some() => Owner::Snmalloc,
        _ if memchr::memmem::find(name, b"5scudo").is_some() => Owner::Scudo,
        _ => return None,
    })
}

/// The local symbols of the object that holds the kit's marker: a stretch of the table that begins with the
/// symbol of its source file.
fn kit_run(symbols: &[Symbol<'_>], markers: &[u64]) -> Option<std::ops::Range<usize>> {
    let marker = symbols.iter().position(|symbol| {
        symbol.local && symbol.section != 0 && !symbol.file && markers.contains(&symbol.value)
    })?;
    let start = symbols[..marker].iter().rposition(|symbol| symbol.file)?;
    let end = symbols[marker..].iter().position(|symbol| symbol.file || !symbol.local);
    Some(start..end.map_or(symbols.len(), |end| marker + end))
}

/// Names of the family that are certainly not the kit's.
///
/// A linker keeps the code of one object together. So the kit's exported functions lie between its local ones, or
/// next to them with nothing of others between. `.cold` parts are moved away and say nothing.
fn outside_kit(
    symbols: &[Symbol<'_>],
    run: std::ops::Range<usize>,
    family: &BTreeMap<&'static str, u64>,
) -> Vec<&'static str> {
    let cold = |symbol: &Symbol<'_>| memchr::memmem::find(symbol.name, b".cold").is_some();
    let own = || symbols[run.clone()].iter().filter(|symbol| symbol.function && !cold(symbol));
    let (Some(low), Some(high)) = (own().map(|s| s.value).min(), own().map(|s| s.value).max()) else {
        return Vec::new();
    };
    // Names of the family on the way to the kit's code are no border: they may be the kit's own.
    let family_addresses: HashSet<u64> = family.values().copied().collect();
    let others = symbols.iter().enumerate().filter(|(index, symbol)| {
        symbol.function
            && symbol.section != 0
            && !run.contains(index)
            && !family_addresses.contains(&symbol.value)
    });
    let (mut last_before, mut first_after) = (0, u64::MAX);
    for (_, other) in others {
        if other.value < low {
            last_before = last_before.max(other.value);
        } else if other.value > high {
            first_after = first_after.min(other.value);
        }
    }
    let outside = family.iter().filter(|(_, address)| **address < last_before || **address > first_after);
    outside.map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &'static str, value: u64, local: bool) -> Symbol<'static> {
        Symbol {
            name: name.as_bytes(),
            value,
            size: 0,
            section: 1,
            function: true,
            local,
            weak: false,
            file: false,
        }
    }

    fn file(name: &'static str) -> Symbol<'static> {
        Symbol { file: true, function: false, ..symbol(name, 0, true) }
    }

    #[test]
    fn the_family_is_the_kits_only_where_it_lies_among_the_kits_code() {
        let marker = Symbol { function: false, ..symbol("marker", 0x9000, true) };
        let table = |malloc| {
            vec![
                file("main.c"),
                symbol("helper", 0x1000, true),
                file("kit.c"),
                symbol("mi_local", 0x2000, true),
                marker,
                symbol("mi_last", 0x2100, true),
                file("printf.c"),
                symbol("pad", 0x3000, true),
                symbol("main", 0x1100, false),
                symbol("malloc", malloc, false),
                symbol("free", 0x2200, false),
                symbol("printf", 0x2900, false),
            ]
        };
        for (malloc, outside) in [
            (0x2050, vec![]),
            (0x1800, vec![]), // Before the kit's first local function, nothing between.
            (0x1010, vec!["malloc"]),
            (0x2a00, vec!["malloc"]),
        ] {
            let facts = facts(&table(malloc), &[0x9000]);
            assert!(facts.kit_found);
            assert_eq!(facts.outside_kit, outside, "malloc at {malloc:#x}");
            assert!(facts.owners.is_empty(), "the kit's own mi_ functions are not a second heap");
        }
        let unmarked = facts(&table(0x1010), &[]);
        assert!(unmarked.outside_kit.is_empty());
        assert_eq!(unmarked.owners[&Owner::Mimalloc].count, 2);
    }
}
