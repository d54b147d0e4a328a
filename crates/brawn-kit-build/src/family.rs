//! The symbols through which an object of the kit and the rest of a libc.a know each other.

use serde::Deserialize;

/// What an allocator's object defines and needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// It takes the place of musl's heap.
    Heap,
    /// musl's heap stays behind it.
    Front,
    /// musl's heap stays as it is, and what is asked of it is counted.
    Counter,
}

impl Family {
    /// Its symbols.
    pub fn symbols(self) -> &'static Symbols {
        match self {
            Family::Heap => &HEAP,
            Family::Front => &FRONT,
            Family::Counter => &COUNTER,
        }
    }

    /// Whether musl's mallocng stays in the program.
    pub fn is_on_mallocng(self) -> bool {
        self != Family::Heap
    }
}

/// The symbols of a family, all sorted.
pub struct Symbols {
    /// What the object defines for others.
    pub exports: &'static [&'static str],
    /// The part of that which a program may define itself, as it may with musl: weak, so that such a program links,
    /// and musl's own use of the heap stays what it is.
    pub weak: &'static [&'static str],
    /// What the object may need. Nothing of a compiler's runtime is here, because rustc brings another one.
    pub imports: &'static [&'static str],
}

/// A heap that takes the place of musl's: the malloc family, and the names that musl uses for it inside.
const HEAP: Symbols = Symbols { exports: MALLOC_FAMILY, weak: REPLACEABLE, imports: IMPORTS };

/// A front that keeps musl's mallocng behind it: the malloc family, what mallocng calls in place of `mmap`, `munmap` and
/// its lock, and `fork` in place of mallocng's handler (brawn-libc's `redirect`), and a hook before fork. `__libc_malloc`
/// comes along because musl has it in one member with a `malloc`.
const FRONT: Symbols = Symbols {
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
const COUNTER: Symbols = Symbols {
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
