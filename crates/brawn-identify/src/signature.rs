//! What is known of musl's functions: never their code, only a digest of it, and what it refers to.

use std::collections::{HashMap, HashSet};

use brawn_elf::Arch;

use crate::field::Field;

/// The most archives that one set holds: one bit each.
pub const MOST_ARCHIVES: usize = 64;

/// The signatures for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// The architecture.
    pub arch: Arch,
    /// The archives that they are from.
    pub archives: Vec<Source>,
    /// Names that signatures refer to by number. One with a slash belongs to one member alone: `malloc/alloc_slot`.
    pub names: Vec<String>,
    /// The functions, each once, however many archives have it.
    pub functions: Vec<Signature>,
}

/// An archive that signatures are from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The version of musl, such as `1.2.5`, or `-` where the archive does not state it.
    pub version: String,
    /// Who built it: `rust-1.95`.
    pub label: String,
}

/// One function, as one or more archives have it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Its names, sorted.
    pub names: Vec<Name>,
    /// The number of its member's name, and which of the member's functions it is: linkers keep that order.
    pub place: (u32, u32),
    /// Bytes of code.
    pub size: u32,
    /// Bytes of them that no linker changes.
    pub fixed: u32,
    /// The power of two that its address is a multiple of.
    pub align: u8,
    /// Eight bytes in a row that no linker changes, and where they begin: the rarest of them.
    pub anchor: Option<(u32, u64)>,
    /// The digest of the code without the fields that a linker fills in.
    pub digest: u64,
    /// These fields, by offset.
    pub links: Vec<Link>,
    /// Bit N: archive N has it.
    pub archives: u64,
}

/// A name of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// Its number.
    pub id: u32,
    /// Whether a program's own definition takes precedence.
    pub weak: bool,
}

/// A field that a linker fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// Where it begins in the function.
    pub offset: u32,
    /// How it is filled in.
    pub field: Field,
    /// The number of its target's name, if it has one that means the same everywhere.
    pub target: Option<u32>,
    /// What is added to the target's address.
    pub addend: i64,
}

impl Signatures {
    /// A set without any.
    pub fn empty(arch: Arch) -> Signatures {
        Signatures { arch, archives: Vec::new(), names: Vec::new(), functions: Vec::new() }
    }

    /// Adds those of another set for the same architecture; archives that are there already are replaced.
    pub fn add(&mut self, other: &Signatures) {
        for source in &other.archives {
            if let Some(at) = self.archives.iter().position(|known| known.label == source.label) {
                self.remove(at);
            }
        }
        let shift = self.archives.len();
        assert!(shift + other.archives.len() <= MOST_ARCHIVES, "too many archives");
        self.archives.extend(other.archives.iter().cloned());
        let mut numbers: HashMap<String, u32> =
            self.names.iter().enumerate().map(|(id, name)| (name.clone(), id as u32)).collect();
        let mut renumber = |id: u32| {
            let name = &other.names[id as usize];
            *numbers.entry(name.clone()).or_insert_with(|| {
                self.names.push(name.clone());
                self.names.len() as u32 - 1
            })
        };
        let mut known: HashMap<Signature, usize> =
            self.functions.iter().enumerate().map(|(at, one)| (one.everywhere(), at)).collect();
        for function in &other.functions {
            let mut own = function.everywhere();
            for name in &mut own.names {
                name.id = renumber(name.id);
            }
            for link in &mut own.links {
                link.target = link.target.map(&mut renumber);
            }
            own.names.sort();
            own.place.0 = renumber(own.place.0);
            let at = *known.entry(own.clone()).or_insert_with(|| {
                self.functions.push(Signature { anchor: function.anchor, ..own });
                self.functions.len() - 1
            });
            self.functions[at].archives |= function.archives << shift;
        }
    }

    /// The names of functions in another set that this one does not have.
    pub fn missing(&self, other: &Signatures) -> Vec<String> {
        let key = |set: &Signatures, function: &Signature| {
            let text = |id: u32| set.names[id as usize].clone();
            let mut names: Vec<String> = function.names.iter().map(|name| text(name.id)).collect();
            names.sort();
            let links: Vec<_> =
                function.links.iter().map(|link| (link.offset, link.target.map(text))).collect();
            (names, function.digest, links)
        };
        let known: HashSet<_> = self.functions.iter().map(|function| key(self, function)).collect();
        let others = other.functions.iter().map(|function| key(other, function));
        others.filter(|key| !known.contains(key)).map(|key| key.0.join(", ")).collect()
    }

    /// Those that other archives have than these.
    pub fn without(&self, gone: impl Fn(&Source) -> bool) -> Signatures {
        let mut left = self.clone();
        for at in (0..left.archives.len()).rev() {
            if gone(&left.archives[at]) {
                left.remove(at);
            }
        }
        left
    }

    /// Forgets one archive.
    fn remove(&mut self, at: usize) {
        self.archives.remove(at);
        let low = (1u64 << at) - 1;
        for function in &mut self.functions {
            function.archives = function.archives & low | function.archives >> 1 & !low;
        }
        self.functions.retain(|function| function.archives != 0);
    }

    /// Orders everything by name, so that the same signatures give the same text.
    pub fn sort(&mut self) {
        let mut used: Vec<u32> = self
            .functions
            .iter()
            .flat_map(|f| {
                f.names
                    .iter()
                    .map(|name| name.id)
                    .chain(f.links.iter().filter_map(|l| l.target))
                    .chain([f.place.0])
            })
            .collect();
        used.sort_by(|a, b| self.names[*a as usize].cmp(&self.names[*b as usize]));
        used.dedup();
        let places: HashMap<u32, u32> =
            used.iter().enumerate().map(|(new, old)| (*old, new as u32)).collect();
        for function in &mut self.functions {
            for name in &mut function.names {
                name.id = places[&name.id];
            }
            function.names.sort();
            function.place.0 = places[&function.place.0];
            for link in &mut function.links {
                link.target = link.target.map(|id| places[&id]);
            }
        }
        self.names = used.iter().map(|old| self.names[*old as usize].clone()).collect();
        self.functions.sort_by(|a, b| {
            (&a.names, a.size, a.digest, a.archives).cmp(&(&b.names, b.size, b.digest, b.archives))
        });
    }

    /// Keeps the functions for which `keep` says so, and forgets the others.
    pub fn retain(&mut self, mut keep: impl FnMut(&Signature, &[String]) -> bool) {
        let names = std::mem::take(&mut self.names);
        self.functions.retain(|function| keep(function, &names));
        self.names = names;
        self.sort();
    }

    /// Whether a name belongs to one member alone.
    pub fn is_local(&self, id: u32) -> bool {
        self.names[id as usize].contains('/')
    }
}

impl Signature {
    /// Without what differs between archives that have the same function.
    fn everywhere(&self) -> Signature {
        Signature { archives: 0, anchor: None, ..self.clone() }
    }

    /// Whether the code at the start of `code` is this function.
    pub fn matches(&self, arch: Arch, code: &[u8]) -> bool {
        code.get(..self.size as usize).is_some_and(|code| digest(arch, code, &self.links) == self.digest)
    }
}

/// The digest of a function without what a linker fills in. It is kept in files: it never changes.
pub fn digest(arch: Arch, code: &[u8], links: &[Link]) -> u64 {
    let mut plain = code.to_vec();
    for link in links {
        link.field.clear(arch, &mut plain, link.offset as usize);
    }
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 29
    };
    let words = plain.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    mix(words.fold(code.len() as u64, mix), 0)
}
