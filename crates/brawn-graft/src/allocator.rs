//! A heap that is grafted, and what of a libc.a makes it.

use brawn_elf::Graft;

/// A heap, and what it is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heap {
    /// The allocator's name.
    pub name: String,
    /// A libc.a in which it serves `malloc`: an overlay.
    pub archive: Vec<u8>,
    /// Whether nothing is grafted without it.
    pub required: bool,
}

/// The family of what makes the heap.
pub(crate) const HEAP: &str = Graft::HEAP;

/// The family of what is taken of the archive only where the file has none.
pub(crate) const LIBC: &str = "libc";

/// What defines one of these belongs to the heap.
pub(crate) const ROOTS: &[&str] = &[
    "malloc",
    "__libc_malloc",
    "__libc_malloc_impl",
    "__libc_free",
    "__libc_realloc",
    "__libc_calloc",
    "__malloc_donate",
    "__malloc_allzerop",
    "__malloc_replaced",
];

/// Functions that keep nothing between two calls, so that a second copy of them does no harm.
pub(crate) const STATELESS: &[&str] = &[
    "mmap",
    "munmap",
    "mremap",
    "mprotect",
    "madvise",
    "sched_getcpu",
    "sched_getaffinity",
    "getrlimit",
    "prlimit",
    "getauxval",
    "clock_gettime",
    "sysconf",
    "syscall",
    "__syscall_ret",
    "__syscall_cp",
    "__lsysinfo",
    "sysinfo",
    "__vm_wait",
    "__vdsosym",
    "abort",
];
