//! The table of the kit: one row per allocator and build option.
//!
//! A new allocator is one C or C++ file in `libc/malloc/` and one row here; `docs/reference/kit.md` tells how.

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
    /// Folders of `libc/malloc/` to search for headers before those.
    pub own_include: &'static [&'static str],
    /// Macros for this row.
    pub defines: &'static [&'static str],
    /// The table of its knobs in `libc/malloc/`, if there are any.
    pub knobs: Option<&'static str>,
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

/// A front that keeps musl's mallocng behind it: the malloc family, what mallocng calls in place of `mmap`, `munmap` and
/// its lock, and `fork` in place of mallocng's handler (brawn-libc's `redirect`), and a hook before fork. `__libc_malloc`
/// comes along because musl has it in one member with a `malloc`.
pub const FRONT: Family = Family {
    exports: &[
        "__brawn_atfork",
        "__brawn_lock",
        "__brawn_map_pages",
        "__brawn_unlock",
        "__brawn_unmap_pages",
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
        "__environ",
        "__errno_location",
        "__libc",
        "__libc_free",
        "__libc_malloc_impl",
        "__libc_realloc",
        "__malloc_allzerop",
        "__malloc_atfork",
        "__malloc_context",
        "__malloc_lock",
        "__malloc_size_classes",
        "bcmp",
        "clock_gettime",
        "getauxval",
        "madvise",
        "memcpy",
        "memmove",
        "memset",
        "mmap",
        "munmap",
        "pthread_key_create",
        "pthread_setspecific",
        "sched_getcpu",
        "strlen",
        "syscall",
        "sysconf",
    ],
};

/// A front that counts, and leaves the rest to musl. `memalign`, `posix_memalign` and `valloc` are musl's: they call
/// `aligned_alloc`.
pub const COUNTER: Family = Family {
    exports: &["__libc_malloc", "aligned_alloc", "free", "malloc", "realloc"],
    weak: &["aligned_alloc", "free", "malloc", "realloc"],
    imports: &[
        "_GLOBAL_OFFSET_TABLE_", // made by the linker
        "__environ",
        "__errno_location",
        "__libc_free",
        "__libc_malloc_impl",
        "__libc_realloc",
        "__malloc_context",
        "__malloc_size_classes",
        "close",
        "malloc_usable_size",
        "memcpy",
        "mmap",
        "open",
        "strlen",
        "syscall",
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
        own_include: &[],
        defines: &[],
        knobs: Some("brawn.toml"),
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
        own_include: &[],
        defines: &["BRAWN_HARDENED"],
        knobs: Some("brawn.toml"),
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
        own_include: &[],
        defines: &["MI_SECURE=0"],
        knobs: Some("mimalloc.toml"),
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
        own_include: &[],
        defines: &["MI_SECURE=4"],
        knobs: Some("mimalloc.toml"),
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
        own_include: &[],
        defines: &["MI_SECURE=0"],
        knobs: Some("mimalloc2.toml"),
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
        own_include: &[],
        defines: &["MI_SECURE=4"],
        knobs: Some("mimalloc2.toml"),
        member_name: "brawn-mimalloc2-secure.o",
        family: &HEAP,
    },
    Recipe {
        name: "jemalloc",
        title: "jemalloc",
        version: "5.3.1",
        summary: "arenas and a cache for each thread, with many knobs",
        secure: false,
        license: "BSD-2-Clause",
        source_crate: "tikv-jemalloc-sys",
        include: &["jemalloc", "jemalloc/include"],
        shim: "jemalloc.c",
        own_include: &["jemalloc", "jemalloc/jemalloc/internal"],
        defines: &[],
        knobs: Some("jemalloc.toml"),
        member_name: "brawn-jemalloc.o",
        family: &HEAP,
    },
    Recipe {
        name: "rpmalloc",
        title: "rpmalloc",
        version: "1.4.3",
        summary: "small code, a cache of spans for each thread",
        secure: false,
        license: "Unlicense",
        source_crate: "rpmalloc-sys",
        include: &["rpmalloc"],
        shim: "rpmalloc.c",
        own_include: &[],
        defines: &[],
        knobs: Some("rpmalloc.toml"),
        member_name: "brawn-rpmalloc.o",
        family: &HEAP,
    },
    Recipe {
        name: "snmalloc",
        title: "snmalloc",
        version: "0.7.6",
        summary: "hands freed blocks back to their threads in batches",
        secure: false,
        license: "MIT",
        source_crate: "snmalloc-sys",
        include: &["upstream/src"],
        shim: "snmalloc.cc",
        own_include: &[],
        defines: &[],
        knobs: Some("snmalloc.toml"),
        member_name: "brawn-snmalloc.o",
        family: &HEAP,
    },
    Recipe {
        name: "hardened-malloc",
        title: "hardened_malloc",
        version: "16.0",
        summary: "GrapheneOS's allocator: no metadata beside blocks, quarantines, guard regions",
        secure: true,
        license: "MIT",
        source_crate: "hardened-malloc-sys",
        include: &["vendor/hardened-malloc", "vendor/hardened-malloc/include"],
        shim: "hardened_malloc.c",
        own_include: &[],
        defines: &[],
        knobs: None,
        member_name: "brawn-hardened-malloc.o",
        family: &HEAP,
    },
    // Last, because no list shows it: `brawn_kit::TRACE`.
    Recipe {
        name: "trace",
        title: "musl's heap, counted",
        version: "0.1.0",
        summary: "for a look at what a program allocates",
        secure: false,
        license: "MIT OR Apache-2.0",
        source_crate: OWN_SOURCES,
        include: &[],
        shim: "trace.c",
        own_include: &[],
        defines: &[],
        knobs: None,
        member_name: "brawn-trace.o",
        family: &COUNTER,
    },
];

/// Flags for those that are written in C.
pub const C_FLAGS: &[&str] = &["-std=gnu11"];

/// Flags for those that are written in C++: nothing may need a runtime, or headers of a standard library.
pub const CPP_FLAGS: &[&str] = &["-std=c++20", "-nostdinc++", "-fno-rtti", "-fno-threadsafe-statics"];

/// Flags for every allocator and architecture; `docs/reference/kit.md` gives the reason for each.
pub const FLAGS: &[&str] = &[
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
    "-fasynchronous-unwind-tables",
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

/// Flags besides, for those that become shared libraries: their thread-local storage is not the executable's, but
/// stands beside it from the start.
pub const LIBRARY_FLAGS: &[&str] = &["-fPIC", "-ftls-model=initial-exec", "-DBRAWN_PRELOAD"];

/// The allocators that are also made into shared libraries. The Brawn heap is not among them: it works inside musl's
/// own heap, which a libc.so keeps to itself.
pub const PRELOADED: &[&str] = &["mimalloc", "mimalloc2", "jemalloc", "rpmalloc", "snmalloc"];

/// What such a library defines for the program, sorted: the malloc families of musl and glibc.
pub const PRELOAD_FAMILY: &[&str] = &[
    "__libc_calloc",
    "__libc_free",
    "__libc_malloc",
    "__libc_memalign",
    "__libc_pvalloc",
    "__libc_realloc",
    "__libc_valloc",
    "aligned_alloc",
    "calloc",
    "cfree",
    "free",
    "malloc",
    "malloc_trim",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "pvalloc",
    "realloc",
    "reallocarray",
    "valloc",
];

/// What such a library may not need although a libc.a has it, sorted: what glibc lacks, has in another form under the
/// same name, or binds to a form of 2002 where no version is asked for.
pub const NOT_IN_BOTH: &[&str] = &[
    "membarrier",
    "pthread_cond_init",
    "pthread_cond_signal",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
];

/// What such a library may need besides, sorted; each libc has one of the two.
pub const FORK_HANDLERS: &[&str] = &["__register_atfork", "pthread_atfork"];

/// What such a library takes before the heap's locks where libc offers it, sorted: the lock on glibc's list of streams.
pub const STREAM_LOCK: &[&str] = &["_IO_list_lock", "_IO_list_resetlock", "_IO_list_unlock"];

/// What such a library for x86_64 needs to learn the CPU's level without a look of its own, sorted: a function of its own
/// string functions, and one that glibc has had since 2.33.
pub const LEVEL: &[&str] = &["__brawn_string_level_from", "__x86_get_cpuid_feature_leaf"];

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
    "__environ",
    "__errno_location",
    "abort",
    "bcmp",
    "clock",
    "clock_gettime",
    "close",
    "fsync",
    "getauxval",
    "getpid",
    "getrusage",
    "gettimeofday",
    "isblank",
    "madvise",
    "membarrier",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "mmap",
    "mprotect",
    "mremap",
    "munmap",
    "open",
    "prctl",
    "pthread_cond_init",
    "pthread_cond_signal",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_create",
    "pthread_join",
    "pthread_key_create",
    "pthread_mutex_destroy",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_mutexattr_destroy",
    "pthread_mutexattr_init",
    "pthread_mutexattr_settype",
    "pthread_self",
    "pthread_setspecific",
    "pthread_sigmask",
    "read",
    "sched_yield",
    "sigfillset",
    "strchr",
    "strcmp",
    "strlen",
    "strncmp",
    "strncpy",
    "strtol",
    "syscall",
    "sysconf",
    "sysinfo",
    "writev",
];

/// An allocator that crates bring, by the names that they call it by: the kit has these on top of whatever heap serves `malloc`.
pub struct Names {
    /// The allocator.
    pub heap: &'static str,
    /// The file in `libc/malloc/`.
    pub shim: &'static str,
    /// What the names begin with.
    pub prefix: &'static str,
    /// The macros that tell the file so.
    pub defines: &'static [&'static str],
    /// The names without it, sorted.
    pub names: &'static [&'static str],
}

/// Every set of names.
pub const NAMES: &[Names] = &[
    Names {
        heap: "mimalloc",
        shim: "names/mimalloc.c",
        prefix: "mi_",
        defines: &[],
        names: &[
            "aligned_alloc",
            "calloc",
            "calloc_aligned",
            "cfree",
            "collect",
            "expand",
            "free",
            "free_aligned",
            "free_size",
            "free_size_aligned",
            "free_small",
            "good_size",
            "malloc",
            "malloc_aligned",
            "malloc_good_size",
            "malloc_size",
            "malloc_small",
            "malloc_usable_size",
            "mallocn",
            "memalign",
            "posix_memalign",
            "process_init",
            "realloc",
            "realloc_aligned",
            "reallocarray",
            "reallocf",
            "reallocn",
            "recalloc",
            "recalloc_aligned",
            "rezalloc",
            "rezalloc_aligned",
            "strdup",
            "strndup",
            "thread_done",
            "thread_init",
            "usable_size",
            "valloc",
            "zalloc",
            "zalloc_aligned",
            "zalloc_small",
        ],
    },
    Names {
        heap: "jemalloc",
        shim: "names/jemalloc.c",
        prefix: "_rjem_",
        defines: &["BRAWN_NAMES_PREFIX=_rjem_"],
        names: &[
            "aligned_alloc",
            "calloc",
            "dallocx",
            "free",
            "free_aligned_sized",
            "free_sized",
            "malloc",
            "malloc_usable_size",
            "mallocx",
            "memalign",
            "nallocx",
            "posix_memalign",
            "rallocx",
            "realloc",
            "sallocx",
            "sdallocx",
            "valloc",
            "xallocx",
        ],
    },
    // As its crate has it with `unprefixed_malloc_on_supported_platforms`: the rest is the program's own malloc.
    Names {
        heap: "jemalloc",
        shim: "names/jemalloc.c",
        prefix: "",
        defines: &["BRAWN_NAMES_PREFIX=", "BRAWN_NAMES_PLAIN"],
        names: &["dallocx", "mallocx", "nallocx", "rallocx", "sallocx", "sdallocx", "xallocx"],
    },
];

/// What an object with such names may need, sorted.
pub const NAMES_IMPORTS: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_", // made by the linker
    "__errno_location",
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "memcpy",
    "memset",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "strdup",
    "strndup",
    "valloc",
];
