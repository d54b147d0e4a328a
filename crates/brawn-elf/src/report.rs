//! What is found when an executable is checked.

use serde::Serialize;

use crate::{Graft, Heap, Note, PROGRAM};

/// What [`verify`](crate::verify()) found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Broken promises. The executable is as it should be only if there are none.
    pub findings: Vec<Problem>,
    /// What works and is worth changing.
    pub warnings: Vec<Problem>,
    /// What the executable says about itself, if it can be read.
    pub note: Option<Note>,
    /// What was grafted onto it, if anything was.
    pub graft: Option<Graft>,
    /// The heap behind `malloc`, if the program has one that can be told.
    pub heap: Option<Heap>,
    /// Every heap that is linked in, the one behind `malloc` first; not the one of a language's runtime.
    pub heaps: Vec<Heap>,
    /// Whether there was a symbol table to check; `docs/reference/inspect.md` says what cannot be proved without one.
    pub symbols: bool,
}

impl Report {
    /// Whether no promise is broken.
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whose `malloc` the program calls, if it brings one: [`PROGRAM`], or the name of an allocator that is known.
    pub fn malloc_owner(&self) -> Option<String> {
        let heap = self.heap.as_ref().filter(|heap| !heap.kit && !heap.is_musls())?;
        Some(if heap.name == "unknown" { PROGRAM.to_owned() } else { heap.name.clone() })
    }

    /// The heap that libc goes on using beside that.
    pub fn libc_heap(&self) -> Option<String> {
        self.malloc_owner()?;
        let of_libc = |heap: &&Heap| heap.kit || heap.is_musls();
        self.heaps.iter().find(of_libc).map(|heap| heap.name.clone())
    }

    /// The heaps for a person: `one heap: jemalloc 5.3.1`, `two heaps: jemalloc 5.3.1 and mimalloc 3`.
    pub fn heaps_in_words(&self) -> String {
        // Whose the kit's is, goes without saying.
        let name = |heap: &Heap| Heap { kit: false, ..heap.clone() }.to_string();
        let names: Vec<String> = self.heaps.iter().map(name).collect();
        let asked = self.note.as_ref().map_or_else(String::new, |note| {
            let version = note.malloc_version.as_deref().map(|version| format!(" {version}"));
            format!(" ({}{} was asked for)", note.malloc, version.unwrap_or_default())
        });
        match names.as_slice() {
            // musl's smallest heap, and one of the program's own, have nothing in them to be told by without a name.
            [] if !self.symbols => format!("no heap that shows without symbols{asked}"),
            [] => format!("no heap: nothing in it allocates{asked}"),
            // It came with a part of that libc, and nothing asked for the kit's.
            [one]
                if self.heaps[0].name == "zig"
                    && self.note.as_ref().is_some_and(|note| note.malloc_version.is_some()) =>
            {
                format!("no heap but {one}{asked}")
            }
            [one] => match self.note.as_ref().map(|note| note.heaps.serves.join(" and ")) {
                Some(others) if !others.is_empty() => {
                    format!("one heap: {one}, in the place of the program's own {others} as well")
                }
                _ => format!("one heap: {one}"),
            },
            [first, second] => format!("two heaps: {first} and {second}"),
            [rest @ .., last] => format!("{} heaps: {} and {last}", names.len(), rest.join(", ")),
        }
    }
}

/// One thing that is wrong, or worth a warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its stable name.
    pub code: Code,
    /// What is so.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

brawn_base::worded! {
    /// Stable names of problems, as they are printed and written as JSON; `docs/reference/inspect.md` lists them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Code {
        /// Not an ELF file, or one that is no executable.
        NotAnExecutable = "not-an-executable",
        /// Headers that contradict the file.
        Damaged = "damaged",
        /// The file ends before its last segment.
        CutOff = "cut-off",
        /// Compiled for another architecture than was asked for.
        WrongArchitecture = "wrong-architecture",
        /// It needs a loader.
        DynamicExecutable = "dynamic-executable",
        /// It needs shared libraries.
        NeedsLibraries = "needs-libraries",
        /// It carries no note of Brawn.
        NoNote = "no-note",
        /// Its note cannot be read.
        NoteDamaged = "note-damaged",
        /// It carries notes that contradict each other.
        NotesDisagree = "notes-disagree",
        /// The note names another allocator, overlay or link than was asked for.
        NotAsAsked = "not-as-asked",
        /// malloc is not served by the allocator that the note names.
        HeapNotAsNoted = "heap-not-as-noted",
        /// A part of musl's own heap is linked in beside the one that took its place.
        LeftoverMuslHeap = "leftover-musl-heap",
        /// Some functions of the malloc family belong to another heap than the others.
        TwoOwners = "two-owners",
        /// Two allocators of the kit are linked in.
        TwoKitHeaps = "two-kit-heaps",
        /// The string functions are not the ones that the note names.
        StringsNotAsNoted = "strings-not-as-noted",
        /// The program brings a heap of its own for a part of its code. A warning where the caller says so.
        SecondHeap = "second-heap",
        /// The program can call `dlopen`, which always fails in a static executable. A warning.
        DynamicLoading = "dynamic-loading",
    }
}

pub(crate) fn problem(code: Code, message: impl Into<String>, hint: Option<&str>) -> Problem {
    Problem { code, message: message.into(), hint: hint.map(str::to_owned) }
}
