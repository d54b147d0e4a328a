//! Puts together what an inspection tells.

mod hardening;
mod libc;
mod makers;
mod sizes;

use hardening::{hardening, thread_stack};
use libc::{libc, strings};
use makers::{build_id, comments, go_level, go_version, rust};
use sizes::{is_debug, sizes};

use brawn_base::Diagnostic as _;
use object::{Endianness, elf};

use crate::code;
use crate::cpu;
use crate::dynamic::{self, Dynamic};
use crate::heap::{self, Clues, KitMarker};
use crate::inspection::{Endian, Finding, Format, Inspection, Kind, LibcName, SCHEMA_VERSION, Severity};
use crate::note::{Graft, notes_of_image};
use crate::property;
use crate::signature;
use crate::symbols::SymbolFacts;
use crate::{BrawnNotes, Error, Evidence, EvidenceKind, Heap, Image, crates, verdict};

/// Says what is inside an ELF executable or shared library, stripped or not.
///
/// A damaged note or section table is a finding in [`Inspection::verdict`], not an error: the rest is still worth
/// telling.
///
/// # Errors
/// [`Error::NotElf`], [`Error::Damaged`] when not even the program headers can be read, [`Error::WrongKind`] for an
/// object file or a core dump.
pub fn inspect(data: &[u8]) -> Result<Inspection, Error> {
    let image = Image::parse(data)?;
    let (inspection, _) = look(&image)?;
    Ok(look_closer(&image, inspection))
}

/// [`inspect()`] without what has to read all code: the processor that it needs, and the crates in it.
///
/// # Errors
/// As [`inspect()`].
pub fn overview(image: &Image<'_>) -> Result<Inspection, Error> {
    look(image).map(|(inspection, _)| inspection)
}

/// Adds what takes longer than a look at constant data, and no check needs.
pub(crate) fn look_closer(image: &Image<'_>, mut inspection: Inspection) -> Inspection {
    let recorded = inspection.go.as_ref().and_then(|_| go_level(image));
    inspection.cpu = cpu::read(image, &property::read(image), recorded);
    match crates::read(image) {
        Ok(crates) => inspection.crates = crates,
        Err(reason) => inspection.verdict.push(Finding {
            code: "crates-damaged".to_owned(),
            severity: Severity::Error,
            message: reason,
            hint: Some("a tool may have rewritten the section .dep-v0: link it again".to_owned()),
        }),
    }
    inspection.verdict.extend(verdict::of_cpu(&inspection));
    inspection.verdict.sort_by_key(|finding| finding.severity);
    inspection
}

/// What was found on the way that an inspection does not show, and `verify` needs.
pub(crate) struct Traces {
    pub markers: Vec<KitMarker>,
    pub symbols: Option<SymbolFacts>,
    pub notes: Result<BrawnNotes, Error>,
    pub cut_off: bool,
}

pub(crate) fn look(image: &Image<'_>) -> Result<(Inspection, Traces), Error> {
    let dynamic = dynamic::read(image);
    let interpreter = interpreter(image);
    let kind = kind(image, &dynamic, interpreter.is_some())?;
    let hits = signature::search(image);
    let notes = notes_of_image(image);
    let note = notes.as_ref().ok().and_then(|notes| notes.note.clone());
    let markers = heap::kit_markers(image, &hits);
    let serves = note.as_ref().map(|note| note.heaps.serves.as_slice()).unwrap_or_default();
    let symbols = heap::symbol_facts(image, &markers, serves);
    let code = code::facts(image);
    let mut allocators = heap::list(&Clues {
        image,
        hits: &hits,
        code,
        markers: &markers,
        symbols: symbols.as_ref(),
        dynamic: &dynamic,
        note: note.as_ref(),
        is_static: kind.is_static(),
        interpreter: interpreter.as_deref(),
    });
    let mut libc = libc(image, &dynamic, &hits, symbols.as_ref(), interpreter.as_deref(), note.as_ref());
    if libc.name == LibcName::Unknown && allocators.iter().any(Heap::is_musls) {
        libc.name = LibcName::Musl;
        libc.evidence.push(Evidence::new(EvidenceKind::Data, "musl's own heap is in it"));
    }
    // Nothing calls the old heap any more, and the new one may stand on a copy of it.
    let graft = notes.as_ref().ok().and_then(|notes| notes.graft.clone());
    if graft.as_ref().is_some_and(Graft::has_heap) {
        allocators.retain(|heap| !heap.is_musls());
    }
    let go = go_version(image, &hits);
    let is_go = allocators.iter().any(|heap| heap.name == "go");
    if libc.name == LibcName::Unknown && is_go && kind.is_static() {
        libc.name = LibcName::None;
        libc.evidence.push(Evidence::new(EvidenceKind::Data, "Go's runtime, and no trace of a libc"));
    }
    let comments = comments(image);
    let mut inspection = Inspection {
        schema_version: SCHEMA_VERSION,
        format: format(image),
        kind,
        interpreter,
        needed: dynamic.needed.clone(),
        rpath: dynamic.rpath.iter().chain(&dynamic.runpath).cloned().collect(),
        strings: strings(image, &dynamic, &libc, code, symbols.as_ref(), note.as_ref()),
        note,
        link_id: notes.as_ref().ok().and_then(|notes| notes.link_id.clone()),
        graft,
        rust: rust(image, &hits, &comments),
        functions: None,
        crates: None,
        go,
        compilers: comments,
        build_id: build_id(image),
        stripped: symbols.is_none(),
        debug_info: image.sections.iter().any(|section| is_debug(section.name)),
        hardening: hardening(image, &dynamic, kind, &libc, code),
        cpu: None,
        thread_stack: thread_stack(image, kind, &libc),
        sizes: sizes(image),
        allocators,
        libc,
        verdict: Vec::new(),
    };
    inspection.verdict = damage(image, &notes);
    inspection.verdict.extend(verdict::verdict(&inspection));
    let cut_off = image.segments.iter().any(|segment| segment.cut_off);
    Ok((inspection, Traces { markers, symbols, notes, cut_off }))
}

fn damage(image: &Image<'_>, notes: &Result<BrawnNotes, Error>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut say = |code: &str, message: String, hint: Option<&str>| {
        let hint = hint.map(str::to_owned);
        findings.push(Finding { code: code.to_owned(), severity: Severity::Error, message, hint });
    };
    if image.segments.iter().any(|segment| segment.cut_off) {
        say(
            "cut-off",
            "the file ends before its last segment does".to_owned(),
            Some("make or copy it again"),
        );
    }
    if let Some(reason) = &image.sections_damaged {
        say("sections-damaged", format!("its section headers cannot be read: {reason}"), None);
    }
    if let Err(error) = notes {
        let code = match error {
            Error::NotesDisagree { .. } => "notes-disagree",
            _ => "note-damaged",
        };
        say(code, error.to_string(), error.hint().as_deref());
    }
    findings
}

fn kind(image: &Image<'_>, dynamic: &Dynamic, interpreted: bool) -> Result<Kind, Error> {
    const WANTED: &str = "an executable or a shared library";
    let wrong = |found| Err(Error::WrongKind { found, wanted: WANTED });
    match elf::FileType(image.file_type) {
        elf::ET_EXEC if interpreted || !dynamic.needed.is_empty() => Ok(Kind::Dynamic),
        elf::ET_EXEC => Ok(Kind::Static),
        elf::ET_DYN if interpreted => Ok(Kind::DynamicPie),
        // musl-gcc and rustc mark static-pie executables; older linkers do not, and leave an entry point.
        elf::ET_DYN if dynamic.needed.is_empty() && (dynamic.marked_pie || image.entry != 0) => {
            Ok(Kind::StaticPie)
        }
        elf::ET_DYN => Ok(Kind::SharedObject),
        elf::ET_REL => wrong("an object file"),
        elf::ET_CORE => wrong("a core dump"),
        _ => wrong("an ELF file of an unknown type"),
    }
}

fn format(image: &Image<'_>) -> Format {
    let arch = match elf::Machine(image.machine) {
        elf::EM_X86_64 => "x86_64",
        elf::EM_AARCH64 => "aarch64",
        elf::EM_386 => "i686",
        elf::EM_ARM => "arm",
        elf::EM_RISCV if image.is_64 => "riscv64",
        elf::EM_RISCV => "riscv32",
        elf::EM_PPC64 => "powerpc64",
        elf::EM_S390 => "s390x",
        elf::EM_LOONGARCH => "loongarch64",
        _ => "",
    };
    Format {
        bits: if image.is_64 { 64 } else { 32 },
        endian: if image.endian == Endianness::Little { Endian::Little } else { Endian::Big },
        arch: if arch.is_empty() { format!("machine {}", image.machine) } else { arch.to_owned() },
    }
}

fn interpreter(image: &Image<'_>) -> Option<String> {
    let segment = image.segment(elf::PT_INTERP)?;
    let text = &segment.data[..segment.data.len().min(4096)];
    let text = &text[..memchr::memchr(0, text).unwrap_or(text.len())];
    Some(String::from_utf8_lossy(text).into_owned())
}
