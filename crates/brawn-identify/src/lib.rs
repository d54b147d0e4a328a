//! Finds the functions of musl in a finished static executable: by its symbols, or by signatures where it is stripped.
//!
//! Nothing here changes a file. What is not certain is not reported as found.

mod symbols;

pub use symbols::identify;

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
}

/// Why a function is taken for what it is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The executable's symbol table names it.
    Symbol,
    /// Its bytes are those of a known musl's, and so is what it calls.
    Signature,
}

/// What was found in one executable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identification {
    /// By address.
    pub functions: Vec<Function>,
}

impl Identification {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.names.iter().any(|other| other == name))
    }
}
