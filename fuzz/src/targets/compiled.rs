//! Seeds that compilers make: small ELF files of every sort.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use brawn_elf::{Arch, HeapFacts, LinkId, Note, PROGRAM, add_note_section, link_note_object};

/// An object, executables with and without symbols, notes and a table for unwinding, a dynamic one, and a shared library.
pub struct Compiled {
    /// Object files.
    pub objects: Vec<Vec<u8>>,
    /// What a linker made of them.
    pub linked: Vec<Vec<u8>>,
}

/// A note as the driver writes it.
pub fn note() -> Note {
    Note {
        kit: "0.1.0".into(),
        malloc: "jemalloc".into(),
        libc: "musl 1.2.5".into(),
        preset: Some("balanced".into()),
        malloc_version: Some("5.3.1".into()),
        knobs: [("jemalloc.narenas".to_owned(), "2".to_owned())].into(),
        libc_sha256: "ab".repeat(32),
        overlay: "cd".repeat(32),
        strings: true,
        functions: vec!["sort".into()],
        cpu: None,
        heaps: brawn_elf::HeapFacts::default(),
    }
}

const HEAP: &str = r#"
const char marker[] = "brawn-kit: jemalloc 5.3.1";
const char warning[] = "mimalloc: warning: ";
const char text[] = "-0X+0X 0X-0x+0x 0x";
unsigned char __brawn_string_level;
__attribute__((weak)) void *malloc(unsigned long size) { return (void *)(marker + size); }
__attribute__((weak)) void free(void *block) { (void)block; }
void *__libc_malloc(unsigned long size) { return malloc(size); }
void *mi_malloc(unsigned long size) { return (void *)(warning + size + text[0]); }
void _start(void) { free(malloc((unsigned long)mi_malloc(1))); for (;;) ; }
"#;

/// An object that carries a note.
pub fn noted(note: &Note) -> Vec<u8> {
    add_note_section(&compiled().objects[0], note).expect("an object takes a note")
}

/// Compiles the seeds, once for each process.
///
/// # Panics
/// If there is no C compiler: `make setup` installs what tests need.
pub fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        compile(folder.path())
    })
}

fn compile(folder: &Path) -> Compiled {
    let tool = |tool: &str, arguments: &str| {
        let done = Command::new(tool).args(arguments.split_whitespace()).current_dir(folder).output();
        let done =
            done.unwrap_or_else(|error| panic!("cannot run {tool}: {error} (`make setup` installs it)"));
        assert!(done.status.success(), "{tool} {arguments}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let write =
        |name: &str, content: &[u8]| fs_err::write(folder.join(name), content).expect("the folder is ours");
    let read = |name: &str| fs_err::read(folder.join(name)).expect("a tool wrote it");
    write("heap.c", HEAP.as_bytes());
    write(
        "crates.json",
        &miniz_oxide::deflate::compress_to_vec_zlib(
            br#"{"packages":[{"name":"a","version":"1.0.0","source":"local","root":true}]}"#,
            6,
        ),
    );
    tool("cc", "-c -Os -fno-builtin -ffreestanding -fPIC heap.c -o heap.o");
    tool("cc", "-c -Os -g -mavx2 -fcf-protection=full -fno-builtin -ffreestanding -fPIC heap.c -o rich.o");
    let noted = add_note_section(&read("heap.o"), &note()).expect("an object takes a note");
    write("noted.o", &noted);
    let heaps = HeapFacts {
        malloc_owner: Some(PROGRAM.into()),
        libc_heap: Some("bump".into()),
        serves: vec!["mimalloc".into()],
    };
    let link = link_note_object(Arch::X86_64, &LinkId::new("0123").expect("an id"), &heaps);
    write("link.o", &link);
    // Without pages of padding, a file is a few kilobytes.
    let flat = "-nostdlib -Wl,-z,max-page-size=64 -Wl,-z,common-page-size=64 -Wl,-z,noseparate-code -Wl,--build-id -Wl,--eh-frame-hdr";
    tool("cc", &format!("{flat} -static noted.o link.o -o static"));
    tool("strip", "-s static -o stripped");
    // As a packer leaves it: the kernel needs no section headers.
    let mut bare = read("static");
    bare[0x28..0x30].fill(0);
    bare[0x3c..0x40].fill(0);
    write("bare", &bare);
    tool("cc", &format!("{flat} -static-pie rich.o -o pie"));
    tool("objcopy", "--strip-debug --add-section .dep-v0=crates.json pie listed");
    tool("cc", &format!("{flat} -shared -Wl,-soname,libheap.so -Wl,-rpath,/lib heap.o -o libheap.so"));
    tool(
        "cc",
        &format!(
            "{flat} rich.o -L. -pie -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 libheap.so -o dynamic"
        ),
    );
    tool("strip", "-g dynamic");
    let short = |file: &Vec<u8>| file.len() <= crate::LONGEST_INPUT;
    let linked = ["static", "stripped", "bare", "listed", "libheap.so", "dynamic"].map(read);
    let linked: Vec<Vec<u8>> = linked.into_iter().filter(short).collect();
    assert!(linked.len() > 3, "this linker writes long files");
    Compiled { objects: vec![read("heap.o"), noted, link], linked }
}
