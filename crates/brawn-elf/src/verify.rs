use brawn_base::Diagnostic as _;

use crate::expectation::{Expectation, SecondHeap, check_families, check_note};
use crate::heap::{HEAP_OF_LIBRARIES, KitMarker};
use crate::inspect::{Traces, look};
use crate::inspection::{Inspection, Kind};
use crate::obfuscated::{obfuscate, reveal};
use crate::report::{Code, Problem, Report, problem};
use crate::symbols::MALLOC_FAMILY;
use crate::{Error, Heap, Image, Note, PROGRAM, Role};

/// The allocator's name in the note of an overlay that leaves musl's own heap in place.
pub const STOCK: &str = "stock";

/// Checks that an executable keeps Brawn's promises: it is static, carries its note, and has exactly one heap, the
/// one that the note names. A program that never allocates, and so has none, is fine.
///
/// It never fails: a file that cannot be read is a finding.
pub fn verify(data: &[u8], expectation: &Expectation) -> Report {
    match Image::parse(data) {
        Ok(image) => report(data, expectation, look(&image).as_ref()),
        Err(error) => report(data, expectation, Err(&error)),
    }
}

/// Judges what a look at an executable has found.
pub(crate) fn report(
    data: &[u8],
    expectation: &Expectation,
    looked: Result<&(Inspection, Traces), &Error>,
) -> Report {
    let mut report = Report {
        findings: Vec::new(),
        warnings: Vec::new(),
        note: None,
        graft: None,
        heap: None,
        heaps: Vec::new(),
        symbols: false,
    };
    match looked {
        Ok((inspection, traces)) => {
            report.symbols = !inspection.stripped;
            report.heap = inspection.allocators.iter().find(|heap| heap.role == Role::LibcHeap).cloned();
            let linked = |heap: &&Heap| heap.role != Role::Runtime;
            report.heaps = inspection.allocators.iter().filter(linked).cloned().collect();
            report.graft = inspection.graft.clone();
            check_linkage(inspection, traces, expectation, &mut report.findings);
            check_note(traces, expectation, &mut report.findings);
            if let Some(note) = &inspection.note {
                check_families(note, expectation, &mut report.warnings);
                if inspection.kind.is_static() {
                    check_heaps(inspection, traces, note, expectation.second_heap, &mut report);
                    check_strings(traces, note, &mut report.findings);
                    check_loading(data, &mut report.warnings);
                }
                report.note = inspection.note.clone();
            }
        }
        Err(error) => {
            let code = match error {
                Error::NotElf | Error::WrongKind { .. } => Code::NotAnExecutable,
                _ => Code::Damaged,
            };
            report.findings.push(problem(code, error.to_string(), error.hint().as_deref()));
        }
    }
    if expectation.strict {
        report.findings.append(&mut report.warnings);
    }
    report
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
                "link it statically: Rust without `-C target-feature=-crt-static` (RUSTFLAGS, .cargo/config.toml), C with \
                 `brawn cc` (`musl-gcc -static-pie` writes a dynamic executable without a word)",
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

const RELINK: &str = "link again; if it stays, this is a fault in Brawn worth a report";

fn check_heaps(
    inspection: &Inspection,
    traces: &Traces,
    note: &Note,
    second_heap: SecondHeap,
    report: &mut Report,
) {
    let heaps = &inspection.allocators;
    let musl: Vec<&Heap> = heaps.iter().filter(|heap| heap.is_musls()).collect();
    let findings = &mut report.findings;
    if note.malloc == STOCK {
        check_stock(heaps, &musl, traces, note, second_heap, findings);
    } else {
        // zig's stands behind the kit only where something else keeps the kit out.
        let musl: Vec<&Heap> = musl.iter().copied().filter(|heap| !is_zigs(heap)).collect();
        check_kit(heaps, &musl, traces, note, second_heap, findings);
    }
    let server = heaps.iter().find(|heap| heap.role == Role::LibcHeap);
    if let (Some(owner), Some(server)) = (&note.heaps.malloc_owner, server)
        && (server.kit || server.is_musls())
    {
        let owner = if owner == PROGRAM { "the program" } else { owner };
        findings.push(problem(
            Code::HeapNotAsNoted,
            format!("the note says that malloc belongs to {owner}, and it belongs to {server}"),
            Some(RELINK),
        ));
    }
    // Heaps that serve neither malloc nor libc: what a #[global_allocator] brings. Go's runtime cannot do without its own.
    let first = match heaps.iter().find(|heap| heap.kit).or(musl.first().copied()) {
        Some(first) => first.to_string(),
        None => "the one that the note names".to_owned(),
    };
    let serves = |heap: &Heap| matches!(heap.role, Role::LibcHeap | Role::Runtime);
    let own = |heap: &&Heap| !heap.kit && !heap.is_musls() && !serves(heap);
    for second in heaps.iter().filter(own) {
        let hint = "remove the #[global_allocator] attribute and the crate that it names from the dependencies, as \
                    Brawn's heap already serves Rust and C; or link with --one-heap, which puts Brawn's in the place of \
                    mimalloc and jemalloc; --allow-second-heap accepts both";
        let problem = problem(
            Code::SecondHeap,
            format!("two heaps: {first}, and {second} that the program brings itself"),
            Some(hint),
        );
        match second_heap {
            SecondHeap::Refused => report.findings.push(problem),
            SecondHeap::Warned => report.warnings.push(problem),
            SecondHeap::Allowed => {}
        }
    }
}

/// musl's `dlopen` for static executables is linked when something calls it, and knows one answer.
fn check_loading(data: &[u8], warnings: &mut Vec<Problem>) {
    const ANSWER: &[u8] = &obfuscate(b"Dynamic loading not supported\0");
    if memchr::memmem::find(data, &reveal(ANSWER)).is_some() {
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

/// Whether a malloc of the program's own serves all that is allocated and freed by these names, so that no block of one
/// heap is freed into another. Libc may go on using a heap for itself.
fn own_malloc_is_whole(heaps: &[Heap], traces: &Traces, note: &Note) -> bool {
    // Without symbols, the note says what was so when it was linked.
    let Some(symbols) = &traces.symbols else { return note.heaps.malloc_owner.is_some() };
    let own = |name: &&str| symbols.strong.contains(name);
    if heaps.iter().any(is_zigs) {
        return false;
    }
    if heaps.iter().any(|heap| heap.kit) {
        // All of the kit's come at once; which of them are called, no table says.
        MALLOC_FAMILY.iter().all(|name| own(name) || !symbols.family.contains_key(name))
    } else {
        // musl's `malloc` is weak. The others of its family ask the program's malloc, or fail where it has none of theirs; and
        // libc frees what it takes from its own heap by a name of its own, whatever that heap is.
        let forwarded = |name: &&str| symbols.forwarded.contains(name);
        ["malloc", "realloc", "free"].iter().all(|name| own(name) && !forwarded(name))
    }
}

/// zig's libc takes what it hands to the program (`strdup`) from this heap, whatever `malloc` is.
fn is_zigs(heap: &Heap) -> bool {
    heap.name == "zig"
}

/// The note says that musl's own heap was left in place.
fn check_stock(
    heaps: &[Heap],
    musl: &[&Heap],
    traces: &Traces,
    note: &Note,
    second_heap: SecondHeap,
    findings: &mut Vec<Problem>,
) {
    for heap in heaps.iter().filter(|heap| heap.kit) {
        findings.push(problem(
            Code::HeapNotAsNoted,
            format!("the note says that musl's own heap is in place, and {heap} is linked in"),
            Some(RELINK),
        ));
    }
    let Some(owner) = heaps.iter().find(|heap| heap.role == Role::LibcHeap) else { return };
    if owner.kit || owner.is_musls() {
        return;
    }
    let whole = own_malloc_is_whole(heaps, traces, note);
    if whole && (musl.is_empty() || second_heap == SecondHeap::Allowed) {
        return;
    }
    let hint = match whole {
        true => OWN_WHOLE_MALLOC,
        false if heaps.iter().any(is_zigs) => OWN_MALLOC_WITH_ZIG,
        false => OWN_MALLOC,
    };
    let has_malloc = traces.symbols.as_ref().is_some_and(|symbols| symbols.family.contains_key("malloc"));
    let message = match musl.first() {
        Some(inner) if has_malloc || note.heaps.malloc_owner.is_some() => {
            let text = format!("malloc belongs to {owner}, and libc itself goes on using {inner}");
            problem(Code::TwoOwners, text, Some(hint))
        }
        _ => problem(
            Code::HeapNotAsNoted,
            format!("the note says that musl's own heap is in place, and malloc belongs to {owner}"),
            Some(hint),
        ),
    };
    findings.push(message);
}

/// The kit's front that counts.
const COUNTER: &str = "trace";

const OWN_MALLOC: &str = "the program or a library that it links defines malloc itself: leave that out (most have a \
                          build option for it, such as `--disable-tcmalloc` or `MALLOC=libc`)";

const OWN_MALLOC_WITH_ZIG: &str = "the program or a library that it links defines malloc itself, and would free blocks of \
                                   another heap: leave that out, or link with a musl that has no heap of zig's \
                                   (`pip install ziglang==0.15.2`, musl-gcc)";

const OWN_WHOLE_MALLOC: &str = "the program or a library that it links defines malloc itself, and all of it: leave that \
                                out, or accept it with --allow-second-heap";

const OWN_PART_OF_MALLOC: &str = "the program or a library that it links defines malloc itself, but not all of its family: \
                                  leave that out, or link with `--preset stock --allow-second-heap`";

const IN_AN_EXECUTABLE: &str = "brawn-heap is for libraries that other programs load, and Brawn's heap serves all of this \
                                 executable already: leave the crate out of it, or put \
                                 #[cfg(not(target_feature = \"crt-static\"))] before #[global_allocator]";

/// The note names an allocator of the kit.
fn check_kit(
    heaps: &[Heap],
    musl: &[&Heap],
    traces: &Traces,
    note: &Note,
    second_heap: SecondHeap,
    findings: &mut Vec<Problem>,
) {
    let kits: Vec<&Heap> = heaps.iter().filter(|heap| heap.kit).collect();
    let noted = match &note.malloc_version {
        Some(version) => format!("{} {version}", note.malloc),
        None => note.malloc.clone(),
    };
    if kits.len() > 1 {
        let names: Vec<String> = kits.iter().map(ToString::to_string).collect();
        let of_libraries = kits.iter().any(|heap| heap.name == HEAP_OF_LIBRARIES);
        findings.push(problem(
            Code::TwoKitHeaps,
            format!("two allocators of the kit are linked in: {}", names.join(" and ")),
            Some(if of_libraries { IN_AN_EXECUTABLE } else { "keep one overlay on the link line" }),
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
                "the note names {noted}, and {heap} is still linked in ({}{which}): memory of one heap would be freed \
                 into the other",
                why.join("; ")
            ),
            Some("a library on the link line may bring a part of musl's libc.a; otherwise this is a fault in Brawn"),
        ));
    }
    let whole = musl.is_empty() && own_malloc_is_whole(heaps, traces, note);
    if whole && second_heap == SecondHeap::Allowed {
        return;
    }
    let hint = match traces.symbols.as_ref().is_some_and(|symbols| symbols.strong.contains(&"malloc")) {
        true if whole => OWN_WHOLE_MALLOC,
        true => OWN_PART_OF_MALLOC,
        false => OWN_MALLOC,
    };
    // zig's libc is one piece: what needs any of it has its heap too. Where the kit's was not asked for, nothing uses either.
    let unused = outside.is_empty() && heaps.iter().any(is_zigs);
    if kits.is_empty() && !unused {
        // musl's fork has an empty __malloc_atfork of its own, for programs that do not allocate.
        let family = traces
            .symbols
            .as_ref()
            .and_then(|symbols| symbols.family.keys().find(|name| **name != "__malloc_atfork"));
        let owner = heaps.iter().find(|heap| heap.role == Role::LibcHeap && !heap.is_musls());
        let message = match (owner, family, heaps.first()) {
            (Some(owner), _, _) => format!("malloc belongs to {owner}"),
            (None, Some(name), _) if musl.is_empty() => format!("`{name}` is defined without it"),
            (None, None, Some(heap)) if musl.is_empty() => format!("all that is found is {heap}"),
            _ => return,
        };
        findings.push(problem(
            Code::HeapNotAsNoted,
            format!("the note names {noted}, which is not linked in: {message}"),
            Some(hint),
        ));
    // The one that counts leaves aligned_alloc and its kind to musl.
    } else if musl.is_empty() && !outside.is_empty() && kits[0].name != COUNTER {
        findings.push(problem(
            Code::TwoOwners,
            format!("{} is linked in, and these functions are not its own: {}", kits[0], outside.join(", ")),
            Some(hint),
        ));
    }
}
