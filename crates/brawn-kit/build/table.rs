//! The table of the kit: one row per allocator and build option.
//!
//! A new allocator is one C file in `libc/malloc/` and one row here.

/// The architectures that the kit is built for, in the order of `brawn_elf::Arch::ALL`.
pub const ARCHES: [Arch; 2] = [
    Arch {
        name: "x86_64",
        variant: "X86_64",
        machine: object::elf::EM_X86_64,
        baseline: "-march=x86-64",
        flags: &["-fcf-protection=none"],
    },
    Arch {
        name: "aarch64",
        variant: "Aarch64",
        machine: object::elf::EM_AARCH64,
        baseline: "-march=armv8-a",
        // Outlined atomics would call helpers of the compiler's runtime, which a libc.a does not have.
        flags: &["-mbranch-protection=none", "-mno-outline-atomics"],
    },
];

/// An architecture of the kit.
pub struct Arch {
    /// The name in target triples.
    pub name: &'static str,
    /// The variant of `brawn_elf::Arch`.
    pub variant: &'static str,
    /// The `e_machine` of its ELF files.
    pub machine: object::elf::Machine,
    /// The oldest processors that musl's own code runs on, as gcc and clang name them.
    pub baseline: &'static str,
    /// Compiler flags that only this architecture takes.
    pub flags: &'static [&'static str],
}

/// One allocator with one set of build options.
pub struct Recipe {
    pub name: &'static str,
    pub title: &'static str,
    pub version: &'static str,
    pub summary: &'static str,
    pub secure: bool,
    pub license: &'static str,
    /// The crate that carries the sources; its version is pinned in `Cargo.toml`.
    pub source_crate: &'static str,
    /// Folders of that crate to search for headers and sources.
    pub include: &'static [&'static str],
    /// The one translation unit, in `libc/malloc/`.
    pub shim: &'static str,
    /// Macros for this row.
    pub defines: &'static [&'static str],
    /// The name of the archive member.
    pub member_name: &'static str,
    /// What it defines and needs.
    pub family: &'static Family,
}

/// The symbols through which an allocator object and the rest of musl's libc.a know each other, all sorted.
pub struct Family {
    /// What the object defines for others.
    pub exports: &'static [&'static str],
    /// The part of that which a program may define itself, as it may with musl: weak, so that such a program links,
    /// and musl's own use of the heap stays what it is.
    pub weak: &'static [&'static str],
    /// What the object may need. Nothing of a compiler's runtime is here, because rustc brings another one.
    pub imports: &'static [&'static str],
}

/// A heap that takes the place of musl's: the malloc family, and the names that musl uses for it inside.
pub const HEAP: Family = Family { exports: MALLOC_FAMILY, weak: REPLACEABLE, imports: IMPORTS };

/// A front that keeps musl's mallocng behind it: the malloc family, and a hook for fork. `__libc_malloc` comes along
/// because musl has it in one member with a `malloc`.
pub const FRONT: Family = Family {
    exports: &[
        "__ldso_atfork",
        "__libc_malloc",
        "aligned_alloc",
        "brawn_malloc_info",
        "calloc",
        "free",
        "malloc",
        "malloc_trim",
        "malloc_usable_size",
        "memalign",
        "posix_memalign",
        "realloc",
        "reallocarray",
        "valloc",
    ],
    weak: &[
        "aligned_alloc",
        "brawn_malloc_info",
        "calloc",
        "free",
        "malloc",
        "malloc_trim",
        "malloc_usable_size",
        "memalign",
        "posix_memalign",
        "realloc",
        "reallocarray",
        "valloc",
    ],
    imports: &[
        "_GLOBAL_OFFSET_TABLE_", // made by the linker
        "__errno_location",
        "__libc",
        "__libc_free",
        "__libc_malloc_impl",
        "__libc_realloc",
        "__malloc_allzerop",
        "__malloc_context",
        "__malloc_size_classes",
        "clock_gettime",
        "getauxval",
        "memcpy",
        "memmove",
        "memset",
        "pthread_key_create",
        "pthread_setspecific",
        "strlen",
        "syscall",
        "sysconf",
    ],
};

/// The crate of allocators that are the project's own: this one.
pub const OWN_SOURCES: &str = "brawn-kit";

/// Every allocator of the kit, in the order in which lists show them.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        name: "brawn",
        title: "the Brawn heap",
        version: "0.1.0",
        summary: "musl's own frugal heap behind a cache for each thread",
        secure: false,
        license: "MIT OR Apache-2.0",
        source_crate: OWN_SOURCES,
        include: &[],
        shim: "brawn/brawn.c",
        defines: &[],
        member_name: "brawn-brawn.o",
        family: &FRONT,
    },
    Recipe {
        name: "brawn-hardened",
        title: "the Brawn heap, hardened",
        version: "0.1.0",
        summary: "the Brawn heap with blocks as large as asked for, a quarantine, and random reuse",
        secure: true,
        license: "MIT OR Apache-2.0",
        source_crate: OWN_SOURCES,
        include: &[],
        shim: "brawn/brawn.c",
        defines: &["BRAWN_HARDENED"],
        member_name: "brawn-brawn-hardened.o",
        family: &FRONT,
    },
    Recipe {
        name: "mimalloc",
        title: "mimalloc 3",
        version: "3.6.0",
        summary: "fast with any number of threads",
        secure: false,
        license: "MIT",
        source_crate: "libmimalloc-sys2",
        include: &["c_src/mimalloc3/include", "c_src/mimalloc3/src"],
        shim: "mimalloc3.c",
        defines: &["MI_SECURE=0"],
        member_name: "brawn-mimalloc.o",
        family: &HEAP,
    },
    Recipe {
        name: "mimalloc-secure",
        title: "mimalloc 3, secure",
        version: "3.6.0",
        summary: "mimalloc 3 with guard pages, encoded free lists and double-free detection",
        secure: true,
        license: "MIT",
        source_crate: "libmimalloc-sys2",
        include: &["c_src/mimalloc3/include", "c_src/mimalloc3/src"],
        shim: "mimalloc3.c",
        defines: &["MI_SECURE=4"],
        member_name: "brawn-mimalloc-secure.o",
        family: &HEAP,
    },
    Recipe {
        name: "mimalloc2",
        title: "mimalloc 2",
        version: "2.5.2",
        summary: "the older design, with a heap and segments per thread",
        secure: false,
        license: "MIT",
        source_crate: "libmimalloc-sys2",
        include: &["c_src/mimalloc/include", "c_src/mimalloc/src"],
        shim: "mimalloc2.c",
        defines: &["MI_SECURE=0"],
        member_name: "brawn-mimalloc2.o",
        family: &HEAP,
    },
    Recipe {
        name: "mimalloc2-secure",
        title: "mimalloc 2, secure",
        version: "2.5.2",
        summary: "mimalloc 2 with guard pages, encoded free lists and double-free detection",
        secure: true,
        license: "MIT",
        source_crate: "libmimalloc-sys2",
        include: &["c_src/mimalloc/include", "c_src/mimalloc/src"],
        shim: "mimalloc2.c",
        defines: &["MI_SECURE=4"],
        member_name: "brawn-mimalloc2-secure.o",
        family: &HEAP,
    },
];

/// Flags for every allocator and architecture; `docs/kit.md` gives the reason for each.
pub const FLAGS: &[&str] = &[
    "-std=gnu11",
    "-O3",
    "-g0",
    "-DNDEBUG",
    "-fPIE",
    "-ftls-model=local-exec",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-common",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-unwind-tables",
    "-fno-exceptions",
    "-fno-strict-aliasing",
    "-fno-builtin-malloc",
    "-fno-builtin-calloc",
    "-fno-builtin-realloc",
    "-fno-builtin-free",
    "-fomit-frame-pointer",
    "-fno-lto",
    "-fno-ident",
    "-w",
];

/// What an allocator object defines for others, sorted: the malloc family of musl, and the names that musl uses
/// for it inside.
pub const MALLOC_FAMILY: &[&str] = &[
    "__libc_calloc",
    "__libc_free",
    "__libc_malloc",
    "__libc_malloc_impl",
    "__libc_realloc",
    "__malloc_atfork",
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "valloc",
];

/// The part of the family that a program may define itself, as it may with musl: weak, so that such a program
/// links, and musl's own use of the heap stays with this object.
pub const REPLACEABLE: &[&str] = &[
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "valloc",
];

/// What an allocator object may need from the rest of musl's libc.a, sorted. Nothing of a compiler's runtime is
/// here, because rustc brings another one.
pub const IMPORTS: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_", // made by the linker
    "__errno_location",
    "abort",
    "clock",
    "clock_gettime",
    "getrusage",
    "madvise",
    "membarrier",
    "memcpy",
    "memmove",
    "memset",
    "mmap",
    "mprotect",
    "munmap",
    "prctl",
    "pthread_key_create",
    "pthread_mutex_destroy",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_setspecific",
    "strcmp",
    "strlen",
    "strtol",
    "syscall",
    "sysconf",
    "sysinfo",
];
