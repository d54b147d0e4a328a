//! One test for each promise that `verify` checks, each on an executable that real compilers made and that really
//! keeps or breaks it.

mod common;

use brawn_elf::{Code, Expectation, Note, Report, SecondHeap, verify};
use common::archive::{replace_heap, with_note};
use common::{Sandbox, musl_folder, note};

const KIT: (&str, Option<&str>) = ("mimalloc", Some("3.3.2"));

/// Allocates, aligned too, and through libc (`strdup`, and `newlocale` by the names that libc uses inside).
const PROGRAM: &str = r#"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char *text = strdup(argv[0]);
    void *aligned = aligned_alloc(64, 64 * (size_t)argc);
    locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
    text = realloc(text, 4096);
    puts(text && aligned && locale ? "ok" : "no memory");
    free(text);
    free(aligned);
    freelocale(locale);
    return 0;
}
"#;

/// A program's own malloc, C's plain four.
const OWN_MALLOC: &str = r#"
#include <stddef.h>
#include <string.h>
static char pool[1 << 20];
static size_t used;
void *malloc(size_t size) {
    size_t start = (used + 31) & ~(size_t)15;
    used = start + size;
    memcpy(pool + start - sizeof size, &size, sizeof size);
    return pool + start;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *old, size_t size) { return old ? memcpy(malloc(size), old, size) : malloc(size); }
void *aligned_alloc(size_t align, size_t size) { (void)align; return malloc(size); }
"#;

struct Program {
    sandbox: Sandbox,
}

impl Program {
    /// Links `main.c` (and `own.c`, if there) against a `libc.a` that `prepare` makes.
    fn link(source: &str, flags: &str, prepare: impl FnOnce(&Sandbox)) -> Program {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        sandbox.write("main.c", source);
        sandbox.tool("musl-gcc", &format!("-O1 -static -L. main.c {flags} -o program"));
        Program { sandbox }
    }

    fn report(&self) -> Report {
        verify(&self.sandbox.read("program"), &Expectation::default())
    }

    fn stripped(&self) -> Report {
        self.sandbox.tool("strip", "--strip-all program -o stripped");
        let report = verify(&self.sandbox.read("stripped"), &Expectation::default());
        assert!(!report.symbols);
        report
    }

    fn allowing(&self) -> Report {
        let expectation = Expectation { second_heap: SecondHeap::Allowed, ..Expectation::default() };
        verify(&self.sandbox.read("program"), &expectation)
    }

    fn runs(&self) -> &Program {
        assert_eq!(self.sandbox.run("program"), "ok\n");
        self
    }
}

fn libc() -> std::path::PathBuf {
    musl_folder().join("libc.a")
}

fn kit_note() -> Note {
    note(KIT.0, KIT.1)
}

fn kit_libc(sandbox: &Sandbox) {
    with_note(sandbox, &libc(), &kit_note());
    replace_heap(sandbox, "", &[]);
}

fn codes(report: &Report) -> Vec<&'static str> {
    report.findings.iter().map(|problem| problem.code.name()).collect()
}

#[track_caller]
fn assert_fine(report: &Report) {
    assert!(report.is_ok() && report.warnings.is_empty(), "{report:#?}");
}

#[test]
fn an_executable_of_the_kit_is_fine_with_and_without_symbols() {
    let program = Program::link(PROGRAM, "", kit_libc);
    for report in [program.runs().report(), program.stripped()] {
        assert_fine(&report);
        let heap = report.heap.unwrap();
        assert!(heap.kit);
        assert_eq!((heap.name.as_str(), heap.version.as_deref()), KIT);
        assert_eq!(report.note, Some(kit_note()));
    }
}

#[test]
fn an_executable_of_the_stock_preset_is_fine_with_and_without_symbols() {
    let program = Program::link(PROGRAM, "", |sandbox| with_note(sandbox, &libc(), &note("stock", None)));
    for report in [program.runs().report(), program.stripped()] {
        assert_fine(&report);
        assert_eq!(report.heap.unwrap().name, "mallocng");
    }
}

#[test]
fn a_program_that_never_allocates_is_fine() {
    let source = "int main(void) { return 0; }";
    for malloc in [("stock", None), KIT] {
        let program = Program::link(source, "", |sandbox| {
            with_note(sandbox, &libc(), &note(malloc.0, malloc.1));
            if malloc == KIT {
                replace_heap(sandbox, "", &[]);
            }
        });
        for report in [program.report(), program.stripped()] {
            assert_fine(&report);
            assert_eq!(report.heap, None);
        }
    }
}

#[test]
fn a_dynamic_executable_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", PROGRAM);
    sandbox.tool("gcc", "main.c -o program");
    let report = verify(&sandbox.read("program"), &Expectation::default());
    assert_eq!(codes(&report), ["dynamic-executable", "needs-libraries", "no-note"]);
    assert!(report.findings[0].message.contains("/ld-linux-x86-64.so.2"), "{report:#?}");
    assert!(report.findings[1].message.contains("libc.so.6"), "{report:#?}");
}

/// `musl-gcc` writes a dynamic executable when it is asked for a static-pie one. With a note inside, that is still
/// no static executable.
#[test]
fn what_musl_gcc_makes_of_static_pie_is_refused() {
    let sandbox = Sandbox::new();
    with_note(&sandbox, &libc(), &note("stock", None));
    sandbox.write("main.c", PROGRAM);
    sandbox.tool("musl-gcc", "-static-pie -fPIE main.c -L. -o program");
    let report = verify(&sandbox.read("program"), &Expectation::default());
    assert!(codes(&report).contains(&"dynamic-executable"), "{report:#?}");
}

#[test]
fn a_static_executable_without_a_note_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("main.c", PROGRAM);
    for tool in ["musl-gcc", "gcc"] {
        sandbox.tool(tool, "-static main.c -o program");
        assert_eq!(codes(&verify(&sandbox.read("program"), &Expectation::default())), ["no-note"], "{tool}");
    }
}

/// What happens when a replacement forgets one function: it links without a word.
#[test]
fn a_forgotten_aligned_alloc_is_found_with_and_without_symbols() {
    let program = Program::link(PROGRAM, "", |sandbox| {
        with_note(sandbox, &libc(), &kit_note());
        replace_heap(sandbox, "-DFORGET_ALIGNED_ALLOC", &["aligned_alloc.lo", "malloc.lo"]);
    });
    for report in [program.report(), program.stripped()] {
        assert_eq!(codes(&report), ["leftover-musl-heap"], "{report:#?}");
        assert!(report.findings[0].message.contains("mallocng"), "{report:#?}");
    }
    assert!(program.report().findings[0].message.contains("aligned_alloc"), "{:#?}", program.report());
}

/// The bump allocator has no data to know it by: only symbols show it.
#[test]
fn a_forgotten_bump_allocator_is_found_by_its_symbols() {
    let source = "#include <stdlib.h>\nextern void *__libc_malloc(size_t);\n\
                  int main(void) { return !malloc(1) || !__libc_malloc(1); }";
    let sandbox = Sandbox::new();
    with_note(&sandbox, &libc(), &kit_note());
    sandbox.write("main.c", source);
    sandbox.tool("musl-gcc", "-O1 -static -L. main.c -o program");
    let report = verify(&sandbox.read("program"), &Expectation::default());
    assert!(codes(&report).contains(&"leftover-musl-heap"), "{report:#?}");
    assert!(report.findings[0].message.contains("__simple_malloc"), "{report:#?}");
}

#[test]
fn a_program_with_its_own_malloc_beside_the_kits_has_two_owners() {
    let program = Program::link(PROGRAM, "own.c", |sandbox| {
        kit_libc(sandbox);
        sandbox.write("own.c", OWN_MALLOC);
    });
    let report = program.runs().report();
    assert_eq!(codes(&report), ["two-owners"], "{report:#?}");
    let message = &report.findings[0].message;
    assert!(
        message.contains("malloc") && message.contains("realloc") && message.contains("free"),
        "{message}"
    );
    assert!(!message.contains("__libc_malloc"), "{message}");
}

#[test]
fn a_program_with_its_own_malloc_beside_musls_has_two_owners() {
    let program = Program::link(PROGRAM, "own.c", |sandbox| {
        with_note(sandbox, &libc(), &note("stock", None));
        sandbox.write("own.c", OWN_MALLOC);
    });
    let report = program.runs().report();
    assert_eq!(codes(&report), ["two-owners"], "{report:#?}");
    assert!(report.findings[0].message.contains("mallocng"), "{report:#?}");
}

#[test]
fn a_program_with_its_own_malloc_alone_has_not_the_heap_that_is_noted() {
    let source = "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n\
                  int main(int c, char **v) { char *t = strdup(v[c - 1]); puts(\"ok\"); free(t); return 0; }";
    for malloc in [KIT, ("stock", None)] {
        let program = Program::link(source, "own.c", |sandbox| {
            with_note(sandbox, &libc(), &note(malloc.0, malloc.1));
            if malloc == KIT {
                replace_heap(sandbox, "", &[]);
            }
            sandbox.write("own.c", OWN_MALLOC);
        });
        let report = program.runs().report();
        let own = "one heap: a malloc of the program's own";
        if malloc == KIT {
            assert_eq!(codes(&report), ["heap-not-as-noted"], "{report:#?}");
            assert!(report.findings[0].hint.as_ref().unwrap().contains("--allow-second-heap"), "{report:#?}");
        } else {
            // Nothing was promised but a heap, and there is one.
            assert_fine(&report);
            assert_eq!(report.heaps_in_words(), own);
        }
        let allowed = program.allowing();
        assert_fine(&allowed);
        assert_eq!(allowed.heaps_in_words(), own);
        // Nothing in it is known by its bytes.
        let bare = program.stripped().heaps_in_words();
        assert!(bare.starts_with("no heap that shows without symbols"), "{bare}");
    }
}

/// Blocks of one heap would be freed into the other: no option makes that right.
#[test]
fn a_malloc_that_is_not_whole_is_refused_in_any_case() {
    for malloc in [KIT, ("stock", None)] {
        let program = Program::link(PROGRAM, "own.c", |sandbox| {
            with_note(sandbox, &libc(), &note(malloc.0, malloc.1));
            if malloc == KIT {
                replace_heap(sandbox, "", &[]);
            }
            sandbox.write("own.c", OWN_MALLOC.replace("void *realloc(", "static void *unused("));
        });
        assert_eq!(codes(&program.allowing()), ["two-owners"], "{malloc:?}");
    }
}

/// libc keeps what it allocates for itself apart, and the bump allocator never frees.
#[test]
fn a_whole_malloc_beside_one_that_libc_keeps_to_itself_can_be_allowed() {
    let source = "#include <stdlib.h>\n#include <stdio.h>\nstatic void end(void) { }\n\
                  int main(int c, char **v) { atexit(end); puts(malloc(c) && v ? \"ok\" : \"no\"); return 0; }";
    let program = Program::link(source, "own.c", |sandbox| {
        with_note(sandbox, &libc(), &note("stock", None));
        sandbox.write("own.c", OWN_MALLOC);
    });
    assert_eq!(codes(&program.runs().report()), ["two-owners"]);
    let allowed = program.allowing();
    assert_fine(&allowed);
    let words = allowed.heaps_in_words();
    assert_eq!(words, "two heaps: a malloc of the program's own and musl's bump allocator");
}

#[test]
fn another_kit_heap_than_the_noted_is_found_with_and_without_symbols() {
    for marker in ["brawn-kit: mimalloc2 2.3.2", "brawn-kit: mimalloc 3.6.0"] {
        let program = Program::link(PROGRAM, "", |sandbox| {
            with_note(sandbox, &libc(), &kit_note());
            let define = format!("-DMARKER=\"{}\"", marker.replace(' ', "\\040"));
            replace_heap(sandbox, &define, &[]);
        });
        for report in [program.runs().report(), program.stripped()] {
            assert_eq!(codes(&report), ["heap-not-as-noted"], "{report:#?}");
        }
    }
}

#[test]
fn a_kit_heap_under_a_stock_note_is_found() {
    let program = Program::link(PROGRAM, "", |sandbox| {
        with_note(sandbox, &libc(), &note("stock", None));
        replace_heap(sandbox, "", &[]);
    });
    assert_eq!(codes(&program.stripped()), ["heap-not-as-noted"]);
}

#[test]
fn string_functions_that_the_note_does_not_name_are_found() {
    let link = |noted: Note| {
        Program::link(PROGRAM, "other.c", |sandbox| {
            with_note(sandbox, &libc(), &noted);
            replace_heap(sandbox, "", &[]);
            // Hidden, as in the kit: the linker makes it local.
            sandbox.write(
                "other.c",
                "__attribute__((used, visibility(\"hidden\"))) unsigned char __brawn_string_level = 1;",
            );
        })
    };
    let dispatching = Note { strings: true, ..kit_note() };
    assert_fine(&link(dispatching.clone()).report());
    assert_eq!(codes(&link(kit_note()).report()), ["strings-not-as-noted"]);
    let fixed = Note { cpu: Some("x86-64-v3".into()), ..dispatching };
    assert_eq!(codes(&link(fixed).report()), ["strings-not-as-noted"]);
}

#[test]
fn two_kit_heaps_are_found() {
    let program = Program::link(PROGRAM, "other.c", |sandbox| {
        kit_libc(sandbox);
        sandbox.write(
            "other.c",
            "__attribute__((used)) static const char marker[] = \"brawn-kit: jemalloc 5.3.1\";",
        );
    });
    for report in [program.report(), program.stripped()] {
        assert_eq!(codes(&report), ["two-kit-heaps", "heap-not-as-noted"], "{report:#?}");
    }
}

#[test]
fn what_was_asked_for_is_compared_with_the_note() {
    let program = Program::link(PROGRAM, "", kit_libc);
    let data = program.sandbox.read("program");
    let asked = Expectation {
        arch: Some(brawn_elf::Arch::X86_64),
        malloc: Some("mimalloc".into()),
        overlay: Some(kit_note().overlay),
        ..Expectation::default()
    };
    assert_fine(&verify(&data, &asked));
    for (other, code) in [
        (Expectation { malloc: Some("stock".into()), ..asked.clone() }, Code::NotAsAsked),
        (Expectation { overlay: Some("00".into()), ..asked.clone() }, Code::NotAsAsked),
        (
            Expectation { link_id: Some(brawn_elf::LinkId::new("0a").unwrap()), ..asked.clone() },
            Code::NotAsAsked,
        ),
        (Expectation { arch: Some(brawn_elf::Arch::Aarch64), ..asked.clone() }, Code::WrongArchitecture),
    ] {
        let report = verify(&data, &other);
        assert_eq!(codes(&report), [code.name()], "{report:#?}");
    }
}

#[test]
fn what_is_no_executable_or_is_cut_off_is_refused() {
    let program = Program::link(PROGRAM, "", kit_libc);
    let data = program.sandbox.read("program");
    program.sandbox.tool("gcc", "-c main.c");
    let object = program.sandbox.read("main.o");
    for (data, code) in [
        (&b"#!/bin/sh\n"[..], Code::NotAnExecutable),
        (&[][..], Code::NotAnExecutable),
        (&object[..], Code::NotAnExecutable),
        (&data[..80], Code::Damaged),
        (&data[..0x1800], Code::CutOff),
    ] {
        let report = verify(data, &Expectation::default());
        assert!(report.findings.iter().any(|problem| problem.code == code), "{code}: {report:#?}");
    }
}
