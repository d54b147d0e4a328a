//! Archives of libc for the tests: the original with its heap taken out or left in part, and a note.

use std::path::Path;

use brawn_elf::{Note, add_note_section};

use super::{Sandbox, member_defining};

/// musl's members that make up its heap. Two are called `free.lo`, two `realloc.lo`.
const MUSL_HEAP: &[&str] = &[
    "lite_malloc.lo",
    "malloc.lo",
    "free.lo",
    "realloc.lo",
    "calloc.lo",
    "libc_calloc.lo",
    "aligned_alloc.lo",
    "posix_memalign.lo",
    "memalign.lo",
    "malloc_usable_size.lo",
    "reallocarray.lo",
    "donate.lo",
];

/// Copies `original` to `libc.a` and puts the note into it.
pub fn with_note(sandbox: &Sandbox, original: &Path, note: &Note) {
    let (name, member) = member_defining(original, "__libc_start_main");
    sandbox.write(&name, add_note_section(&member, note).unwrap());
    fs_err::copy(original, sandbox.path("libc.a")).unwrap();
    sandbox.tool("ar", &format!("r libc.a {name}"));
}

/// Replaces musl's heap in `libc.a` by the stand-in of `kit_heap.c`, but leaves some members where they are.
pub fn replace_heap(sandbox: &Sandbox, defines: &str, keep: &[&str]) {
    sandbox.write("kit_heap.c", include_str!("kit_heap.c"));
    sandbox
        .tool("musl-gcc", &format!("-O1 -ffunction-sections -fdata-sections -fPIC {defines} -c kit_heap.c"));
    let members: Vec<&str> = MUSL_HEAP.iter().copied().filter(|member| !keep.contains(member)).collect();
    // One call deletes the first member of each name.
    for _ in 0..2 {
        sandbox.tool("ar", &format!("d libc.a {}", members.join(" ")));
    }
    sandbox.tool("ar", "r libc.a kit_heap.o");
}
