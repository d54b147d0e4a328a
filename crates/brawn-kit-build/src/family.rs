//! The symbols through which an object of the kit and the rest of a libc.a know each other.

use serde::Deserialize;
use std::sync::LazyLock;

/// What an allocator's object defines and needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// It takes the place of musl's heap.
    Heap,
    /// So does Brawn's own, which knows musl's record of the process.
    Own,
    /// musl's heap stays behind it.
    Front,
    /// musl's heap stays as it is, and what is asked of it is counted.
    Counter,
}

impl Family {
    /// Its symbols.
    pub fn symbols(self) -> &'static Symbols<'static> {
        match self {
            Family::Heap => &TABLE.heap,
            Family::Own => &TABLE.own,
            Family::Front => &TABLE.front,
            Family::Counter => &TABLE.counter,
        }
    }

    /// Whether musl's mallocng stays in the program.
    pub fn is_on_mallocng(self) -> bool {
        matches!(self, Family::Front | Family::Counter)
    }
}

/// `symbols.toml`, which tells what each list means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table<'a> {
    #[serde(borrow)]
    heap: Symbols<'a>,
    own: Symbols<'a>,
    front: Symbols<'a>,
    counter: Symbols<'a>,
    /// Those of a library to preload.
    pub library: Symbols<'a>,
    /// What such a library may not need although a libc.a has it.
    #[serde(borrow)]
    pub not_in_both: Vec<&'a str>,
    /// The names by which crates call the allocators that they bring.
    pub names: Vec<Names<'a>>,
    /// The symbols of an object with such names.
    pub of_names: Symbols<'a>,
}

/// The symbols of an object, all sorted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symbols<'a> {
    #[serde(borrow)]
    pub exports: Vec<&'a str>,
    #[serde(borrow)]
    pub weak: Vec<&'a str>,
    #[serde(borrow)]
    pub imports: Vec<&'a str>,
}

/// A row of the names by which crates call an allocator.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names<'a> {
    /// The allocator.
    pub heap: &'a str,
    /// The file in `libc/malloc/`.
    pub shim: &'a str,
    /// What the names begin with.
    pub prefix: &'a str,
    /// The macros that tell the file so.
    #[serde(borrow)]
    pub defines: Vec<&'a str>,
    /// The names without it.
    #[serde(borrow)]
    pub names: Vec<&'a str>,
}

/// The table.
pub static TABLE: LazyLock<Table<'static>> = LazyLock::new(|| {
    toml::from_str(include_str!("symbols.toml")).expect("a table of this crate, which every build reads")
});
