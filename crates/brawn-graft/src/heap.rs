//! The heap: what of an overlay's archive makes one, and whether a file can get it.
//!
//! The archive is a whole libc.a, in which the kit's heap stands on musl's own mallocng or alone. Of it come the heap, mallocng
//! where it is needed, and such functions of libc as hold nothing and were not recognised in the file.

use std::collections::BTreeSet;
use std::ops::Range;

use brawn_elf::{Arch, Image};
use brawn_identify::Identification;
use memchr::memmem;
use object::elf;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _};

use crate::allocator::HEAP;
use crate::kit::Kit;
use crate::reference::references;

/// The names by which a heap is called from outside: all that a file has of them change together.
pub(crate) const ENTRIES: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "valloc",
    "malloc_usable_size",
    "__libc_malloc",
    "__libc_malloc_impl",
    "__libc_calloc",
    "__libc_realloc",
    "__libc_free",
    "__malloc_atfork",
    "__malloc_donate",
];

/// Where a file has none of these, no thread can tell the heap of its end, and all but the first go without a cache.
pub(crate) const MAY_FAIL: &[&str] = &["pthread_key_create", "pthread_setspecific"];

/// What a function of the file leads to, if not to the one of its name. A function that only jumps to one of mallocng's is too
/// short to be recognised, so these lead to what programs call; and mallocng's part in a fork belongs to the heap in front.
pub(crate) fn stand_in(name: &str) -> &str {
    match name {
        "__libc_malloc" | "__libc_malloc_impl" => "malloc",
        "__libc_calloc" => "calloc",
        "__libc_realloc" => "realloc",
        "__libc_free" => "free",
        "__malloc_atfork" => "__brawn_atfork",
        other => other,
    }
}

/// Where the environment is, which a heap may look at and does not need.
pub(crate) const MAY_BE_EMPTY: &str = "__environ";

/// mallocng's answer whether a block is zero, for musl's `calloc`: another heap's blocks never are.
pub(crate) const IS_ZERO: &str = "__malloc_allzerop";

/// The name of a function that always answers no.
pub(crate) const NO: &str = "__brawn_graft_no";

/// What `fork` calls before it takes any lock. The heap has its own, and musl's does nothing: mostly it is too short to be replaced,
/// and then `fork` itself leads to a function of this other name, which calls the heap's and goes on.
pub(crate) const BEFORE_FORK: &str = "__ldso_atfork";
pub(crate) const FORK: &str = "__brawn_graft_fork";

/// One of each row is needed.
const NEEDED: &[&[&str]] = &[&["__libc_malloc_impl", "malloc"], &["__libc_free", "free"]];

/// mallocng's functions that no one else calls. Some compilers make them parts of others. The first three are its members'
/// among themselves, and are in no archive whose heap stands alone.
const OWN: &[&str] = &[
    "__malloc_alloc_meta",
    "__malloc_allzerop",
    "__malloc_donate",
    "activate_group",
    "alloc_group",
    "alloc_slot",
    "dequeue",
    "enframe",
    "free_group",
    "get_meta",
    "get_random_secret",
    "get_slot_index",
    "is_allzero",
    "is_bouncing",
    "nontrivial_free",
    "queue",
    "set_size",
    "size_to_class",
    "try_avail",
];

/// What of mallocng's data every function refers to that knows of its blocks.
const TABLES: &[&str] = &["__malloc_context", CLASSES];
const CLASSES: &str = "__malloc_size_classes";

/// Why a file gets no heap. `found` is what was recognised in it.
pub(crate) fn objection(
    arch: Arch,
    image: &Image<'_>,
    found: &Identification,
    kit: &Kit<'_>,
) -> Option<String> {
    let inspection = match brawn_elf::overview(image) {
        Ok(inspection) => inspection,
        Err(error) => return Some(error.to_string()),
    };
    match inspection.allocators.as_slice() {
        [heap] if heap.name == "mallocng" || heap.name == "musl" => {}
        [] => return Some("no heap was found in the file".to_owned()),
        heaps => {
            let other = heaps
                .iter()
                .find(|heap| heap.name != "mallocng")
                .map_or("another", |heap| heap.name.as_str());
            return Some(format!("the program brought {other}, and keeps it"));
        }
    }
    if kit.members.iter().any(|member| member.family == HEAP && has_constructors(&member.file)) {
        return Some("this heap has to be started before it is used".to_owned());
    }
    let has = |name: &&str| found.function(name).is_some();
    if let Some(row) = NEEDED.iter().find(|row| !row.iter().any(has)) {
        return Some(format!("{} was not recognised", row[0]));
    }
    let mut tables = Vec::new();
    for name in TABLES {
        let Some(start) = place(image, found, name) else {
            return Some(format!("{name} was not recognised"));
        };
        let size = kit.size(name).unwrap_or(8);
        tables.push(start..start.saturating_add(size));
    }
    let own = functions(image, found, kit);
    let strangers = references(arch, image, &tables);
    let stranger = strangers.into_iter().find(|at| !own.iter().any(|function| function.contains(at)));
    stranger.map(|at| format!("code at {at:#x} that was not recognised reads musl's heap"))
}

fn place(image: &Image<'_>, found: &Identification, name: &str) -> Option<u64> {
    let named = || {
        let symbols = image.symbols()?;
        let it = symbols.iter().find(|symbol| symbol.section != 0 && symbol.name == name.as_bytes())?;
        Some(it.value)
    };
    let known = || (name == CLASSES).then(|| classes(image)).flatten();
    found.datum(name).or_else(named).or_else(known)
}

/// The table of classes by what is in it, if it is there once.
fn classes(image: &Image<'_>) -> Option<u64> {
    let table: Vec<u8> =
        brawn_elf::mallocng_size_classes().iter().flat_map(|class| class.to_le_bytes()).collect();
    let loads = image.segments.iter().filter(|segment| segment.kind == elf::PT_LOAD.0);
    let mut places = loads.flat_map(|load| {
        memmem::find_iter(load.data, &table)
            .map(|at| load.address.wrapping_add(at as u64))
            .collect::<Vec<_>>()
    });
    let first = places.next();
    first.filter(|_| places.next().is_none())
}

/// Where the functions of musl's heap are in the file, also those that only it can name.
fn functions(image: &Image<'_>, found: &Identification, kit: &Kit<'_>) -> Vec<Range<u64>> {
    let names: BTreeSet<&str> = kit.functions_of(HEAP).collect();
    // `malloc/alloc_slot` is a member's own function, and `alloc_slot.part.0` a part of one.
    let known = |name: &str| {
        let own = name.rsplit('/').next().unwrap_or(name);
        let own = own.split('.').next().unwrap_or(own);
        names.contains(own) || OWN.contains(&own)
    };
    let all = found.functions.iter().chain(&found.local);
    let recognised = all.filter(|function| function.names.iter().any(|name| known(name)));
    let mut ranges: Vec<Range<u64>> =
        recognised.map(|it| it.address..it.address.saturating_add(it.size)).collect();
    for symbol in image.symbols().unwrap_or_default() {
        if symbol.function && symbol.section != 0 && std::str::from_utf8(symbol.name).is_ok_and(known) {
            ranges.push(symbol.value..symbol.value.saturating_add(symbol.size));
        }
    }
    ranges
}

fn has_constructors(file: &ElfFile64<'_>) -> bool {
    file.sections().any(|section| section.name().is_ok_and(|name| name.starts_with(".init_array")))
}
