//! Compiles the heap for the target.

use brawn_kit_sources::FOLDER;

fn main() {
    let mut build = cc::Build::new();
    build
        .file("c/heap.c")
        .include(FOLDER)
        .std("gnu11")
        .opt_level(3)
        .debug(false)
        .pic(true)
        .warnings(false)
        .define("BRAWN_KIT_NAME", "\"brawn-heap\"")
        .define("BRAWN_KIT_VERSION", concat!("\"", env!("CARGO_PKG_VERSION"), "\""))
        // A library can be opened when threads run already, and there is little room for initial-exec then.
        .flag("-ftls-model=local-dynamic")
        .flag("-fvisibility=hidden")
        // The reasons for these are the kit's: docs/reference/kit.md.
        .flags(["-fno-strict-aliasing", "-fno-stack-protector", "-fomit-frame-pointer", "-fno-common"])
        .flags(["-fno-builtin-malloc", "-fno-builtin-calloc", "-fno-builtin-realloc", "-fno-builtin-free"])
        // Called helpers of the compiler's runtime, which rustc's own links of musl do not have.
        .flag_if_supported("-mno-outline-atomics");
    build.compile("brawn_heap");
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed={FOLDER}/malloc");
}
