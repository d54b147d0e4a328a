//! What is looked up in a set of signatures, put in order once.

use std::collections::HashMap;

use crate::filter::Filter;
use crate::signature::{Signature, Signatures};

/// With so many bytes of its own, a function is sure if its bytes are in one place only.
pub const SURE: u32 = 24;

/// Signatures in the order in which they are looked for: worth keeping where many executables are looked at.
pub struct Index<'a> {
    pub(crate) signatures: &'a Signatures,
    /// By anchor, the functions that have it, and where in them it begins.
    pub(crate) anchors: HashMap<u64, Vec<(u32, u32)>>,
    pub(crate) filter: Filter,
    /// By name, the functions that have it.
    definitions: Vec<Vec<u32>>,
    /// By size and digest, the functions with equal bytes.
    equals: HashMap<(u32, u64), Vec<u32>>,
    /// By name, whether no program can define it in musl's place.
    pub(crate) internal: Vec<bool>,
    pub(crate) groups: Vec<Group>,
}

/// Archives that have the same functions.
pub(crate) struct Group {
    /// Their numbers, ascending.
    pub archives: Vec<usize>,
    /// Those of their functions whose bytes prove nothing.
    pub short: Vec<u32>,
}

impl<'a> Index<'a> {
    /// Puts signatures in order.
    pub fn new(signatures: &'a Signatures) -> Self {
        let mut anchors: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        let mut definitions = vec![Vec::new(); signatures.names.len()];
        let mut equals: HashMap<_, Vec<u32>> = HashMap::new();
        for (id, function) in (0..).zip(&signatures.functions) {
            if let Some((offset, anchor)) = function.anchor {
                anchors.entry(anchor).or_default().push((id, offset));
            }
            for name in &function.names {
                definitions[name.id as usize].push(id);
            }
            equals.entry((function.size, function.digest)).or_default().push(id);
        }
        let filter = Filter::new(anchors.keys().copied());
        let internal = signatures.names.iter().map(|name| name.contains('/') || name.starts_with("__"));
        let internal = internal.collect();
        let groups = groups(signatures);
        Index { signatures, anchors, filter, definitions, equals, internal, groups }
    }

    /// The functions of a name, in whatever archive.
    pub(crate) fn definitions(&self, name: u32) -> &[u32] {
        &self.definitions[name as usize]
    }

    /// The functions with the same bytes, in whatever archive.
    pub(crate) fn equals(&self, function: &Signature) -> &[u32] {
        &self.equals[&(function.size, function.digest)]
    }
}

fn groups(signatures: &Signatures) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let same = |one: usize, other: usize| {
        signatures.functions.iter().all(|f| f.archives >> one & 1 == f.archives >> other & 1)
    };
    for archive in 0..signatures.archives.len() {
        match groups.iter_mut().find(|group| same(group.archives[0], archive)) {
            Some(group) => group.archives.push(archive),
            None => {
                let short = |f: &Signature| f.archives >> archive & 1 == 1 && f.fixed < SURE;
                let functions = (0..).zip(&signatures.functions);
                let short = functions.filter(|(_, f)| short(f)).map(|(id, _)| id).collect();
                groups.push(Group { archives: vec![archive], short });
            }
        }
    }
    groups
}
