//! Puts together what is found in an executable.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use brawn_elf::{Image, Symbol};

use crate::prove::{self, Proof};
use crate::signature::{Name, Signature};
use crate::symbols::{are_musls, named};
use crate::{
    Ambiguity, Datum, Error, Evidence, Function, Identification, Index, Signatures, carried, scan, suitable,
};

/// So few functions may be found anywhere.
const FEWEST: usize = 4;

/// The functions of musl in an executable; nothing where it has none.
pub fn identify(image: &Image<'_>) -> Identification {
    examine(image, &[]).unwrap_or_default()
}

/// The functions of musl in an executable, by its symbols or by the signatures that are carried and `more`.
///
/// # Errors
/// Why none can be found in it: see [`Error`].
pub fn examine(image: &Image<'_>, more: &[Signatures]) -> Result<Identification, Error> {
    let arch = suitable::suitable(image)?;
    let (mut extended, own);
    let mut index = carried::index(arch);
    if more.iter().any(|set| set.arch == arch) {
        extended = index.signatures.clone();
        more.iter().filter(|set| set.arch == arch).for_each(|set| extended.add(set));
        own = Index::new(&extended);
        index = &own;
    }
    let (found, signatures) = (index.find(image), index.signatures);
    match image.symbols().filter(|symbols| are_musls(symbols)) {
        Some(symbols) => Ok(joined(named(&symbols, signatures), found.unwrap_or_default(), &symbols)),
        None => found.ok_or_else(|| suitable::why_nothing(image)),
    }
}

/// What symbols name, and what linkers make local of musl's inner functions and signatures find: where symbols contradict a
/// signature, they are right.
fn joined(mut named: Identification, found: Identification, symbols: &[Symbol<'_>]) -> Identification {
    let agrees = |name: &String, address: u64| {
        symbols.iter().any(|symbol| symbol.value == address && symbol.name == name.as_bytes())
    };
    for mut function in found.functions {
        function.names.retain(|name| agrees(name, function.address));
        match named.functions.iter_mut().find(|known| known.address == function.address) {
            Some(known) => {
                known.confirmations = function.confirmations;
                let fresh = function.names.into_iter().filter(|name| !known.names.contains(name));
                known.names.extend(fresh.collect::<Vec<_>>());
                known.names.sort();
            }
            None if function.names.is_empty() => {}
            None => named.functions.push(function),
        }
    }
    named.functions.sort_by_key(|function| function.address);
    let data = found.data.into_iter().filter(|datum| agrees(&datum.name, datum.address));
    named.data.extend(data);
    named.data.sort_by(|a, b| a.name.cmp(&b.name));
    named.data.dedup();
    Identification { versions: found.versions, builds: found.builds, ..named }
}

impl Signatures {
    /// The functions of these in an executable, whatever symbols it has; none where it has too few to be certain.
    pub fn find(&self, image: &Image<'_>) -> Option<Identification> {
        Index::new(self).find(image)
    }
}

impl Index<'_> {
    /// As [`Signatures::find`].
    pub fn find(&self, image: &Image<'_>) -> Option<Identification> {
        by_signatures(image, self)
    }
}

fn by_signatures(image: &Image<'_>, index: &Index<'_>) -> Option<Identification> {
    let signatures = index.signatures;
    let evidence = prove::Evidence::collect(image, index);
    let mut proofs: Vec<(u64, &[usize], Proof)> = index
        .groups
        .iter()
        .map(|group| {
            let proof = evidence.prove(group);
            let fixed = |id: &u32| u64::from(signatures.functions[*id as usize].fixed);
            (proof.functions.values().map(fixed).sum(), &group.archives[..], proof)
        })
        .collect();
    // The newest of those that explain most: a version that changed nothing does not hide behind an older one.
    proofs
        .sort_by_key(|(score, archives, _)| (std::cmp::Reverse(*score), std::cmp::Reverse(archives.last())));
    let (best, _, first) = proofs.first().filter(|(_, _, proof)| proof.functions.len() >= FEWEST)?;
    let mut found = Found {
        index,
        signatures,
        evidence: &evidence,
        functions: BTreeMap::new(),
        local: BTreeMap::new(),
        names: HashMap::new(),
        ids: BTreeMap::new(),
    };
    let fitting = proofs.iter().filter(|(score, ..)| score == best);
    let sources = fitting.flat_map(|(_, archives, _)| *archives).map(|at| &signatures.archives[*at]);
    let sources: Vec<_> = sources.collect();
    let versions: BTreeSet<_> = sources.iter().map(|source| source.version.clone()).collect();
    let mut builds: Vec<_> = sources.iter().map(|source| source.label.clone()).collect();
    builds.sort();
    for (at, (_, _, proof)) in proofs.iter().enumerate() {
        found.add(proof, at == 0);
    }
    let ambiguous = found.ambiguous(first);
    let data = found.data(image);
    let functions = found.functions.into_values().collect();
    let local = found.local.into_values().collect();
    Some(Identification {
        functions,
        local,
        data,
        ambiguous,
        versions: versions.into_iter().collect(),
        builds,
    })
}

struct Found<'a, 'data> {
    index: &'a Index<'a>,
    signatures: &'a Signatures,
    evidence: &'a prove::Evidence<'a, 'data>,
    functions: BTreeMap<u64, Function>,
    local: BTreeMap<u64, Function>,
    names: HashMap<u32, u64>,
    /// By address, the signature of what is there.
    ids: BTreeMap<u64, u32>,
}

impl Found<'_, '_> {
    /// Adds what another archive explains as well, as far as it agrees with what is there.
    fn add(&mut self, proof: &Proof, best: bool) {
        for (address, id) in &proof.functions {
            let function = &self.signatures.functions[*id as usize];
            let names: Vec<&Name> = function
                .names
                .iter()
                .filter(|name| self.is_certain(name, function, *address, proof))
                .collect();
            let local = function.names.iter().all(|name| self.signatures.is_local(name.id));
            if names.is_empty() && !local || self.overlaps(*address, function) {
                continue;
            }
            if !best && self.refers_to_others(*id, *address) {
                continue;
            }
            let (callers, callees) = (callers(function, proof), callees(function, proof));
            // Of equal bytes, another archive may have only this one. Then what calls it decides.
            if callers == 0 && (!best || callees == 0) && self.has_other_names(function) {
                continue;
            }
            let names = if local { function.names.iter().collect() } else { names };
            let mut names: Vec<String> =
                names.iter().map(|name| self.signatures.names[name.id as usize].clone()).collect();
            names.sort();
            let function = Function {
                names,
                address: *address,
                size: function.size.into(),
                evidence: Evidence::Signature,
                confirmations: callers + callees,
            };
            self.ids.entry(*address).or_insert(*id);
            if local {
                self.local.insert(*address, function);
            } else {
                self.functions.insert(*address, function);
            }
        }
        for (name, address) in &proof.names {
            self.names.entry(*name).or_insert(*address);
        }
    }

    /// Whether what is there already is another function than this one refers to. The archive that explains this one may not
    /// know the other.
    fn refers_to_others(&self, id: u32, address: u64) -> bool {
        let is_another = |(name, target): &(u32, u64)| {
            let Some(known) = self.ids.get(target) else { return false };
            let known = &self.signatures.functions[*known as usize];
            let agrees = |(name, at): &(u32, u64)| self.names.get(name).is_none_or(|known| known == at);
            let is_there = |id: &u32| {
                let references = self.evidence.references(*id, *target);
                references.is_some_and(|references| references.iter().all(agrees))
            };
            let mut definitions = self.index.definitions(*name).iter();
            !known.names.iter().any(|own| own.id == *name)
                && definitions.len() > 0
                && !definitions.any(is_there)
        };
        self.evidence.references(id, address).is_none_or(|references| references.iter().any(is_another))
    }

    /// Whether a function of this name is here. A weak name is somebody else's if the program defines it: where the function
    /// has no other, somebody must refer to it.
    fn is_certain(&self, name: &Name, function: &Signature, address: u64, proof: &Proof) -> bool {
        let alone = function.names.iter().all(|name| name.weak);
        let here = |names: &HashMap<u32, u64>| names.get(&name.id).is_none_or(|known| *known == address);
        !self.signatures.is_local(name.id)
            && here(&self.names)
            && here(&proof.names)
            && (!alone || proof.names.contains_key(&name.id))
    }

    /// Whether any archive has a function of the same bytes and other names.
    fn has_other_names(&self, function: &Signature) -> bool {
        let shares = |other: &u32| {
            let mut names = self.signatures.functions[*other as usize].names.iter();
            names.any(|name| function.names.iter().any(|own| own.id == name.id))
        };
        self.index.equals(function).iter().any(|other| !shares(other))
    }

    fn overlaps(&self, address: u64, function: &Signature) -> bool {
        let end = address + u64::from(function.size);
        let before = self.functions.range(..end).next_back();
        before.is_some_and(|(start, known)| start + known.size > address)
    }

    /// What is not in code: a branch may lead to functions of other libraries, whose names linkers change.
    fn data(&self, image: &Image<'_>) -> Vec<Datum> {
        let code = scan::code(image);
        let in_code =
            |at: u64| code.iter().any(|(start, bytes)| at.wrapping_sub(*start) < bytes.len() as u64);
        let functions: BTreeSet<u32> = self
            .signatures
            .functions
            .iter()
            .flat_map(|function| &function.names)
            .map(|name| name.id)
            .collect();
        let is_data = |id: &u32| !functions.contains(id) && !self.signatures.is_local(*id);
        let mut data: Vec<Datum> = self
            .names
            .iter()
            .filter(|(id, address)| is_data(id) && !in_code(**address))
            .map(|(id, address)| Datum {
                name: self.signatures.names[*id as usize].clone(),
                address: *address,
            })
            .collect();
        data.sort_by(|a, b| a.name.cmp(&b.name));
        data
    }

    fn ambiguous(&self, proof: &Proof) -> Vec<Ambiguity> {
        let found: BTreeSet<&str> =
            self.functions.values().flat_map(|function| function.names.iter().map(String::as_str)).collect();
        let mut ambiguous = BTreeMap::new();
        for (id, reason) in &proof.open {
            let names = self.signatures.functions[*id as usize].names.iter();
            let names = names.filter(|name| !self.signatures.is_local(name.id));
            let names: Vec<String> =
                names.map(|name| self.signatures.names[name.id as usize].clone()).collect();
            if !names.is_empty() && names.iter().all(|name| !found.contains(name.as_str())) {
                ambiguous.insert(names, *reason);
            }
        }
        ambiguous.into_iter().map(|(names, reason)| Ambiguity { names, reason }).collect()
    }
}

/// How many recognised functions refer to this one.
fn callers(function: &Signature, proof: &Proof) -> u32 {
    // Its own claim counts for each strong name.
    let others = |name: &Name| {
        proof.referrers.get(&name.id).copied().unwrap_or(0).saturating_sub(u32::from(!name.weak))
    };
    function.names.iter().map(others).sum()
}

/// How many recognised functions this one refers to.
fn callees(function: &Signature, proof: &Proof) -> u32 {
    let called: BTreeSet<u32> = function.links.iter().filter_map(|link| link.target).collect();
    let is_proved = |id: &&u32| proof.names.get(id).is_some_and(|at| proof.functions.contains_key(at));
    called.iter().filter(is_proved).count() as u32
}
