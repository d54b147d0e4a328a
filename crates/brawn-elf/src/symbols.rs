//! What the symbol table of an executable tells about heaps.

use std::collections::{BTreeMap, HashSet};

use object::elf;

use crate::Symbol;
use crate::image::Image;

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

brawn_base::named! {
    /// The allocators that can be told by a signature or by their symbols.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum Owner {
        Mallocng = "mallocng",
        OldMalloc = "oldmalloc",
        MuslBump = "bump",
        Zig = "zig",
        Mimalloc = "mimalloc",
        Jemalloc = "jemalloc",
        Tcmalloc = "tcmalloc",
        Snmalloc = "snmalloc",
        Rpmalloc = "rpmalloc",
        Dlmalloc = "dlmalloc",
        Scudo = "scudo",
        HardenedMalloc = "hardened-malloc",
        Ptmalloc = "ptmalloc",
        Go = "go",
    }
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
    /// Names of the malloc family with a strong definition, which is neither the kit's nor (except for `free`,
    /// `calloc` and the aligned ones) musl's. A definition that is also known by one of musl's internal names is
    /// left out: that one is libc's.
    pub strong: Vec<&'static str>,
    /// Names whose code goes on to musl's internal function of the same name (`free` to `__libc_free`), as musl's own does:
    /// for anyone who must know whether a strong one is the program's.
    pub forwarded: Vec<&'static str>,
    /// Whether the definition of `malloc` is weak, as musl's own and the kit's are.
    pub malloc_is_weak: bool,
    /// Whether the byte is there with which the kit's string functions remember the processor's level.
    pub string_level: bool,
    pub musl: Option<String>,
    pub glibc: Option<String>,
}

/// Reads the table. A kit's object keeps all names but those of the malloc family to itself, so where there is one,
/// only global names tell of another heap. Those that the kit `serves` in another allocator's place tell of none.
pub(crate) fn facts(symbols: &[Symbol<'_>], with_kit: bool, serves: &[String]) -> SymbolFacts {
    let mut facts = SymbolFacts::default();
    let mut addresses: BTreeMap<Owner, HashSet<u64>> = BTreeMap::new();
    let mut plain_jemalloc = false;
    let mut hidden: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut strong: HashSet<&'static str> = HashSet::new();
    for symbol in symbols {
        if symbol.section == 0 || symbol.file || symbol.name.len() < 3 {
            continue;
        }
        if (!symbol.local || symbol.name.starts_with(b"__libc_") || symbol.name.starts_with(b"__malloc_"))
            && let Some(name) = family_name(symbol.name)
        {
            facts.family.insert(name, symbol.value);
            facts.malloc_is_weak |= name == "malloc" && symbol.weak;
            if !symbol.weak && MALLOC_FAMILY.contains(&name) {
                strong.insert(name);
            }
        }
        if symbol.local
            && !with_kit
            && let Some(name) = family_name(symbol.name)
        {
            hidden.insert(name, symbol.value);
        }
        facts.string_level |= symbol.name == b"__brawn_string_level";
        if is_served(symbol.name, serves) {
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
        // musl's names are hidden, and hidden names become local in the link; no kit has them.
        let of_musl = matches!(owner, Owner::Mallocng | Owner::OldMalloc | Owner::MuslBump);
        if with_kit && symbol.local && !of_musl {
            continue;
        }
        let found = facts.owners.entry(owner).or_default();
        found.count += 1;
        if found.example.is_empty() {
            found.example = String::from_utf8_lossy(symbol.name).into_owned();
        }
        addresses.entry(owner).or_default().insert(symbol.value);
    }
    // zig's libc refers to the family as hidden, which makes whichever definition is linked local.
    let known = |owner: Owner, at: &u64| addresses.get(&owner).is_some_and(|known| known.contains(at));
    if !facts.family.contains_key("malloc")
        && let Some(malloc) = hidden.get("malloc").copied()
        && let Some(owner) = addresses.keys().copied().find(|owner| known(*owner, &malloc))
    {
        let its_own = |at: &u64| owner != Owner::Zig && !known(Owner::Zig, at);
        strong.extend(hidden.iter().filter(|(_, at)| its_own(at)).map(|(name, _)| *name));
        facts.family.extend(hidden);
    }
    if let Some(malloc) = facts.family.get("malloc") {
        facts.malloc_is = addresses.iter().find(|(_, known)| known.contains(malloc)).map(|(owner, _)| *owner);
        if facts.malloc_is.is_none() && plain_jemalloc && facts.owners.contains_key(&Owner::Jemalloc) {
            facts.malloc_is = Some(Owner::Jemalloc);
        }
    }
    let internal: HashSet<u64> =
        MUSL_INTERNAL.iter().filter_map(|name| facts.family.get(name).copied()).collect();
    let of_program = |name: &&'static str| strong.contains(name) && !internal.contains(&facts.family[name]);
    facts.strong = MALLOC_FAMILY.iter().copied().filter(of_program).collect();
    facts
}

/// Which of `free` and `realloc` are musl's own: they consist of a branch to the internal function.
pub(crate) fn forwarded(image: &Image<'_>, symbols: &[Symbol<'_>]) -> Vec<&'static str> {
    let address = |name: &[u8]| symbols.iter().find(|symbol| symbol.name == name && symbol.section != 0);
    let pairs = [("free", "__libc_free"), ("realloc", "__libc_realloc")];
    let forwards = |(name, internal): &(&str, &str)| {
        let (Some(own), Some(internal)) = (address(name.as_bytes()), address(internal.as_bytes())) else {
            return false;
        };
        let size = usize::try_from(own.size).unwrap_or(usize::MAX);
        let code = image.bytes_at_address(own.value).unwrap_or_default();
        let code = code.get(..size).unwrap_or_default();
        branches(image.machine, code, own.value).any(|target| target == internal.value)
    };
    pairs.iter().filter(|pair| forwards(pair)).map(|(name, _)| *name).collect()
}

/// Where calls and jumps may lead that stand in the code at `address`. On x86-64 every byte is taken for the beginning of one,
/// so some of these places are none.
fn branches(machine: u16, code: &[u8], address: u64) -> impl Iterator<Item = u64> {
    let arm = machine == elf::EM_AARCH64.0;
    let (step, length) = if arm { (4, 4) } else { (1, 5) };
    code.windows(length).enumerate().step_by(step).filter_map(move |(at, bytes)| {
        let here = address.wrapping_add(at as u64);
        if arm {
            // b and bl: 26 bits, in words.
            let word = u32::from_le_bytes(bytes.try_into().ok()?);
            let words = (word << 6).cast_signed() >> 6;
            (word >> 26 & 0b1_1111 == 0b0_0101).then(|| here.wrapping_add_signed(i64::from(words) * 4))
        } else {
            // call and jmp with 32 bits from the end of the instruction.
            let distance = i32::from_le_bytes(bytes[1..].try_into().ok()?);
            [0xe8, 0xe9]
                .contains(&bytes[0])
                .then(|| here.wrapping_add(5).wrapping_add_signed(distance.into()))
        }
    })
}

fn note_first(place: &mut Option<String>, symbol: &Symbol<'_>) {
    place.get_or_insert_with(|| String::from_utf8_lossy(symbol.name).into_owned());
}

fn family_name(name: &[u8]) -> Option<&'static str> {
    let known = MALLOC_FAMILY.iter().chain(MUSL_INTERNAL);
    known.copied().find(|known| known.as_bytes() == name)
}

/// Whether a name that [tells](owner_of) of an allocator is among those that the kit has in its place. The rest of the
/// allocator has many more.
fn is_served(name: &[u8], serves: &[String]) -> bool {
    let heap = match name {
        b"mi_malloc" | b"mi_free" | b"mi_malloc_aligned" | b"mi_realloc_aligned" => "mimalloc",
        b"_rjem_malloc" | b"_rjem_mallocx" | b"mallocx" => "jemalloc",
        _ => return false,
    };
    serves.iter().any(|served| served == heap)
}

/// The allocator that alone uses this name.
fn owner_of(name: &[u8]) -> Option<Owner> {
    // Names which musl's headers share between its own allocators, and with replacements, are not listed.
    Some(match name {
        b"__malloc_context" | b"__malloc_size_classes" | b"__malloc_alloc_meta" => Owner::Mallocng,
        b"__bin_chunk" => Owner::OldMalloc,
        b"__simple_malloc" => Owner::MuslBump,
        b"c.malloc.malloc" | b"c.malloc.calloc" | b"c.malloc.realloc" | b"c.malloc.free" => Owner::Zig,
        b"_int_malloc" | b"_int_free" | b"main_arena" => Owner::Ptmalloc,
        b"tc_malloc" | b"TCMallocInternalMalloc" => Owner::Tcmalloc,
        b"rpmalloc" | b"rpaligned_alloc" | b"rpmalloc_initialize" => Owner::Rpmalloc,
        b"dlmalloc" | b"dlfree" => Owner::Dlmalloc,
        b"h_malloc" | b"h_free" => Owner::HardenedMalloc,
        b"runtime.mallocgc" => Owner::Go,
        b"je_malloc" | b"_rjem_malloc" | b"mallocx" | b"_rjem_mallocx" | b"je_mallocx" => Owner::Jemalloc,
        // MyISAM shares the prefixes `mi_` and `_mi_`.
        b"mi_malloc"
        | b"mi_free"
        | b"mi_malloc_aligned"
        | b"mi_realloc_aligned"
        | b"_mi_malloc_generic"
        | b"_mi_theap_main"
        | b"_mi_heap_main"
        | b"_mi_os_alloc"
        | b"_mi_options_init" => Owner::Mimalloc,
        _ if name.starts_with(b"je_arena") || name.starts_with(b"_rjem_je_") => Owner::Jemalloc,
        b"sn_malloc" | b"sn_rust_alloc" => Owner::Snmalloc,
        _ if memchr::memmem::find(name, b"N8snmalloc").is_some() => Owner::Snmalloc,
        _ if memchr::memmem::find(name, b"N5scudo").is_some() => Owner::Scudo,
        _ => return None,
    })
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

    #[test]
    fn what_zigs_libc_has_made_local_is_known_by_its_address() {
        let zig = [
            symbol("c.malloc.malloc", 0x1000, true),
            symbol("c.malloc.free", 0x1100, true),
            symbol("malloc", 0x1000, true),
            symbol("free", 0x1100, true),
        ];
        let alone = facts(&zig, false, &[]);
        assert_eq!((alone.malloc_is, alone.strong.len()), (Some(Owner::Zig), 0));
        let other = [symbol("malloc", 0x2000, true), symbol("tc_malloc", 0x2000, false)];
        let with_tcmalloc = facts(&[&zig[..2], &zig[3..], &other].concat(), false, &[]);
        assert_eq!(with_tcmalloc.malloc_is, Some(Owner::Tcmalloc));
        assert_eq!(with_tcmalloc.strong, ["malloc"], "free is zig's");
        // In a kit's place none of that counts, and a function of the program's own that nobody knows does not either.
        assert!(facts(&zig, true, &[]).owners.is_empty());
        assert!(!facts(&other[..1], false, &[]).family.contains_key("malloc"));
    }

    #[test]
    fn what_is_local_is_the_kits_and_what_is_strong_is_the_programs() {
        let weak = |name, value| Symbol { weak: true, ..symbol(name, value, false) };
        let table = [
            symbol("mi_free", 0x1000, true),
            symbol("mi_free", 0x2000, false),
            weak("malloc", 0x1010),
            symbol("__libc_malloc", 0x1010, false),
            symbol("realloc", 0x1020, false),
            symbol("__libc_realloc", 0x1020, false),
            symbol("free", 0x3000, false),
            symbol("__malloc_context", 0x4000, true),
        ];
        let with_kit = facts(&table, true, &[]);
        assert_eq!(with_kit.strong, ["free"], "realloc is the kit's under another name");
        assert!(with_kit.malloc_is_weak);
        assert_eq!(with_kit.owners[&Owner::Mimalloc].count, 1);
        assert_eq!(with_kit.owners[&Owner::Mallocng].count, 1);
        assert_eq!(facts(&table, false, &[]).owners[&Owner::Mimalloc].count, 2);
    }

    #[test]
    fn names_that_the_kit_serves_are_no_heap_and_the_rest_of_one_is() {
        let serves = ["mimalloc".to_owned()];
        let mut table = vec![symbol("mi_malloc", 0x1000, false), symbol("mi_free", 0x1010, false)];
        assert!(facts(&table, true, &serves).owners.is_empty());
        assert!(!facts(&table, true, &["jemalloc".to_owned()]).owners.is_empty());
        table.push(symbol("_mi_malloc_generic", 0x1020, false));
        assert_eq!(facts(&table, true, &serves).owners[&Owner::Mimalloc].count, 1);
    }
}
