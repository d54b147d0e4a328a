//! Notes in real executables: written by `add_note_section` and `link_note_object`, linked by real linkers,
//! stripped by real tools, read back by `read_notes`.

mod common;

use brawn_elf::{Arch, Error, HeapFacts, LinkId, add_note_section, link_note_object, read_notes};
use common::{Sandbox, file_of, member_defining, musl_folder, note, run, rust_lld, self_contained};

const HELLO: &str = "#include <stdio.h>\nint main(void) { puts(\"ok\"); return 0; }\n";

fn id() -> LinkId {
    LinkId::new("0123456789abcdef").unwrap()
}

/// A libc.a in `sandbox` whose member with `__libc_start_main` carries the note.
fn noted_libc(sandbox: &Sandbox, original: &std::path::Path) {
    let (name, member) = member_defining(original, "__libc_start_main");
    sandbox.write(&name, add_note_section(&member, &note("stock", None)).unwrap());
    fs_err::copy(original, sandbox.path("libc.a")).unwrap();
    sandbox.tool("ar", &format!("r libc.a {name}"));
    sandbox.write("link.o", link_note_object(Arch::X86_64, &id(), &HeapFacts::default()));
    sandbox.write("hello.c", HELLO);
}

fn assert_noted(sandbox: &Sandbox, file: &str) {
    let notes = read_notes(&sandbox.read(file)).unwrap();
    assert_eq!(notes.note, Some(note("stock", None)), "{file}");
    assert_eq!(notes.link_id, Some(id()), "{file}");
}

#[test]
fn gnu_ld_keeps_both_notes_through_gc_and_strip() {
    let sandbox = Sandbox::new();
    noted_libc(&sandbox, &musl_folder().join("libc.a"));
    sandbox.tool("musl-gcc", "-O1 -static -L. -ffunction-sections -Wl,--gc-sections hello.c link.o -o hello");
    assert_eq!(sandbox.run("hello"), "ok\n");
    assert_noted(&sandbox, "hello");
    sandbox.tool("strip", "--strip-all hello -o stripped");
    assert_noted(&sandbox, "stripped");
    assert_eq!(sandbox.run("stripped"), "ok\n");
}

#[test]
fn gnu_ld_keeps_both_notes_in_a_static_pie_without_section_headers() {
    let sandbox = Sandbox::new();
    noted_libc(&sandbox, &self_contained().join("libc.a"));
    sandbox.tool("musl-gcc", "-O1 -fPIE -c hello.c");
    let crt = self_contained().display().to_string();
    let gcc = file_of("gcc", "libgcc.a").display().to_string();
    sandbox.tool(
        "ld",
        &format!(
            "-static -pie --no-dynamic-linker --gc-sections -s -z noexecstack -o hello \
                  {crt}/rcrt1.o {crt}/crti.o hello.o link.o libc.a {gcc} {crt}/crtn.o"
        ),
    );
    assert_eq!(sandbox.run("hello"), "ok\n");
    assert_noted(&sandbox, "hello");

    // What `sstrip` leaves: no section headers, and a file header that says so.
    let mut bare = sandbox.read("hello");
    bare[0x28..0x30].fill(0);
    bare[0x3c..0x40].fill(0);
    let path = sandbox.write("bare", &bare);
    run(std::process::Command::new("chmod").arg("+x").arg(path));
    assert_eq!(sandbox.run("bare"), "ok\n");
    assert_noted(&sandbox, "bare");
}

#[test]
fn rust_lld_keeps_both_notes_through_gc_and_strip() {
    let sandbox = Sandbox::new();
    noted_libc(&sandbox, &self_contained().join("libc.a"));
    sandbox.tool("musl-gcc", "-O1 -fPIE -c hello.c");
    let crt = self_contained().display().to_string();
    let gcc = file_of("gcc", "libgcc.a").display().to_string();
    sandbox.tool(
        rust_lld(),
        &format!(
            "-flavor gnu -static -pie --no-dynamic-linker --gc-sections --icf=none -o hello \
                  {crt}/rcrt1.o {crt}/crti.o hello.o link.o libc.a {gcc} {crt}/crtn.o"
        ),
    );
    assert_eq!(sandbox.run("hello"), "ok\n");
    assert_noted(&sandbox, "hello");
    sandbox.tool("strip", "--strip-all hello -o stripped");
    assert_noted(&sandbox, "stripped");
}

/// A relocatable link joins the notes of several objects in one section: no gap may come in between.
#[test]
fn notes_of_several_objects_are_joined() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "int a;");
    sandbox.tool("gcc", "-c a.c");
    let with_note = add_note_section(&sandbox.read("a.o"), &note("mimalloc", Some("3.3.2"))).unwrap();
    sandbox.write("a.o", &with_note);
    sandbox.write("b.o", link_note_object(Arch::X86_64, &id(), &HeapFacts::default()));
    sandbox.tool("ld", "-r a.o b.o -o joined.o");
    let notes = read_notes(&sandbox.read("joined.o")).unwrap();
    assert_eq!(notes.note.unwrap().malloc_version.as_deref(), Some("3.3.2"));
    assert_eq!(notes.link_id, Some(id()));
}

#[test]
fn notes_that_differ_are_an_error_and_equal_ones_are_not() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "int a;");
    sandbox.write("b.c", "int b;");
    sandbox.tool("gcc", "-c a.c b.c");
    let object =
        |source: &str, version| add_note_section(&sandbox.read(source), &note("mimalloc", Some(version)));
    sandbox.write("x.o", object("a.o", "3.3.2").unwrap());
    sandbox.write("same.o", object("b.o", "3.3.2").unwrap());
    sandbox.write("other.o", object("b.o", "2.3.2").unwrap());
    sandbox.tool("ld", "-r x.o same.o -o equal.o");
    assert!(read_notes(&sandbox.read("equal.o")).unwrap().note.is_some());
    sandbox.tool("ld", "-r x.o other.o -o differ.o");
    assert_eq!(
        read_notes(&sandbox.read("differ.o")),
        Err(Error::NotesDisagree {
            key: "malloc-version".into(),
            first: "3.3.2".into(),
            second: "2.3.2".into()
        })
    );
}

/// Objects made by C++ and by clang hold section types that simple rewriters refuse; nothing in them may change.
#[test]
fn objects_with_groups_keep_every_byte_of_theirs() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.cpp",
        "template <class T> struct V { T t; ~V(); };\ntemplate <class T> V<T>::~V() { t++; }\n\
                          void f() { V<int> v; v.t = 1; }\n",
    );
    sandbox.tool("g++", "-O0 -g -c a.cpp");
    assert!(sandbox.tool("readelf", "-g a.o").contains("COMDAT group"));
    let noted = add_note_section(&sandbox.read("a.o"), &note("stock", None)).unwrap();
    sandbox.write("noted.o", &noted);
    let before = sandbox.tool("readelf", "-W -s -r -g a.o");
    assert_eq!(sandbox.tool("readelf", "-W -s -r -g noted.o"), before);
    assert_eq!(
        sandbox.tool("objdump", "-d a.o").lines().skip(3).collect::<Vec<_>>(),
        sandbox.tool("objdump", "-d noted.o").lines().skip(3).collect::<Vec<_>>()
    );
    assert_eq!(add_note_section(&noted, &note("stock", None)), Err(Error::AlreadyNoted));
}

#[test]
fn only_objects_take_a_note() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    sandbox.tool("gcc", "hello.c -o hello");
    assert!(matches!(
        add_note_section(&sandbox.read("hello"), &note("stock", None)),
        Err(Error::WrongKind { found: "an executable or shared library", .. })
    ));
    assert_eq!(add_note_section(b"#!/bin/sh\n", &note("stock", None)), Err(Error::NotElf));
    assert!(matches!(
        add_note_section(&sandbox.read("hello")[..40], &note("stock", None)),
        Err(Error::Damaged { .. })
    ));
}

/// A note cut off in the middle is damage to be told, not a file without a note.
#[test]
fn a_damaged_note_is_told() {
    let mut object = link_note_object(Arch::Aarch64, &id(), &HeapFacts::default());
    assert_eq!(read_notes(&object).unwrap().link_id, Some(id()));
    let owner = memchr::memmem::find(&object, b"Brawn\0").unwrap();
    object[owner - 8] = 0xff; // The length of the description.
    assert!(matches!(read_notes(&object), Err(Error::NoteDamaged { .. })));
}

#[test]
fn an_executable_without_a_note_has_none() {
    let sandbox = Sandbox::new();
    sandbox.write("hello.c", HELLO);
    sandbox.tool("gcc", "hello.c -o hello");
    assert_eq!(read_notes(&sandbox.read("hello")), Ok(brawn_elf::BrawnNotes::default()));
}
