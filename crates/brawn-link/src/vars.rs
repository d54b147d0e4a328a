//! Every environment variable that Brawn reads, in one place; the reference in `docs/` is made from this list.

/// An environment variable and what it is for.
pub struct Var {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
}

macro_rules! vars {
    ($($(#[doc = $summary:literal])+ $ident:ident = $name:literal;)+) => {
        $($(#[doc = $summary])+ pub const $ident: &str = $name;)+

        /// The whole list, in the order in which the documentation shows it.
        pub const ALL: &[Var] = &[$(Var { name: $name, summary: concat!($($summary),+) }),+];
    };
}

vars! {
    /// Preset, as `--preset`.
    PRESET = "BRAWN_PRESET";
    /// Allocator, as `--malloc`.
    MALLOC = "BRAWN_MALLOC";
    /// `no` keeps musl's string functions, as `--no-strings`; `yes` replaces them.
    STRINGS = "BRAWN_STRINGS";
    /// Families of functions that stay musl's, with commas between, as `--musl`.
    MUSL = "BRAWN_MUSL";
    /// Processor for the string functions, as `--cpu`.
    CPU = "BRAWN_CPU";
    /// Knobs `KEY=VALUE`, as `--knob`, with spaces between.
    KNOBS = "BRAWN_KNOBS";
    /// Target triple, as `--target`.
    TARGET = "BRAWN_TARGET";
    /// `yes` refuses what is warned of otherwise, as `--strict`; `no` does not.
    STRICT = "BRAWN_STRICT";
    /// `yes` accepts a heap of the program's own, as `--allow-second-heap`; `no` does not.
    ALLOW_SECOND_HEAP = "BRAWN_ALLOW_SECOND_HEAP";
    /// `yes` serves a crate's allocator from the one heap, as `--one-heap`; `no` does not.
    ONE_HEAP = "BRAWN_ONE_HEAP";
    /// The compiler that `brawn cc` drives, instead of the one that it would find: a command with arguments.
    CC = "BRAWN_CC";
    /// The compiler that `brawn c++` drives, likewise.
    CXX = "BRAWN_CXX";
    /// The zig executable that `brawn cc` and `brawn c++` fall back on.
    ZIG = "BRAWN_ZIG";
    /// A file for what the linker seam has to say, so that `brawn build` can say it last: set by Brawn itself.
    REPORT = "BRAWN_REPORT";
    /// Folder for overlays and link records; default `brawn` in the user's cache folder.
    CACHE_DIR = "BRAWN_CACHE_DIR";
    /// Set by `brawn cargo` for what it starts: where links and runs are reported.
    SOCKET = "BRAWN_SOCKET";
    /// What the cache may take on the disk: 500MB unless set, or none.
    CACHE_LIMIT = "BRAWN_CACHE_LIMIT";
}

/// The value of a variable, unless it is unset, empty or not UTF-8.
pub fn get(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
