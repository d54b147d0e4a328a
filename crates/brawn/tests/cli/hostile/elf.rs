//! Executables and archives whose strings steer a terminal or forge a message.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use brawn_elf::Note;
use object::build::elf::{Builder, SectionData};

use super::names::{self, fill};
use super::seen::check;
use crate::common::{Sandbox, fails, ok};

/// What every string of the file begins with.
const TEXT: &str = "\x1b[2J\x1b]0;t\x07\nerror: forged\r\x7f\u{9b}35m\u{202e}\u{2066}\u{2028}";

/// The text behind a word, with a byte that is no UTF-8.
fn hostile(word: &str) -> Vec<u8> {
    [word.as_bytes(), TEXT.as_bytes(), b"\xff"].concat()
}

fn option(option: &str, value: &str) -> OsString {
    OsString::from_vec([option.as_bytes(), &hostile(value)].concat())
}

/// A C program with a note of Brawn's in which every value is hostile, and Go's build information.
fn source(sandbox: &Sandbox) {
    let text = |word: &str| format!("{word}{TEXT}");
    let note = Note {
        kit: text("1"),
        preset: Some(text("balanced")),
        malloc: text("jemalloc"),
        malloc_version: Some(text("5")),
        knobs: [(text("key"), text("value"))].into(),
        libc: text("musl"),
        libc_sha256: "0123456789abcdef".repeat(4),
        strings: true,
        functions: vec![text("environment")],
        cpu: Some(text("x86-64-v3")),
        overlay: "0123456789abcdef".repeat(4),
        heaps: brawn_elf::HeapFacts {
            malloc_owner: Some(text("owner")),
            libc_heap: Some(text("bump")),
            serves: vec![text("mimalloc")],
        },
    };
    sandbox.write("note.bin", note.encode());
    let version = hostile("go1.2");
    let mut go = b"\xff Go buildinf:\x08\x02".to_vec();
    go.resize(32, 0);
    go.push(u8::try_from(version.len()).unwrap());
    go.extend(version);
    go.push(0);
    sandbox.write("go.bin", go);
    sandbox.write(
        "program.c",
        "__asm__(\".section .note.brawn,\\\"a\\\",@note\\n.balign 4\\n.incbin \\\"note.bin\\\"\\n\"\n\
         \".section .go.buildinfo,\\\"aw\\\"\\n.balign 16\\n.incbin \\\"go.bin\\\"\\n.text\\n\");\n\
         void *malloc(unsigned long);\n\
         int main(void) { return malloc(1) == 0; }\n",
    );
}

/// Adds what no loader reads: lists of compilers and crates, and a section with a hostile name.
fn add_sections(sandbox: &Sandbox, name: &str) {
    let text = |word: &str| format!("{word}{TEXT}");
    let crates = serde_json::json!({ "packages": [
        { "name": text("x"), "version": "1.0.0", "source": "git", "root": true },
    ] });
    let crates = miniz_oxide::deflate::compress_to_vec_zlib(crates.to_string().as_bytes(), 6);
    let path = sandbox.path().join(name);
    let bytes = fs_err::read(&path).unwrap();
    let mut builder = Builder::read64(&*bytes).unwrap();
    let comment =
        [b"GCC: ".to_vec(), hostile("1"), b"\0rustc version 1.".to_vec(), hostile(""), b"\0".to_vec()];
    let sections = [
        (b".comment.".to_vec(), comment.concat()),
        (b".dep-v0".to_vec(), crates),
        (hostile("."), b"1".to_vec()),
    ];
    for section in &mut builder.sections {
        if section.name.as_slice() == b".comment" {
            section.data = SectionData::Data(sections[0].1.clone().into());
        }
    }
    for (name, data) in sections {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = object::elf::SHT_PROGBITS;
        section.sh_addralign = 1;
        section.data = SectionData::Data(data.into());
    }
    builder.set_section_sizes();
    let mut out = Vec::new();
    builder.write(&mut out).unwrap();
    fs_err::write(path, out).unwrap();
}

/// A dynamic executable, a static one, a shared library and an archive: hostile wherever they have text.
fn files(sandbox: &Sandbox) -> Vec<PathBuf> {
    source(sandbox);
    sandbox.write("library.c", "void *malloc(unsigned long size) { return (void *)size; }\n");
    let library = option("-Wl,-soname,", "libmimalloc");
    ok(sandbox.command("cc").args(["-shared", "-fPIC", "library.c", "-o", "library.so"]).arg(library));
    let loader = option("-Wl,--dynamic-linker=", "/lib/ld-musl-");
    let folder = option("-Wl,--enable-new-dtags,-rpath,", "/");
    ok(sandbox.command("cc").args(["program.c", "-o", "dynamic", "library.so"]).args([loader, folder]));
    ok(sandbox.command("cc").args(["-static", "program.c", "-o", "static"]));
    for name in ["dynamic", "static", "library.so"] {
        add_sections(sandbox, name);
    }
    let mut member = format!("{:48}{:<10}`\n", "m\x1b[2J\r\u{7f}/", 4).into_bytes();
    member.extend(b"BC\xc0\xde");
    sandbox.write("archive", [b"!<arch>\n".to_vec(), member].concat());
    ["dynamic", "static", "library.so", "archive"].map(PathBuf::from).to_vec()
}

#[test]
fn no_string_of_a_file_reaches_the_terminal_as_it_is() {
    let sandbox = Sandbox::new();
    for file in files(&sandbox) {
        for (command, rows) in names::ROWS {
            for row in rows.iter().filter(|row| row.contains("{}")) {
                check(sandbox.brawn(&[command]).args(fill(row, file.as_os_str())));
            }
        }
    }
}

/// The test above would pass if the strings were not there at all.
#[test]
fn the_strings_are_shown() {
    let sandbox = Sandbox::new();
    files(&sandbox);
    let shown = |args: &[&str]| {
        let output = check(sandbox.brawn(args).arg(OsStr::from_bytes(b"dynamic")));
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let text = r"\x1b[2J\x1b]0;t\x07\nerror: forged\r\x7f\x9b35m\u{202e}\u{2066}\u{2028}";
    let human = shown(&["inspect"]);
    for before in
        ["/lib/ld-musl-", "libmimalloc", "/", "preset balanced", "malloc jemalloc", ", key", "of x", "GCC: 1"]
    {
        assert!(human.contains(&format!("{before}{text}")), "{before}:\n{human}");
    }
    let json = shown(&["inspect", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["needed"][0].as_str().unwrap(), format!("libmimalloc{TEXT}\u{fffd}"));
    assert!(shown(&["verify"]).contains(r"/lib/ld-musl-\x1b[2J\x1b]0;t\x07"));
    let message = fails(&mut sandbox.brawn(&["libc", "-o", "out", "--from", "archive"]), 3);
    assert!(message.contains(r"member m\x1b[2J\r\x7f is LLVM bitcode"), "{message}");
}
