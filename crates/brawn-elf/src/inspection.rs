//! What [`crate::inspect`] answers with. `docs/reference/schema/inspect.schema.json` is made from these types.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Cpu, Crate, Evidence, Graft, Heap, LinkId, Note};

/// The version of the JSON form. It grows when a field changes its meaning or goes away, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// What is inside an ELF executable or shared library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Inspection {
    /// The version of this form: 1.
    pub schema_version: u32,
    /// Class, byte order and architecture.
    pub format: Format,
    /// How it is linked.
    pub kind: Kind,
    /// The program that loads it, such as `/lib64/ld-linux-x86-64.so.2`.
    pub interpreter: Option<String>,
    /// Shared libraries that it needs, in the order in which it names them.
    pub needed: Vec<String>,
    /// Folders in which they are looked for first (`DT_RPATH` and `DT_RUNPATH`).
    pub rpath: Vec<String>,
    /// Its libc.
    pub libc: Libc,
    /// Its heaps, the one behind `malloc` first. Empty when none was found: the program may not allocate, or its
    /// allocator may not be known here.
    pub allocators: Vec<Heap>,
    /// Its string and memory functions: `memcpy` and the like.
    pub strings: StringFunctions,
    /// musl's functions that were recognised in a static executable; none where they cannot be looked for, or none was found.
    pub functions: Option<Functions>,
    /// What Brawn wrote into it.
    pub note: Option<Note>,
    /// The recorded link that made it, if Brawn did.
    pub link_id: Option<LinkId>,
    /// The functions of the kit that it got when it was finished, if it got some.
    pub graft: Option<Graft>,
    /// The Rust compiler, when recorded.
    pub rust: Option<Rust>,
    /// The crates that went into it, where `cargo auditable` recorded them.
    pub crates: Option<Vec<Crate>>,
    /// The version of Go that compiled it, such as `go1.24.1`.
    pub go: Option<String>,
    /// Compilers and linkers that left their names in `.comment`, each once.
    pub compilers: Vec<String>,
    /// The build identity that the linker wrote, in hexadecimal.
    pub build_id: Option<String>,
    /// Whether there is no symbol table. What is then said about heaps rests on constant data alone.
    pub stripped: bool,
    /// Whether it carries DWARF debug information.
    pub debug_info: bool,
    /// Protection against exploits that the linker and the loader give.
    pub hardening: Hardening,
    /// The processor that it needs; none for an architecture whose code is not read here.
    pub cpu: Option<Cpu>,
    /// The stack of a new thread.
    pub thread_stack: ThreadStack,
    /// Where the bytes of the file and of the process go.
    pub sizes: Sizes,
    /// What follows from all this: whether it will be slow, fat or unsafe, and why. Most important first.
    pub verdict: Vec<Finding>,
}

/// Class, byte order and architecture of an ELF file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Format {
    /// Width of an address: 32 or 64 bits.
    pub bits: u8,
    /// Byte order.
    pub endian: Endian,
    /// Architecture as in target triples (`x86_64`, `aarch64`), or `machine N` with ELF's number for one that has
    /// no name here.
    pub arch: String,
}

/// Byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

brawn_base::worded! {
    /// How a file is linked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Kind {
        /// Complete in itself, at a fixed address.
        Static = "static",
        /// Complete in itself, at any address.
        StaticPie = "static-pie",
        /// Needs a loader, at a fixed address.
        Dynamic = "dynamic, at a fixed address",
        /// Needs a loader, at any address.
        DynamicPie = "dynamic",
        /// A shared library.
        SharedObject = "shared library",
    }
}

impl Kind {
    /// Whether the kernel runs it without any other file.
    pub fn is_static(self) -> bool {
        matches!(self, Kind::Static | Kind::StaticPie)
    }
}

/// A file's libc.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Libc {
    /// Which one.
    pub name: LibcName,
    /// Its version, where the file says it.
    pub version: Option<String>,
    /// The oldest version that will do, for a dynamic executable on glibc.
    pub minimum_version: Option<String>,
    /// How this is known; empty only for `unknown`.
    pub evidence: Vec<Evidence>,
}

impl fmt::Display for Libc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        self.version.iter().try_for_each(|version| write!(f, " {version}"))?;
        self.minimum_version.iter().try_for_each(|version| write!(f, ", {version} or newer"))
    }
}

brawn_base::worded! {
    /// A libc.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum LibcName {
        /// musl.
        Musl = "musl",
        /// The GNU C library.
        Glibc = "glibc",
        /// Android's.
        Bionic = "bionic",
        /// None: the program speaks to the kernel itself (Go without cgo).
        None = "none: it speaks to the kernel itself",
        /// It cannot be told.
        Unknown = "unknown",
    }
}

/// Whose string and memory functions a file has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StringFunctions {
    /// Who wrote them.
    pub owner: StringsOwner,
    /// How this is known; empty only for `unknown`.
    pub evidence: Vec<Evidence>,
}

brawn_base::worded! {
    /// Who wrote string functions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum StringsOwner {
        /// Brawn's kit.
        Brawn = "Brawn's",
        /// musl.
        Musl = "musl's",
        /// glibc.
        Glibc = "glibc's",
        /// It cannot be told, or there are none.
        Unknown = "unknown",
    }
}

/// musl's functions in an executable, as `brawn-identify` recognises them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Functions {
    /// How many there are.
    pub count: usize,
    /// The versions of musl whose functions fit equally well, oldest first. Empty where symbols name the functions.
    pub versions: Vec<String>,
    /// The functions, by address; with `--functions` only.
    pub found: Option<Vec<FoundFunction>>,
    /// Functions that may be there and are not certain; with `--functions` only.
    pub ambiguous: Option<Vec<AmbiguousFunction>>,
}

/// A function that was recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FoundFunction {
    /// All its names in musl.
    pub names: Vec<String>,
    /// Its address, as the executable is linked.
    pub address: u64,
    /// Bytes of code.
    pub size: u64,
    /// How it is known: by `symbols` or by `code`.
    pub evidence: crate::EvidenceKind,
    /// How many other recognised functions call it or are called by it; 0 where symbols name it.
    pub confirmations: u32,
}

/// A function that may be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AmbiguousFunction {
    /// All its names in musl.
    pub names: Vec<String>,
    /// What stands in the way.
    pub reason: String,
}

/// What is recorded about a Rust compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rust {
    /// Its version as in `.comment`, such as `1.95.0`.
    pub version: Option<String>,
    /// The commit that its standard library was built from.
    pub commit: Option<String>,
}

/// Protection against exploits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hardening {
    /// Whether the program is loaded at a random address.
    pub pie: bool,
    /// Whether tables of addresses become read-only after start-up.
    pub relro: Relro,
    /// Whether stacks are not executable.
    pub nx_stack: bool,
    /// Whether some part of it is writable and executable at once.
    pub writable_code: bool,
    /// Whether functions check that their return address was not overwritten (`-fstack-protector`). None when it
    /// cannot be told.
    pub stack_canary: Option<bool>,
    /// Whether all code is marked for checked indirect branches: Intel's IBT, Arm's BTI.
    pub branch_targets: bool,
    /// Whether all code is marked for protected return addresses: Intel's shadow stack, Arm's PAC.
    pub return_addresses: bool,
}

brawn_base::worded! {
    /// Whether tables of addresses become read-only after start-up.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Relro {
        /// The linker did not ask for it.
        None = "no RELRO",
        /// All but the table for lazily bound functions.
        Partial = "partial RELRO",
        /// All.
        Full = "full RELRO",
        /// The linker asked for it, and the start-up code does not do it: musl in a static executable.
        NotApplied = "RELRO asked for, but not applied by musl's start-up code",
    }
}

/// The stack of a thread that a program starts without naming a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ThreadStack {
    /// Its size in bytes, if the executable decides it.
    pub bytes: Option<u64>,
    /// Who decides.
    pub source: ThreadStackSource,
}

brawn_base::worded! {
    /// Who decides on the size of a thread's stack.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum ThreadStackSource {
        /// The executable's `PT_GNU_STACK` header (`-z stack-size`), which musl reads; 8 MiB at most.
        ProgramHeader = "set in the executable",
        /// musl's own default of 128 KiB.
        MuslDefault = "musl's default",
        /// `ulimit -s` of the process, as in glibc.
        ResourceLimit = "as `ulimit -s` says",
        /// The program's runtime (Go).
        Runtime = "up to the language's runtime",
        /// It cannot be told.
        Unknown = "unknown",
    }
}

/// Where the bytes go. All in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sizes {
    /// The file.
    pub file: u64,
    /// Machine code.
    pub text: u64,
    /// Constant data, unwinding tables included.
    pub read_only: u64,
    /// Data that the program may change, as far as it stands in the file.
    pub data: u64,
    /// Data that starts as zero and takes no room in the file.
    pub bss: u64,
    /// Debug information.
    pub debug: u64,
    /// The symbol table and its names.
    pub symbols: u64,
    /// Whether these are by section; otherwise by segment, which is coarser: constants may count as text.
    pub by_section: bool,
}

/// Something worth saying about a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name, in kebab-case; the list is in `docs/reference/inspect.md`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is so, and what follows.
    pub message: String,
    /// What to do about it, where there is something.
    pub hint: Option<String>,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The file contradicts itself or is damaged.
    Error,
    /// It will cost speed, memory or safety.
    Warning,
    /// Good to know.
    Info,
}
