use brawn_base::Diagnostic as _;
use object::{Endianness, elf};

use crate::code::{self, CodeFacts};
use crate::cpu::{self, CpuLevel};
use crate::dynamic::{self, Dynamic};
use crate::heap::{self, Clues, KitMarker};
use crate::inspection::{
    Endian, Finding, Format, Hardening, Inspection, Kind, Libc, LibcName, Relro, Rust, SCHEMA_VERSION,
    Severity, Sizes, StringFunctions, StringsOwner, ThreadStack, ThreadStackSource,
};
use crate::note::notes_of_image;
use crate::property::{self, Properties};
use crate::signature::{self, Hits, Mark};
use crate::symbols::SymbolFacts;
use crate::{BrawnNotes, Error, Evidence, EvidenceKind, Image, crates, verdict};

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
    let serves = note.as_ref().map(|note| note.serves.as_slice()).unwrap_or_default();
    let symbols = heap::symbol_facts(image, &markers, serves);
    let code = code::facts(image);
    let allocators = heap::list(&Clues {
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
    if libc.name == LibcName::Unknown
        && allocators.iter().any(|heap| heap::MUSL_HEAPS.contains(&heap.name.as_str()))
    {
        libc.name = LibcName::Musl;
        libc.evidence.push(Evidence::new(EvidenceKind::Data, "musl's own heap is in it"));
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
        rust: rust(image, &hits, &comments),
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
    let segment = image.segments.iter().find(|segment| segment.kind == elf::PT_INTERP.0)?;
    let text = &segment.data[..segment.data.len().min(4096)];
    let text = &text[..memchr::memchr(0, text).unwrap_or(text.len())];
    Some(String::from_utf8_lossy(text).into_owned())
}

fn libc(
    image: &Image<'_>,
    dynamic: &Dynamic,
    hits: &Hits,
    symbols: Option<&SymbolFacts>,
    interpreter: Option<&str>,
    note: Option<&crate::Note>,
) -> Libc {
    let mut libc =
        Libc { name: LibcName::Unknown, version: None, minimum_version: None, evidence: Vec::new() };
    let mut claim = |name: LibcName, kind: EvidenceKind, detail: String| {
        // The first to speak decides, and the others may only agree.
        if libc.name == LibcName::Unknown {
            libc.name = name;
        }
        if libc.name == name {
            libc.evidence.push(Evidence::new(kind, detail));
        }
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

/// Go's build information: the magic, at offset 15 flags, from offset 32 the length and the text of the version
/// (since Go 1.18; earlier ones have a pointer there, and are not read).
fn go_version(image: &Image<'_>, hits: &Hits) -> Option<String> {
    const INLINE: u8 = 2;
    hits.offsets(Mark::Go).find_map(|offset| {
        let info = image.data.get(offset..)?;
        let length = usize::from(*info.get(32)?);
        let text = std::str::from_utf8(info.get(33..33 + length)?).ok()?;
        (info[15] & INLINE != 0 && length < 128 && text.starts_with("go")).then(|| text.to_owned())
    })
}

fn comments(image: &Image<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let data = image.section(".comment").map(|section| section.data).unwrap_or_default();
    for line in data[..data.len().min(64 * 1024)].split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line).into_owned();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn rust(image: &Image<'_>, hits: &Hits, comments: &[String]) -> Option<Rust> {
    let version = comments.iter().find_map(|line| {
        let version = line.strip_prefix("rustc version ")?;
        Some(version.split_whitespace().next()?.to_owned())
    });
    let commit = hits.offsets(Mark::RustCommit).find_map(|offset| {
        let hash = image.data.get(offset + 7..offset + 7 + 40)?;
        let hash = std::str::from_utf8(hash).ok()?;
        hash.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| hash.to_owned())
    });
    (version.is_some() || commit.is_some()).then_some(Rust { version, commit })
}

fn build_id(image: &Image<'_>) -> Option<String> {
    let segments = image.segments.iter().filter(|segment| segment.kind == elf::PT_NOTE.0);
    let sections = image.sections.iter().filter(|section| section.name == b".note.gnu.build-id");
    let areas = segments.map(|segment| segment.data).chain(sections.map(|section| section.data));
    areas.take(64).find_map(|data| {
        let mut notes =
            object::read::elf::NoteIterator::<elf::FileHeader64<Endianness>>::new(image.endian, 4, data)
                .ok()?;
        // The identity is among the first notes of its segment.
        for _ in 0..16 {
            let note = notes.next().ok()??;
            if note.name() == b"GNU"
                && note.n_type(image.endian) == elf::NT_GNU_BUILD_ID
                && note.desc().len() <= 64
            {
                return Some(note.desc().iter().map(|byte| format!("{byte:02x}")).collect());
            }
        }
        None
    })
}

fn hardening(image: &Image<'_>, dynamic: &Dynamic, kind: Kind, libc: &Libc, code: CodeFacts) -> Hardening {
    let segment = |kind: elf::ProgramType| image.segments.iter().find(|segment| segment.kind == kind.0);
    let relro = match segment(elf::PT_GNU_RELRO) {
        None => Relro::None,
        Some(_) if kind.is_static() && libc.name == LibcName::Musl => Relro::NotApplied,
        Some(_) if kind.is_static() || dynamic.bind_now => Relro::Full,
        Some(_) => Relro::Partial,
    };
    let Properties { branch_targets, return_addresses, .. } = property::read(image);
    let both = elf::PF_W.0 | elf::PF_X.0;
    Hardening {
        pie: matches!(kind, Kind::StaticPie | Kind::DynamicPie),
        relro,
        // Without the header, the kernel gives an executable stack on x86.
        nx_stack: segment(elf::PT_GNU_STACK).is_some_and(|stack| stack.flags & elf::PF_X.0 == 0),
        writable_code: image
            .segments
            .iter()
            .any(|segment| segment.kind == elf::PT_LOAD.0 && segment.flags & both == both),
        stack_canary: stack_canary(image, kind, code),
        branch_targets,
        return_addresses,
    }
}

/// On x86-64, code that checks reads the canary from its place in the thread's block. Elsewhere, a dynamic file asks
/// for the function that is called when the check fails; a static one has it whether it checks or not.
fn stack_canary(image: &Image<'_>, kind: Kind, code: CodeFacts) -> Option<bool> {
    if elf::Machine(image.machine) == elf::EM_X86_64 {
        return Some(code.canary_reads > 0);
    }
    if kind.is_static() {
        return None;
    }
    let symbols = image.dynamic_symbols()?;
    Some(symbols.iter().any(|symbol| symbol.name == b"__stack_chk_fail"))
}

/// Whose string functions these are.
fn strings(
    image: &Image<'_>,
    dynamic: &Dynamic,
    libc: &Libc,
    code: CodeFacts,
    symbols: Option<&SymbolFacts>,
    note: Option<&crate::Note>,
) -> StringFunctions {
    let mut strings = StringFunctions { owner: StringsOwner::Unknown, evidence: Vec::new() };
    let mut claim = |owner: StringsOwner, kind: EvidenceKind, detail: &str| {
        if strings.owner == StringsOwner::Unknown {
            strings.owner = owner;
        }
        if strings.owner == owner {
            strings.evidence.push(Evidence::new(kind, detail));
        }
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
        elf::EM_X86_64 => 37,
        elf::EM_AARCH64 => 1032,
        _ => return false,
    };
    const ENTRY: usize = 24;
    const MOST: usize = 4096;
    let tables = [".rela.plt", ".rela.iplt", ".rela.dyn"];
    tables.iter().filter_map(|name| image.section(name)).any(|table| {
        let kinds = table.data.chunks_exact(ENTRY).take(MOST).map(|entry| {
            let kind = entry[8..12].try_into().expect("four bytes");
            if image.endian == Endianness::Little {
                u32::from_le_bytes(kind)
            } else {
                u32::from_be_bytes(kind)
            }
        });
        kinds.into_iter().any(|kind| kind == wanted)
    })
}

/// The level that Go's compiler was told, from the build information: `build\tGOAMD64=v3`.
fn go_level(image: &Image<'_>) -> Option<CpuLevel> {
    let levels = [("v1", CpuLevel::V1), ("v2", CpuLevel::V2), ("v3", CpuLevel::V3), ("v4", CpuLevel::V4)];
    let data = signature::constant_data(image);
    let finder = memchr::memmem::Finder::new(b"build\tGOAMD64=");
    data.into_iter().find_map(|range| {
        let data = &image.data[range];
        let name = data.get(finder.find(data)? + finder.needle().len()..)?.get(..2)?;
        levels.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, level)| *level)
    })
}

fn thread_stack(image: &Image<'_>, kind: Kind, libc: &Libc) -> ThreadStack {
    // musl: `__default_stacksize`, which start-up raises to PT_GNU_STACK's size but not above DEFAULT_STACK_MAX
    // (src/internal/pthread_impl.h, src/env/__init_tls.c, ldso/dynlink.c).
    const MUSL_DEFAULT: u64 = 128 * 1024;
    const MUSL_MOST: u64 = 8 * 1024 * 1024;
    let size = image.segments.iter().find(|segment| segment.kind == elf::PT_GNU_STACK.0);
    let size = size.map_or(0, |segment| segment.memory_size);
    let (bytes, source) = match libc.name {
        _ if kind == Kind::SharedObject => (None, ThreadStackSource::Unknown),
        LibcName::Musl if size > MUSL_DEFAULT => {
            (Some(size.min(MUSL_MOST)), ThreadStackSource::ProgramHeader)
        }
        LibcName::Musl => (Some(MUSL_DEFAULT), ThreadStackSource::MuslDefault),
        LibcName::Glibc => (None, ThreadStackSource::ResourceLimit),
        LibcName::None => (None, ThreadStackSource::Runtime),
        LibcName::Bionic | LibcName::Unknown => (None, ThreadStackSource::Unknown),
    };
    ThreadStack { bytes, source }
}

fn is_debug(name: &[u8]) -> bool {
    name.starts_with(b".debug_") || name.starts_with(b".zdebug_")
}

fn sizes(image: &Image<'_>) -> Sizes {
    let mut sizes = Sizes { file: image.data.len() as u64, ..Sizes::default() };
    let loaded = image.sections.iter().any(|section| section.flags & elf::SHF_ALLOC.0 != 0);
    sizes.by_section = loaded;
    if loaded {
        for section in &image.sections {
            let has = |flag: elf::SectionFlags| section.flags & flag.0 != 0;
            let nobits = section.kind == elf::SHT_NOBITS.0;
            let part = if !has(elf::SHF_ALLOC) {
                match section.name {
                    name if is_debug(name) => &mut sizes.debug,
                    b".symtab" | b".strtab" => &mut sizes.symbols,
                    _ => continue,
                }
            } else if nobits && has(elf::SHF_TLS) {
                // Thread-local zeros exist once per thread, and none of them in the executable's own image.
                continue;
            } else if nobits {
                &mut sizes.bss
            } else if has(elf::SHF_EXECINSTR) {
                &mut sizes.text
            } else if has(elf::SHF_WRITE) {
                &mut sizes.data
            } else {
                &mut sizes.read_only
            };
            *part = part.saturating_add(section.size);
        }
    } else {
        for segment in image.segments.iter().filter(|segment| segment.kind == elf::PT_LOAD.0) {
            let size = segment.data.len() as u64;
            let part = match segment.flags {
                flags if flags & elf::PF_X.0 != 0 => &mut sizes.text,
                flags if flags & elf::PF_W.0 != 0 => &mut sizes.data,
                _ => &mut sizes.read_only,
            };
            *part = part.saturating_add(size);
            sizes.bss = sizes.bss.saturating_add(segment.memory_size.saturating_sub(size));
        }
    }
    sizes
}
