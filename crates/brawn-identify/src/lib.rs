//! Finds the functions of musl in a finished static executable: by its symbols, or by signatures where it is stripped.
//!
//! Nothing here changes a file. What is not certain is not reported as found. `docs/explain/identify.md` tells how it works.

mod anchor;
mod carried;
mod dummy;
mod error;
mod extract;
mod field;
mod filter;
mod found;
mod index;
mod prove;
mod scan;
mod signature;
mod suitable;
mod symbols;
mod text;

pub use carried::{carried, packed_size};
pub use dummy::does_nothing;
pub use error::Error;
pub use extract::extract;
pub use field::Field;
pub use found::{examine, identify};
pub use index::Index;
pub use signature::{Link, Name, Signature, Signatures, Source};

/// A function of libc in an executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// All names that the function goes by in musl, sorted: `memcpy`, `__memcpy_fwd_alias_1`.
    pub names: Vec<String>,
    /// Its first byte, as the executable is linked.
    pub address: u64,
    /// Bytes of code, padding left out.
    pub size: u64,
    /// Why it is taken for that.
    pub evidence: Evidence,
    /// How many other recognised functions say the same: they call it, or it calls them. None where symbols name it.
    pub confirmations: u32,
}

/// Why a function is taken for what it is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The executable's symbol table names it.
    Symbol,
    /// Its bytes are those of a known musl's, and so is what it calls.
    Signature,
}

/// Data of musl in an executable, as the recognised functions refer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datum {
    /// Its name in musl: `__malloc_context`.
    pub name: String,
    /// Where it begins.
    pub address: u64,
}

/// A function that may be there, and is not certain enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// Its names.
    pub names: Vec<String>,
    /// What stands in the way.
    pub reason: &'static str,
}

/// What was found in one executable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identification {
    /// By address.
    pub functions: Vec<Function>,
    /// Those that only their own member of libc calls, by address, named with it: `malloc/alloc_slot`. Only where signatures
    /// told.
    pub local: Vec<Function>,
    /// By name.
    pub data: Vec<Datum>,
    /// By name.
    pub ambiguous: Vec<Ambiguity>,
    /// The versions of musl that fit equally well, oldest first: `1.2.3`. Empty where only symbols tell.
    pub versions: Vec<String>,
    /// The builds of them that fit: `rust-1.78`.
    pub builds: Vec<String>,
}

impl Identification {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.names.iter().any(|other| other == name))
    }

    /// Where the data of this name is.
    pub fn datum(&self, name: &str) -> Option<u64> {
        self.data.iter().find(|datum| datum.name == name).map(|datum| datum.address)
    }
}
