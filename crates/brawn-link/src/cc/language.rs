//! The languages of `brawn cc` and `brawn c++`, and what needs no library beside musl.

use crate::vars;

/// What a compiler compiles, and what is linked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C: the C library alone.
    C,
    /// C++: its runtime as well.
    Cxx,
}

impl Language {
    /// The name by which Brawn is called as this compiler: `brawn cc`, `brawn c++`.
    pub fn command(self) -> &'static str {
        match self {
            Language::C => "cc",
            Language::Cxx => "c++",
        }
    }

    pub(super) fn variable(self) -> &'static str {
        match self {
            Language::C => vars::CC,
            Language::Cxx => vars::CXX,
        }
    }

    /// What GCC's compiler for this language is called, behind a target's triple.
    pub(super) fn gcc(self) -> &'static str {
        match self {
            Language::C => "gcc",
            Language::Cxx => "g++",
        }
    }
}

/// Libraries that other systems have and that musl keeps in `libc.a`.
pub(crate) const IN_LIBC: &[&str] = &["c", "m", "pthread", "rt", "dl", "util", "resolv", "crypt", "xnet"];
