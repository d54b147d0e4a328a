use serde::Serialize;

use crate::heap::{KitMarker, MUSL_HEAPS};
use crate::inspect::{Traces, look};
use crate::inspection::{Inspection, Kind};
use crate::veil::{unveil, veil};
use crate::verdict::describe;
use crate::{Arch, Error, Heap, LinkId, Note, Role};

/// What the caller knows about the executable from elsewhere. By default nothing: then the executable is held to
/// its own note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// The architecture that was linked for.
    pub arch: Option<Arch>,
    /// The allocator that was asked for, as in [`Note::malloc`].
    pub malloc: Option<String>,
    /// The overlay that was linked with, as in [`Note::overlay`].
    pub overlay: Option<String>,
    /// The recorded link.
    pub link_id: Option<LinkId>,
}

/// What [`verify`] found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Broken promises. The executable is as it should be only if there are none.
    pub findings: Vec<Problem>,
    /// What works and is worth changing.
    pub warnings: Vec<Problem>,
    /// What the executable says about itself, if it can be read.
    pub note: Option<Note>,
    /// The heap behind `malloc`, if the program has one that can be told.
    pub heap: Option<Heap>,
    /// Whether there was a symbol table to check; `docs/inspect.md` says what cannot be proved without one.
    pub symbols: bool,
}

impl Report {
    /// Whether no promise is broken.
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty()
    }
}

/// One thing that is wrong, or worth a warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its stable name.
    pub code: Code,
    /// What is so.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// Stable names of problems; `docs/inspect.md` lists them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name,)+];

            /// The name in kebab-case, as it is printed and written as JSON.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)+
                }
            }
        }
    };
}

codes! {
    /// Not an ELF file, or one that is no executable.
    NotAnExecutable = "not-an-executable",
    /// Headers that contradict the file.
    Damaged = "damaged",
    /// The file ends before its last segment.
    CutOff = "cut-off",
    /// Compiled for another architecture than was asked for.
    WrongArchitecture = "wrong-architecture",
    /// It needs a loader.
    DynamicExecutable = "dynamic-executable",
    /// It needs shared libraries.
    NeedsLibraries = "needs-libraries",
    /// It carries no note of Brawn.
    NoNote = "no-note",
    /// Its note cannot be read.
    NoteDamaged = "note-damaged",
    /// It carries notes that contradict each other.
    NotesDisagree = "notes-disagree",
    /// The note names another allocator, overlay or link than was asked for.
    NotAsAsked = "not-as-asked",
    /// malloc is not served by the allocator that the note names.
    HeapNotAsNoted = "heap-not-as-noted",
    /// A part of musl's own heap is linked in beside the one that took its place.
    LeftoverMuslHeap = "leftover-musl-heap",
    /// Some functions of the malloc family belong to another heap than the others.
    TwoOwners = "two-owners",
    /// Two allocators of the kit are linked in.
    TwoKitHeaps = "two-kit-heaps",
    /// The string functions are not the ones that the note names.
    StringsNotAsNoted = "strings-not-as-noted",
    /// The program brings a heap of its own for a part of its code. A warning.
    SecondHeap = "second-heap",
    /// The program can call `dlopen`, which always fails in a static executable. A warning.
    DynamicLoading = "dynamic-loading",
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The allocator's name in the note of an overlay that leaves musl's own heap in place.
pub const STOCK: &str = "stock";

/// Checks that an executable keeps Brawn's promises: it is static, carries its note, and has exactly one heap, the
/// one that the note names. A program that never allocates, and so has none, is fine.
///
/// It never fails: a file that cannot be read is a finding.
pub fn verify(data: &[u8], expectation: &Expectation) -> Report {
    let mut report =
        Report { findings: Vec::new(), warnings: Vec::new(), note: None, heap: None, symbols: false };
    match look(data) {
        Ok((inspection, traces)) => {
            report.symbols = !inspection.stripped;
            report.heap = inspection.allocators.iter().find(|heap| heap.role == Role::LibcHeap).cloned();
            check_linkage(&inspection, &traces, expectation, &mut report.findings);
            check_note(&traces, expectation, &mut report.findings);
            if let Some(note) = &inspection.note {
                if inspection.kind.is_static() {
                    check_heaps(&inspection, &traces, note, &mut report);
                    check_strings(&traces, note, &mut report.findings);
                    check_loading(data, &mut report.warnings);
                }
                report.note = inspection.note;
            }
        }
        Err(error) => {
            let code = match error {
                Error::NotElf | Error::WrongKind { .. } => Code::NotAnExecutable,
                _ => Code::Damaged,
            };
            report.findings.push(problem(code, error.to_string(), error.hint()));
        }
    }
    report
}

fn problem(code: Code, message: impl Into<String>, hint: Option<&str>) -> Problem {
    Problem { code, message: message.into(), hint: hint.map(str::to_owned) }
}

fn check_linkage(
    inspection: &Inspection,
    traces: &Traces,
    expectation: &Expectation,
    findings: &mut Vec<Problem>,
) {
    if inspection.kind == Kind::SharedObject {
        findings.push(problem(Code::NotAnExecutable, "this is a shared library, not an executable", None));
    } else if let Some(interpreter) = &inspection.interpreter {
        findings.push(problem(
            Code::DynamicExecutable,
            format!("the executable is dynamic: it is loaded by {interpreter}"),
            Some(
                "link it statically; `musl-gcc -static-pie` writes a dynamic executable without a word, \
                 `brawn cc -static-pie` does not",
            ),
        ));
    }
    if inspection.kind != Kind::SharedObject && !inspection.needed.is_empty() {
        findings.push(problem(
            Code::NeedsLibraries,
            format!("the executable needs shared libraries: {}", inspection.needed.join(", ")),
            Some("give the linker static libraries (`.a`) of these, built against musl"),
        ));
    }
    if traces.cut_off {
        findings.push(problem(
            Code::CutOff,
            "the file ends before its last segment does",
            Some("the disk may be full, or the link was interrupted: link again"),
        ));
    }
    if let Some(wanted) = expectation.arch
        && inspection.format.arch != wanted.name()
    {
        findings.push(problem(
            Code::WrongArchitecture,
            format!("the executable is for {}, not for {wanted}", inspection.format.arch),
            Some("check `--target`, and which linker the target's `linker` setting names"),
        ));
    }
}

fn check_note(traces: &Traces, expectation: &Expectation, findings: &mut Vec<Problem>) {
    let notes = match &traces.notes {
        Ok(notes) => notes,
        Err(error) => {
            let code = match error {
                Error::NotesDisagree { .. } => Code::NotesDisagree,
                _ => Code::NoteDamaged,
            };
            findings.push(problem(code, error.to_string(), error.hint()));
            return;
        }
    };
    let Some(note) = &notes.note else {
        findings.push(problem(
            Code::NoNote,
            "the executable carries no note of Brawn: it was linked with another libc.a",
            Some(
                "build it with `brawn build` or `brawn cc`; a linker option may have put another `-L` first",
            ),
        ));
        return;
    };
    let mut differs = |what: &str, wanted: Option<&str>, found: Option<&str>| {
        if wanted.is_some() && wanted != found {
            findings.push(problem(
                Code::NotAsAsked,
                format!(
                    "the executable's note names the {what} {}, and {} was asked for",
                    found.unwrap_or("none"),
                    wanted.unwrap_or_default()
                ),
                Some("an older executable may have been left in place: link again"),
            ));
        }
    };
    differs("allocator", expectation.malloc.as_deref(), Some(&note.malloc));
    differs("overlay", expectation.overlay.as_deref(), Some(&note.overlay));
    let link = |id: &Option<LinkId>| id.as_ref().map(|id| id.as_str().to_owned());
    differs("link", link(&expectation.link_id).as_deref(), link(&notes.link_id).as_deref());
}

const RELINK: &str = "link again; if it stays, this is a fault in Brawn worth a report";

fn check_heaps(inspection: &Inspection, traces: &Traces, note: &Note, report: &mut Report) {
    let heaps = &inspection.allocators;
    let of_musl = |heap: &&Heap| MUSL_HEAPS.contains(&heap.name.as_str());
    let musl: Vec<&Heap> = heaps.iter().filter(of_musl).collect();
    let findings = &mut report.findings;
    if note.malloc == STOCK {
        check_stock(heaps, &musl, traces, findings);
    } else {
        check_kit(heaps, &musl, traces, note, findings);
    }
    // Heaps that serve neither malloc nor libc: what a #[global_allocator] brings. Go's runtime cannot do without its own.
    let first = match heaps.iter().find(|heap| heap.kit).or(musl.first().copied()) {
        Some(first) => describe(first),
        None => "the one that the note names".to_owned(),
    };
    let own =
        |heap: &&Heap| !heap.kit && !of_musl(heap) && !matches!(heap.role, Role::LibcHeap | Role::Runtime);
    for second in heaps.iter().filter(own) {
        let hint = "remove the #[global_allocator] attribute and the crate that it names from the dependencies: \
                    Brawn's heap already serves Rust and C";
        report.warnings.push(problem(
            Code::SecondHeap,
            format!("the program has two heaps: {first}, and {} that it brings itself", describe(second)),
            Some(hint),
        ));
    }
}

/// musl's `dlopen` for static executables is linked when something calls it, and knows one answer.
fn check_loading(data: &[u8], warnings: &mut Vec<Problem>) {
    const ANSWER: &[u8] = &veil(b"Dynamic loading not supported\0");
    if memchr::memmem::find(data, &unveil(ANSWER)).is_some() {
        warnings.push(problem(
            Code::DynamicLoading,
            "the program calls dlopen, which always fails in a static executable",
            Some(
                "link what it would load (plugins, modules) into it, or leave it dynamic; `brawn check` tells whether \
                 it comes to that when it runs",
            ),
        ));
    }
}

/// Functions that look at the processor leave a trace; they may only be there when the note says so. Their absence
/// proves nothing: a program may use none, or only ones too short to look.
fn check_strings(traces: &Traces, note: &Note, findings: &mut Vec<Problem>) {
    let present = traces.symbols.as_ref().is_some_and(|symbols| symbols.string_level);
    let noted = match &note.cpu {
        _ if !note.strings => "musl's own string functions".to_owned(),
        Some(cpu) => format!("string functions for {cpu} alone"),
        None => return,
    };
    if present {
        findings.push(problem(
            Code::StringsNotAsNoted,
            format!("the note names {noted}, and the kit's for any processor are linked in"),
            Some("keep one overlay on the link line"),
        ));
    }
}

/// The note says that musl's own heap was left in place.
fn check_stock(heaps: &[Heap], musl: &[&Heap], traces: &Traces, findings: &mut Vec<Problem>) {
    for heap in heaps.iter().filter(|heap| heap.kit) {
        findings.push(problem(
            Code::HeapNotAsNoted,
            format!("the note says that musl's own heap is in place, and {} is linked in", describe(heap)),
            Some(RELINK),
        ));
    }
    let Some(owner) = heaps.iter().find(|heap| heap.role == Role::LibcHeap) else { return };
    if owner.kit || MUSL_HEAPS.contains(&owner.name.as_str()) {
        return;
    }
    let has_malloc = traces.symbols.as_ref().is_some_and(|symbols| symbols.family.contains_key("malloc"));
    let message = match musl.first() {
        Some(inner) if has_malloc => {
            let (code, text) = (
                Code::TwoOwners,
                format!(
                    "malloc belongs to {}, and libc itself goes on using {}",
                    describe(owner),
                    describe(inner)
                ),
            );
            problem(code, text, Some(OWN_MALLOC))
        }
        _ => problem(
            Code::HeapNotAsNoted,
            format!(
                "the note says that musl's own heap is in place, and malloc belongs to {}",
                describe(owner)
            ),
            Some(OWN_MALLOC),
        ),
    };
    findings.push(message);
}

/// The kit's front that counts.
const COUNTER: &str = "trace";

const OWN_MALLOC: &str = "the program or a library that it links defines malloc itself: leave that out (most have a \
                          build option for it, such as `--disable-tcmalloc` or `MALLOC=libc`)";

/// The note names an allocator of the kit.
fn check_kit(heaps: &[Heap], musl: &[&Heap], traces: &Traces, note: &Note, findings: &mut Vec<Problem>) {
    let kits: Vec<&Heap> = heaps.iter().filter(|heap| heap.kit).collect();
    let noted = match &note.malloc_version {
        Some(version) => format!("{} {version}", note.malloc),
        None => note.malloc.clone(),
    };
    if kits.len() > 1 {
        let names: Vec<String> = kits.iter().map(|heap| describe(heap)).collect();
        findings.push(problem(
            Code::TwoKitHeaps,
            format!("two allocators of the kit are linked in: {}", names.join(" and ")),
            Some("keep one overlay on the link line"),
        ));
    }
    let as_noted = |marker: &KitMarker| {
        marker.name == note.malloc && (note.malloc_version.is_none() || marker.version == note.malloc_version)
    };
    if let Some(marker) = traces.markers.iter().find(|marker| !as_noted(marker)) {
        let found = marker.version.as_deref().map_or(String::new(), |version| format!(" {version}"));
        findings.push(problem(
            Code::HeapNotAsNoted,
            format!("the note names {noted}, and the kit's {}{found} is linked in", marker.name),
            Some(RELINK),
        ));
    }
    let outside = traces.symbols.as_ref().map(|symbols| symbols.strong.as_slice()).unwrap_or_default();
    for heap in musl {
        let why: Vec<&str> = heap.evidence.iter().map(|evidence| evidence.detail.as_str()).collect();
        let which = match outside {
            [] => String::new(),
            names => format!("; not the kit's: {}", names.join(", ")),
        };
        findings.push(problem(
            Code::LeftoverMuslHeap,
            format!(
                "the note names {noted}, and {} is still linked in ({}{which}): memory of one heap would be freed \
                 into the other",
                describe(heap),
                why.join("; ")
            ),
            Some("a library on the link line may bring a part of musl's libc.a; otherwise this is a fault in Brawn"),
        ));
    }
    if kits.is_empty() {
        // musl's fork has an empty __malloc_atfork of its own, for programs that do not allocate.
        let family = traces
            .symbols
            .as_ref()
            .and_then(|symbols| symbols.family.keys().find(|name| **name != "__malloc_atfork"));
        let owner = heaps
            .iter()
            .find(|heap| heap.role == Role::LibcHeap && !MUSL_HEAPS.contains(&heap.name.as_str()));
        let message = match (owner, family, heaps.first()) {
            (Some(owner), _, _) => format!("malloc belongs to {}", describe(owner)),
            (None, Some(name), _) if musl.is_empty() => format!("`{name}` is defined without it"),
            (None, None, Some(heap)) if musl.is_empty() => format!("all that is found is {}", describe(heap)),
            _ => return,
        };
        findings.push(problem(
            Code::HeapNotAsNoted,
            format!("the note names {noted}, which is not linked in: {message}"),
            Some(OWN_MALLOC),
        ));
    // The one that counts leaves aligned_alloc and its kind to musl.
    } else if musl.is_empty() && !outside.is_empty() && kits[0].name != COUNTER {
        findings.push(problem(
            Code::TwoOwners,
            format!(
                "{} is linked in, and these functions are not its own: {}",
                describe(kits[0]),
                outside.join(", ")
            ),
            Some(OWN_MALLOC),
        ));
    }
}
