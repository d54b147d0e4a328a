//! Which heaps an executable holds, and how that is known.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::callers;
use crate::code::CodeFacts;
use crate::dynamic::Dynamic;
use crate::signature::{self, Hits, KIT_MARKER_LENGTH, Mark};
use crate::symbols::{self, Owner, SymbolFacts};
use crate::{Image, Note, PROGRAM};

/// A heap that is linked into an executable or that its loader will give it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Heap {
    /// The allocator: `mimalloc`, `jemalloc`, `tcmalloc`, `snmalloc`, `rpmalloc`, `dlmalloc`, `scudo`,
    /// `hardened-malloc`, `zig` (of zig's libc since 0.16), musl's `mallocng`, `oldmalloc` and `bump` (which never frees), `ptmalloc` (glibc's),
    /// `go`, or the name of an allocator of Brawn's kit. `musl` is musl's heap, which of them is not known;
    /// `unknown` is a definition of `malloc` that none of these owns.
    pub name: String,
    /// Its version, when that can be told.
    pub version: Option<String>,
    /// Whether it is the allocator of Brawn's kit.
    pub kit: bool,
    /// What it serves.
    pub role: Role,
    /// How all this is known; never empty.
    pub evidence: Vec<Evidence>,
}

brawn_base::worded! {
    /// What a heap serves.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Role {
        /// `malloc` and its family, hence C code, libc itself, and Rust code by default.
        LibcHeap = "serves malloc",
        /// Only code that calls it by its own name, such as Rust code under `#[global_allocator]`; or only libc
        /// itself, when the program has another `malloc`.
        SecondHeap = "a second heap",
        /// The objects of a language's own runtime (Go).
        Runtime = "serves what Go allocates",
        /// It cannot be told, because the executable is stripped.
        Unknown = "what it serves cannot be told",
    }
}

/// One reason to believe something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Where it was found.
    pub kind: EvidenceKind,
    /// What was found, for a person to read.
    pub detail: String,
}

brawn_base::worded! {
    /// Where evidence was found.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum EvidenceKind {
        /// Brawn's own note.
        Note = "note",
        /// A symbol of the symbol table.
        Symbols = "symbols",
        /// Text in constant data.
        Strings = "strings",
        /// Other constant data, such as a table of numbers.
        Data = "data",
        /// Machine code that only one author's functions hold.
        Code = "code",
        /// The interpreter, the needed libraries or the symbol versions of a dynamic executable.
        Dynamic = "dynamic section",
    }
}

impl Evidence {
    pub(crate) fn new(kind: EvidenceKind, detail: impl Into<String>) -> Evidence {
        Evidence { kind, detail: detail.into() }
    }
}

impl Heap {
    /// One of no known version that is not the kit's.
    fn new(name: &str, role: Role, evidence: Vec<Evidence>) -> Heap {
        Heap { name: name.to_owned(), version: None, kit: false, role, evidence }
    }

    /// Whether it is musl's own, or that of zig's musl.
    pub(crate) fn is_musls(&self) -> bool {
        MUSL_HEAPS.contains(&self.name.as_str())
    }
}

/// Name and version.
impl fmt::Display for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.name.as_str() {
            "mallocng" => "musl's mallocng",
            "oldmalloc" => "musl's old malloc",
            "bump" => "musl's bump allocator",
            "musl" => "musl's own heap",
            "zig" => "the heap of zig's libc",
            "ptmalloc" => "glibc's malloc",
            "unknown" => "a malloc of the program's own",
            name => name,
        };
        let whose = if self.kit { " of Brawn's kit" } else { "" };
        match &self.version {
            Some(version) => write!(f, "{name} {version}{whose}"),
            None => write!(f, "{name}{whose}"),
        }
    }
}

/// A kit allocator's marker string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KitMarker {
    pub name: String,
    pub version: Option<String>,
    /// Whether musl's mallocng stays behind it.
    pub on_mallocng: bool,
}

/// What stands behind the version of such.
const ON_MALLOCNG: &str = " on mallocng";

/// The markers in constant data that can be read.
pub(crate) fn kit_markers(image: &Image<'_>, hits: &Hits) -> Vec<KitMarker> {
    let mut markers: Vec<KitMarker> = Vec::new();
    for offset in hits.offsets(Mark::Kit) {
        let Some(text) = signature::text_from(image.data, offset + KIT_MARKER_LENGTH, 128) else { continue };
        let (text, on_mallocng) = match text.strip_suffix(ON_MALLOCNG) {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (name, version) = match text.split_once(' ') {
            Some((name, version)) => (name, Some(version.to_owned())),
            None => (text, None),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !name.is_empty() && name.chars().all(plain) {
            markers.push(KitMarker { name: name.to_owned(), version, on_mallocng });
        }
    }
    markers
}

/// Everything that heaps are told from.
pub(crate) struct Clues<'a> {
    pub image: &'a Image<'a>,
    pub hits: &'a Hits,
    pub code: CodeFacts,
    pub markers: &'a [KitMarker],
    pub symbols: Option<&'a SymbolFacts>,
    pub dynamic: &'a Dynamic,
    pub note: Option<&'a Note>,
    /// Whether the program is linked statically, so that its heap must be inside.
    pub is_static: bool,
    pub interpreter: Option<&'a str>,
}

/// The names under which the heaps of musl itself are listed, and that of the musl that zig brings since 0.16.
const MUSL_HEAPS: &[&str] = &["mallocng", "oldmalloc", "bump", "zig"];

/// Lists the heaps, the one behind `malloc` first.
pub(crate) fn list(clues: &Clues<'_>) -> Vec<Heap> {
    let mut heaps = kit_heaps(clues);
    heaps.extend(Owner::ALL.into_iter().filter_map(|owner| inside(owner, clues)));
    front_and_backend(clues, &mut heaps);
    outside(clues, &mut heaps);
    bump_or_real(&mut heaps);
    settle_roles(clues, &mut heaps);
    heaps.sort_by_key(|heap| heap.role != Role::LibcHeap);
    heaps
}

fn kit_heaps(clues: &Clues<'_>) -> Vec<Heap> {
    let mut heaps: BTreeMap<(&str, Option<&str>), Heap> = BTreeMap::new();
    for marker in clues.markers {
        heaps.entry((&marker.name, marker.version.as_deref())).or_insert_with(|| {
            let mut evidence = vec![Evidence::new(EvidenceKind::Strings, "the marker of Brawn's kit")];
            if clues.note.is_some_and(|note| note.malloc == marker.name) {
                evidence.insert(0, Evidence::new(EvidenceKind::Note, "Brawn's note names it"));
            }
            let is_second = marker.name == HEAP_OF_LIBRARIES;
            let role = if is_second { Role::SecondHeap } else { Role::LibcHeap };
            let heap = Heap::new(&marker.name, role, evidence);
            Heap { version: marker.version.clone(), kit: true, ..heap }
        });
    }
    heaps.into_values().collect()
}

/// The marker of the crate that libraries have for their Rust code. It has mallocng's table of size classes, and nothing else of
/// it.
pub(crate) const HEAP_OF_LIBRARIES: &str = "brawn-heap";

/// How many times a kit's own object holds the signature of the allocator that it was made from: once for each
/// marker of that family.
fn kit_copies(clues: &Clues<'_>, family: &str) -> usize {
    let family = if family == Owner::Mallocng.name() { HEAP_OF_LIBRARIES } else { family };
    let of_family = |name: &str| {
        name.strip_prefix(family).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    clues.markers.iter().filter(|marker| of_family(&marker.name)).count()
}

/// A heap inside the file that is not the kit's.
fn inside(owner: Owner, clues: &Clues<'_>) -> Option<Heap> {
    let mut evidence = Vec::new();
    let kit_copies = kit_copies(clues, owner.name());
    if let Some(found) = clues.symbols.and_then(|symbols| symbols.owners.get(&owner)) {
        let detail = match found.count {
            1 => format!("`{}`", found.example),
            count => format!("`{}` and {} more of its names", found.example, count - 1),
        };
        evidence.push(Evidence::new(EvidenceKind::Symbols, detail));
    }
    if clues.hits.count(Mark::Heap(owner)) > kit_copies {
        let (sort, what) = match owner {
            Owner::Mallocng => (EvidenceKind::Data, "its table of 48 size classes"),
            Owner::OldMalloc => (EvidenceKind::Data, "its table of bins"),
            Owner::Go => (EvidenceKind::Data, "Go's build information"),
            _ if kit_copies > 0 => (EvidenceKind::Strings, "its messages, once more than the kit has them"),
            _ => (EvidenceKind::Strings, "its messages"),
        };
        evidence.push(Evidence::new(sort, what));
    }
    // A linker merges equal texts of two copies, but no tables.
    if kit_copies > 0 && evidence.iter().all(|evidence| evidence.kind != EvidenceKind::Strings) {
        let (copies, table) = match owner {
            Owner::Mimalloc => (signature::mimalloc_copies(clues.image), "its table of block sizes"),
            Owner::Jemalloc => (signature::jemalloc_copies(clues.image), "its table of decay steps"),
            _ => (0, ""),
        };
        if copies > kit_copies {
            let detail = format!("{table}, once more than the kit has it");
            evidence.push(Evidence::new(EvidenceKind::Data, detail));
        }
    }
    // Build information can be left out; the table by which Go finds its functions cannot.
    if owner == Owner::Go && evidence.is_empty() && clues.image.section(".gopclntab").is_some() {
        evidence.push(Evidence::new(EvidenceKind::Data, "Go's table of functions"));
    }
    if owner == Owner::Tcmalloc && evidence.is_empty() && clues.hits.has(Mark::TcmallocGoogle) {
        evidence.push(Evidence::new(EvidenceKind::Strings, "its messages"));
    }
    // The kit's own copy holds the same numbers.
    if owner == Owner::Rpmalloc && clues.code.rpmalloc && kit_copies == 0 {
        let detail = "its count of heaps and its largest block";
        evidence.push(Evidence::new(EvidenceKind::Code, detail));
    }
    let version = if kit_copies == 0 { version(owner, clues) } else { None };
    (!evidence.is_empty()).then(|| Heap { version, ..Heap::new(owner.name(), Role::Unknown, evidence) })
}

fn version(owner: Owner, clues: &Clues<'_>) -> Option<String> {
    match owner {
        Owner::Mimalloc if clues.hits.has(Mark::Mimalloc3) => Some("3".to_owned()),
        Owner::Mimalloc if clues.hits.has(Mark::Mimalloc2) => Some("2".to_owned()),
        Owner::Jemalloc => signature::jemalloc_version(clues.image),
        _ => None,
    }
}

/// The heap that a dynamic executable gets from its libraries.
fn outside(clues: &Clues<'_>, heaps: &mut Vec<Heap>) {
    if clues.is_static {
        return;
    }
    let own_malloc = clues.symbols.is_some_and(|symbols| symbols.family.contains_key("malloc"));
    if own_malloc {
        return;
    }
    let mut push = |name: &str, detail: String| {
        let evidence = vec![Evidence::new(EvidenceKind::Dynamic, detail)];
        heaps.push(Heap::new(name, Role::LibcHeap, evidence));
    };
    // Programs get the others from libc or their own runtime alone.
    let has_a_library =
        |owner: &Owner| !MUSL_HEAPS.contains(&owner.name()) && !matches!(owner, Owner::Ptmalloc | Owner::Go);
    for library in &clues.dynamic.needed {
        let named = |owner: &Owner| {
            let stem = owner.name().replace('-', "_");
            library.strip_prefix("lib").is_some_and(|rest| rest.starts_with(&stem))
        };
        if let Some(owner) = Owner::ALL.into_iter().filter(has_a_library).find(named) {
            return push(owner.name(), format!("it needs {library}"));
        }
    }
    for library in &clues.dynamic.needed {
        if library == "libc.so.6" {
            return push("ptmalloc", format!("it needs {library}"));
        }
        if library == "libc.so" || library.starts_with("libc.musl-") {
            return push("musl", format!("it needs {library}"));
        }
    }
    if clues.interpreter.is_some_and(|interpreter| interpreter.contains("/ld-musl-")) {
        push("musl", "its interpreter is musl's".to_owned());
    }
}

/// The Brawn heap is a front, as its marker says: the one copy of mallocng behind it is a part of it, and no second heap.
fn front_and_backend(clues: &Clues<'_>, heaps: &mut Vec<Heap>) {
    let fronts: Vec<&str> =
        clues.markers.iter().filter(|marker| marker.on_mallocng).map(|marker| &*marker.name).collect();
    let is_front = |heap: &Heap| heap.kit && fronts.contains(&heap.name.as_str());
    if !heaps.iter().any(is_front) || clues.hits.count(Mark::Heap(Owner::Mallocng)) > 1 {
        return;
    }
    let Some(at) = heaps.iter().position(|heap| heap.name == "mallocng") else { return };
    let backend = heaps.remove(at);
    for front in heaps.iter_mut().filter(|heap| is_front(heap)) {
        front.evidence.extend(backend.evidence.iter().map(|evidence| {
            Evidence::new(evidence.kind, format!("musl's mallocng behind it: {}", evidence.detail))
        }));
    }
}

/// musl's bump allocator comes along with its real ones and gives way to them when the program starts. It is
/// only worth a line when it is alone.
fn bump_or_real(heaps: &mut Vec<Heap>) {
    let real = heaps.iter().any(|heap| heap.name == "mallocng" || heap.name == "oldmalloc");
    if real {
        heaps.retain(|heap| heap.name != "bump");
    }
}

/// Says what each heap serves. The kit's has its role already.
fn settle_roles(clues: &Clues<'_>, heaps: &mut Vec<Heap>) {
    let symbols = clues.symbols;
    if symbols.is_none() {
        noted_owner(clues, heaps);
    }
    // The kit's malloc is weak; a strong one is the program's.
    if symbols.is_some_and(|symbols| symbols.strong.contains(&"malloc")) {
        for heap in heaps.iter_mut().filter(|heap| heap.kit) {
            heap.role = Role::SecondHeap;
        }
    }
    let owner = symbols.and_then(|symbols| symbols.malloc_is);
    for heap in heaps.iter_mut().filter(|heap| heap.role == Role::Unknown) {
        if heap.name == "go" {
            heap.role = Role::Runtime;
        } else if owner.is_some_and(|owner| owner.name() == heap.name) {
            heap.role = Role::LibcHeap;
        }
    }
    let served = |heaps: &[Heap]| heaps.iter().any(|heap| heap.role == Role::LibcHeap);
    let open = |heap: &Heap| heap.role == Role::Unknown;
    let libc_own = |heap: &Heap| heap.is_musls() || heap.name == "ptmalloc";
    let malloc = symbols.map(|symbols| symbols.family.contains_key("malloc"));
    let weak = symbols.is_some_and(|symbols| symbols.malloc_is_weak);
    let before_replacement = symbols.is_some_and(|symbols| !symbols.family.contains_key("__libc_malloc"))
        && heaps.iter().any(|heap| heap.name == "oldmalloc");
    let alone = heaps.iter().filter(|heap| open(heap)).count() == 1;
    if !served(heaps)
        && let Some(own) = heaps.iter_mut().find(|heap| open(heap) && libc_own(heap))
    {
        own.role = match malloc {
            // musl's malloc is weak too, since 1.2.2; before, nothing could stand beside its old one.
            Some(true) if !weak && own.name != "ptmalloc" && !before_replacement => Role::SecondHeap,
            Some(_) => Role::LibcHeap,
            None if alone => Role::LibcHeap,
            None => Role::Unknown,
        };
    }
    if malloc.is_none() && !served(heaps) {
        by_callers(clues, heaps);
    }
    if malloc == Some(true) && !served(heaps) {
        let detail = "`malloc` is defined, and not by an allocator that is known here";
        let evidence = vec![Evidence::new(EvidenceKind::Symbols, detail)];
        heaps.push(Heap::new("unknown", Role::LibcHeap, evidence));
    }
    if served(heaps) {
        for heap in heaps.iter_mut().filter(|heap| heap.role == Role::Unknown) {
            heap.role = Role::SecondHeap;
        }
    }
}

/// Without names, Brawn's note tells that `malloc` is the program's own, and then libc has the others for itself.
fn noted_owner(clues: &Clues<'_>, heaps: &mut Vec<Heap>) {
    let Some(owner) = clues.note.and_then(|note| note.heaps.malloc_owner.as_deref()) else { return };
    for heap in heaps.iter_mut().filter(|heap| heap.kit || heap.is_musls()) {
        heap.role = Role::SecondHeap;
    }
    let evidence = Evidence::new(EvidenceKind::Note, "Brawn's note says that malloc is its own");
    match heaps.iter_mut().find(|heap| heap.name == owner) {
        Some(heap) => {
            heap.role = Role::LibcHeap;
            heap.evidence.insert(0, evidence);
        }
        None => {
            let name = if owner == PROGRAM { "unknown" } else { owner };
            heaps.push(Heap::new(name, Role::LibcHeap, vec![evidence]));
        }
    }
    // musl's smallest heap has nothing in it to be told by.
    let bump = clues.note.is_some_and(|note| note.heaps.libc_heap.as_deref() == Some("bump"));
    if bump && heaps.iter().all(|heap| heap.role == Role::LibcHeap) {
        let evidence = Evidence::new(EvidenceKind::Note, "Brawn's note says that libc uses it");
        heaps.push(Heap::new("bump", Role::SecondHeap, vec![evidence]));
    }
}

/// Without names: musl's own heap serves `malloc` if libc's functions come to it by the public names, and otherwise the
/// other one does, if there is only one.
fn by_callers(clues: &Clues<'_>, heaps: &mut [Heap]) {
    let owner = |name: &str| if name == "mallocng" { Owner::Mallocng } else { Owner::OldMalloc };
    let open = |heap: &Heap| heap.role == Role::Unknown;
    let Some(own) = heaps.iter().position(|heap| open(heap) && heap.is_musls()) else { return };
    let tables = clues.hits.offsets(Mark::Heap(owner(&heaps[own].name)));
    let tables: Vec<_> = tables.filter_map(|offset| clues.image.address_of(offset)).collect();
    let tables: Vec<_> = tables.into_iter().map(|at| at..at.saturating_add(signature::TABLE_BYTES)).collect();
    let (server, detail) = match callers::libc_calls(clues.image, &tables) {
        Some(true) => (own, "libc's own functions call it by malloc's public names"),
        Some(false) => {
            let mut others = (0..heaps.len()).filter(|index| *index != own && open(&heaps[*index]));
            let (Some(other), None) = (others.next(), others.next()) else { return };
            (other, "libc's own functions call malloc by its public names, and do not come to musl's heap")
        }
        None => return,
    };
    heaps[server].role = Role::LibcHeap;
    heaps[server].evidence.push(Evidence::new(EvidenceKind::Code, detail));
}

/// The symbols of an executable, read for what they say about heaps.
pub(crate) fn symbol_facts(
    image: &Image<'_>,
    markers: &[KitMarker],
    serves: &[String],
) -> Option<SymbolFacts> {
    let table = image.symbols()?;
    let facts = symbols::facts(&table, !markers.is_empty(), serves);
    Some(SymbolFacts { forwarded: symbols::forwarded(image, &table), ..facts })
}
