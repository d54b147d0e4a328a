//! The folders of a cache, and the kinds of what they hold.

/// Overlays.
pub const OVERLAYS: &str = "overlays";
/// Recorded links.
pub const LINKS: &str = "links";
/// Shared libraries for `brawn run --preload`.
pub const PRELOADS: &str = "preload";
/// Digests of files, by their identity.
pub const DIGESTS: &str = "digests";
/// What compilers said about themselves.
pub const COMPILERS: &str = "compilers";
/// The names by which linkers find C++'s runtime.
pub const CXX: &str = "c++";
/// Links to the kernel's headers.
pub const HEADERS: &str = "kernel-headers";
/// `brawn` in a linker's place.
pub const SEAMS: &str = "brawn-seam";
/// `brawn` in a compiler's place.
pub const DRIVERS: &str = "brawn-cc";
/// Sources and programs of `brawn bench`.
pub const BENCH: &str = "bench";

/// One kind of thing in the cache.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name for `brawn cache clear`.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The folders that hold it.
    pub folders: &'static [&'static str],
    /// Whether it goes by itself when the cache grows over its limit, and counts for that limit.
    pub limited: bool,
    /// Whether `brawn cache clear` without a name takes it: exported variables and build folders name the others.
    pub cleared: bool,
}

/// Every kind.
pub const KINDS: &[Kind] = &[
    kind("overlays", "a libc.a with another heap, for each choice", &[OVERLAYS], true),
    kind("records", "links that can be done again, with copies of their objects", &[LINKS], true),
    kind("preloads", "heaps as shared libraries, for `brawn run`", &[PRELOADS], true),
    kind("facts", "digests of files, and what compilers said about themselves", &[DIGESTS, COMPILERS], true),
    kind("c++", "the names by which linkers find C++'s runtime", &[CXX], false),
    kind("headers", "links to the kernel's headers", &[HEADERS], false),
    kind("bench", "sources and programs of `brawn bench`", &[BENCH], false),
    Kind {
        cleared: false,
        ..kind("drivers", "brawn in the place of linkers and compilers", &[SEAMS, DRIVERS], false)
    },
];

const fn kind(
    name: &'static str,
    summary: &'static str,
    folders: &'static [&'static str],
    limited: bool,
) -> Kind {
    Kind { name, summary, folders, limited, cleared: true }
}
