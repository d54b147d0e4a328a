//! Which libc is in a file, and whose string functions.

use object::{Endianness, elf, pod};

use crate::code::CodeFacts;
use crate::dynamic::Dynamic;
use crate::inspection::{Libc, LibcName, StringFunctions, StringsOwner};
use crate::signature::{Hits, Mark};
use crate::symbols::SymbolFacts;
use crate::{Evidence, EvidenceKind, Image, Note};

pub(super) fn libc(
    image: &Image<'_>,
    dynamic: &Dynamic,
    hits: &Hits,
    symbols: Option<&SymbolFacts>,
    interpreter: Option<&str>,
    note: Option<&Note>,
) -> Libc {
    let mut libc =
        Libc { name: LibcName::Unknown, version: None, minimum_version: None, evidence: Vec::new() };
    let mut claim = |name: LibcName, kind: EvidenceKind, detail: String| {
        agree(&mut libc.name, LibcName::Unknown, name, &mut libc.evidence, Evidence::new(kind, detail));
    };
    if let Some(interpreter) = interpreter {
        let file = interpreter.rsplit('/').next().unwrap_or_default();
        let known =
            [("ld-musl-", LibcName::Musl), ("ld-linux", LibcName::Glibc), ("ld64.so", LibcName::Glibc)];
        for (start, name) in known {
            if file.starts_with(start) {
                claim(name, EvidenceKind::Dynamic, format!("its interpreter is {interpreter}"));
            }
        }
        if file == "linker64" || file == "linker" {
            claim(LibcName::Bionic, EvidenceKind::Dynamic, format!("its interpreter is {interpreter}"));
        }
    }
    if let Some(version) = &dynamic.glibc_minimum {
        claim(LibcName::Glibc, EvidenceKind::Dynamic, format!("it takes symbols of version GLIBC_{version}"));
    }
    if dynamic.needed.iter().any(|library| library.starts_with("libc.musl-") || library == "libc.so") {
        claim(LibcName::Musl, EvidenceKind::Dynamic, "it needs musl's shared library".to_owned());
    }
    if let Some(note) = note {
        claim(LibcName::Musl, EvidenceKind::Note, format!("Brawn's note says {}", note.libc));
    }
    // A library or dynamic executable that holds a piece of libc's text is not linked against that libc for it.
    if interpreter.is_none() && dynamic.needed.is_empty() {
        if let Some(name) = symbols.and_then(|symbols| symbols.musl.as_ref()) {
            claim(LibcName::Musl, EvidenceKind::Symbols, format!("it defines `{name}`"));
        }
        if let Some(name) = symbols.and_then(|symbols| symbols.glibc.as_ref()) {
            claim(LibcName::Glibc, EvidenceKind::Symbols, format!("it defines `{name}`"));
        }
        if hits.has(Mark::Glibc) || hits.has(Mark::GlibcVersion) {
            claim(LibcName::Glibc, EvidenceKind::Strings, "messages of glibc".to_owned());
        }
        if hits.has(Mark::Musl) {
            claim(LibcName::Musl, EvidenceKind::Strings, "texts of musl's printf or strerror".to_owned());
        }
    }
    match libc.name {
        LibcName::Musl => {
            libc.version = note.and_then(|note| note.libc.strip_prefix("musl ")).map(str::to_owned);
        }
        LibcName::Glibc => {
            libc.minimum_version.clone_from(&dynamic.glibc_minimum);
            libc.version = glibc_version(image, hits);
        }
        _ => {}
    }
    libc
}

/// The first to speak decides, and the others may only agree.
fn agree<T: Copy + PartialEq>(
    said: &mut T,
    unknown: T,
    claimed: T,
    known: &mut Vec<Evidence>,
    new: Evidence,
) {
    if *said == unknown {
        *said = claimed;
    }
    if *said == claimed {
        known.push(new);
    }
}

/// From `GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.`
fn glibc_version(image: &Image<'_>, hits: &Hits) -> Option<String> {
    hits.offsets(Mark::GlibcVersion).find_map(|offset| {
        let line = image.data.get(offset..)?;
        let line =
            std::str::from_utf8(line[..line.len().min(256)].split(|byte| *byte == b'\n').next()?).ok()?;
        let version = line.split_once("release version ")?.1.trim_end_matches(['.', ',']);
        let version = version.split(',').next()?;
        version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then(|| version.to_owned())
    })
}

/// Whose string functions these are.
pub(super) fn strings(
    image: &Image<'_>,
    dynamic: &Dynamic,
    libc: &Libc,
    code: CodeFacts,
    symbols: Option<&SymbolFacts>,
    note: Option<&Note>,
) -> StringFunctions {
    let mut strings = StringFunctions { owner: StringsOwner::Unknown, evidence: Vec::new() };
    let mut claim = |owner: StringsOwner, kind: EvidenceKind, detail: &str| {
        let evidence = Evidence::new(kind, detail);
        agree(&mut strings.owner, StringsOwner::Unknown, owner, &mut strings.evidence, evidence);
    };
    match note.map(|note| note.strings) {
        Some(true) => claim(StringsOwner::Brawn, EvidenceKind::Note, "Brawn's note says so"),
        Some(false) => {
            claim(StringsOwner::Musl, EvidenceKind::Note, "Brawn's note says that they were left alone")
        }
        None => {}
    }
    if symbols.is_some_and(|symbols| symbols.string_level) {
        claim(StringsOwner::Brawn, EvidenceKind::Symbols, "`__brawn_string_level`");
    }
    if code.musl_memcpy > 0 {
        claim(StringsOwner::Musl, EvidenceKind::Code, "memcpy as musl has it in assembly");
    }
    if choosers(image) {
        let detail = "the functions that glibc chooses from when the program starts (IRELATIVE)";
        claim(StringsOwner::Glibc, EvidenceKind::Data, detail);
    }
    if let Some(library) = dynamic.needed.iter().find(|library| library.starts_with("libc.")) {
        let owner = match libc.name {
            LibcName::Musl => StringsOwner::Musl,
            LibcName::Glibc => StringsOwner::Glibc,
            _ => StringsOwner::Unknown,
        };
        if owner != StringsOwner::Unknown {
            claim(owner, EvidenceKind::Dynamic, &format!("it needs {library}"));
        }
    }
    strings
}

/// Whether there are relocations by which a static program on glibc chooses functions.
fn choosers(image: &Image<'_>) -> bool {
    let wanted = match elf::Machine(image.machine) {
        elf::EM_X86_64 => elf::R_X86_64_IRELATIVE,
        elf::EM_AARCH64 => elf::R_AARCH64_IRELATIVE,
        _ => return false,
    };
    const MOST: usize = 4096;
    type Entry = elf::Rela64<Endianness>;
    let tables = [".rela.plt", ".rela.iplt", ".rela.dyn"];
    tables.iter().filter_map(|name| image.section(name)).any(|table| {
        let count = (table.data.len() / size_of::<Entry>()).min(MOST);
        let entries = pod::slice_from_bytes::<Entry>(table.data, count);
        entries.is_ok_and(|(all, _)| all.iter().any(|entry| entry.r_type(image.endian, false) == wanted))
    })
}
