//! Decides which of the places with a function's bytes are that function: what it refers to must be there, and all that refer
//! to one name must mean one place.
//!
//! An executable has one musl, so each archive's signatures are tried by themselves.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use brawn_elf::Image;

use crate::dummy;
use crate::field::{Field, Filled};
use crate::index::{Group, Index, SURE};
use crate::scan;
use crate::signature::Signature;

/// Members of one archive stand closer than this: no two of musl's large functions lie between.
const NEAR: u64 = 4096;
/// Each round proves at least one function more, or is the last; a chain of short functions is never so long.
const MOST_ROUNDS: usize = 24;

/// What a function refers to: names by number, and their addresses.
type References = Rc<[(u32, u64)]>;

/// All that is known of an executable before any archive is tried.
pub struct Evidence<'a, 'data> {
    image: &'a Image<'data>,
    index: &'a Index<'a>,
    places: BTreeMap<u32, Vec<u64>>,
    branches: scan::Branches,
    known: RefCell<HashMap<(u32, u64), Option<References>>>,
}

/// What one archive explains.
#[derive(Default)]
pub struct Proof {
    /// Signatures by the address at which they are proved.
    pub functions: BTreeMap<u64, u32>,
    /// The addresses of names, of data as well.
    pub names: HashMap<u32, u64>,
    /// How many of the functions refer to a name.
    pub referrers: HashMap<u32, u32>,
    /// Functions whose bytes are there and which are not proved, and why.
    pub open: BTreeMap<u32, &'static str>,
}

impl<'a, 'data> Evidence<'a, 'data> {
    pub fn collect(image: &'a Image<'data>, index: &'a Index<'a>) -> Self {
        let code = scan::code(image);
        let places = scan::places(index, &code);
        let addresses = places.values().flatten().copied();
        let branches = scan::Branches::new(index.signatures.arch, &code, addresses);
        Evidence { image, index, places, branches, known: RefCell::default() }
    }

    fn function(&self, id: u32) -> &'a Signature {
        &self.index.signatures.functions[id as usize]
    }

    /// What the function refers to, if its code is at `address` and a linker could have filled in its fields so.
    pub(crate) fn references(&self, id: u32, address: u64) -> Option<References> {
        if let Some(known) = self.known.borrow().get(&(id, address)) {
            return known.clone();
        }
        let read = self.read(id, address);
        self.known.borrow_mut().insert((id, address), read.clone());
        read
    }

    fn read(&self, id: u32, address: u64) -> Option<References> {
        let function = self.function(id);
        let code = self.image.bytes_at_address(address).filter(|_| scan::aligned(function, address))?;
        if !function.matches(self.index.signatures.arch, code) {
            return None;
        }
        let mut filled = Filled::new(self.image, &code[..function.size as usize], address);
        let mut references = BTreeSet::new();
        for link in &function.links {
            let name = link.target.unwrap_or(u32::MAX);
            let target = filled.target(link.field, link.offset as usize, (name, link.addend)).ok()?;
            // A weak function that nobody defined is at 0.
            if let (Some(name), Some(target)) = (link.target, target.filter(|target| *target != 0)) {
                references.insert((name, target));
            }
        }
        // One name is one place.
        let references: References = references.into_iter().collect();
        references.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(references)
    }

    /// Whether a function at this address does nothing.
    fn does_nothing(&self, address: u64) -> bool {
        let code = self.image.bytes_at_address(address).unwrap_or_default();
        dummy::does_nothing(self.index.signatures.arch, code).is_some()
    }

    /// What archives with the same functions explain.
    pub fn prove(&self, group: &'a Group) -> Proof {
        let mut trial = Trial { evidence: self, group, proof: Proof::default() };
        if !self.places.keys().any(|id| trial.has(*id)) {
            return trial.proof;
        }
        for _ in 0..MOST_ROUNDS {
            let before = trial.proof.functions.len();
            trial.by_bytes();
            trial.settle();
            trial.by_callers();
            trial.by_callees();
            trial.settle();
            if trial.proof.functions.len() == before {
                break;
            }
        }
        trial.explain();
        trial.proof
    }
}

struct Trial<'e, 'a, 'data> {
    evidence: &'e Evidence<'a, 'data>,
    group: &'a Group,
    proof: Proof,
}

impl<'a> Trial<'_, 'a, '_> {
    fn has(&self, id: u32) -> bool {
        self.evidence.function(id).archives >> self.group.archives[0] & 1 == 1
    }

    /// The functions of a name.
    fn definitions(&self, name: u32) -> impl Iterator<Item = u32> {
        self.evidence.index.definitions(name).iter().copied().filter(|id| self.has(*id))
    }

    /// What a program cannot define in musl's place.
    fn is_internal(&self, name: u32) -> bool {
        self.evidence.index.internal[name as usize]
    }

    /// Whether nothing contradicts that the function is at `address`.
    fn fits(&self, id: u32, address: u64) -> Option<References> {
        let references = self.evidence.references(id, address)?;
        let overlaps = |start: u64, other: u32| {
            start != address && address < start + u64::from(self.evidence.function(other).size)
        };
        let before = self.proof.functions.range(..=address).next_back();
        if before.is_some_and(|(start, other)| overlaps(*start, *other)) {
            return None;
        }
        // A weak name may be somebody else's.
        let names = self.evidence.function(id).names.iter();
        if names.clone().all(|name| self.proof.names.get(&name.id).is_some_and(|known| *known != address)) {
            return None;
        }
        let agrees = |(name, target): &(u32, u64)| match self.proof.names.get(name) {
            Some(known) => known == target,
            None if self.proof.functions.contains_key(target) => {
                let known = self.evidence.function(self.proof.functions[target]);
                known.names.iter().any(|own| own.id == *name)
            }
            None => {
                let there = |id: u32| self.evidence.references(id, *target).is_some();
                // A program may define a public name, but not as a function that does nothing: only musl's inner ones are such.
                let may_be_theirs = || !self.is_internal(*name) && !self.evidence.does_nothing(*target);
                self.definitions(*name).next().is_none()
                    || may_be_theirs()
                    || self.definitions(*name).any(there)
            }
        };
        references.iter().all(agrees).then_some(references)
    }

    /// Which of `places`, where nothing contradicts the function, is its. Others of equal bytes that would fit there as well
    /// must all be there, and from one member, whose order linkers keep. Where others of equal bytes are contradicted, all
    /// that this one calls must be proved: what contradicts them may be wrong.
    fn choose(&self, id: u32, places: &[u64]) -> Option<u64> {
        let function = self.evidence.function(id);
        let all = self.evidence.index.equals(function).iter().copied().filter(|other| self.has(*other));
        let fits_somewhere = |other: &u32| places.iter().any(|place| self.fits(*other, *place).is_some());
        let mut equals: Vec<u32> = all.clone().filter(fits_somewhere).collect();
        equals.sort_by_key(|other| self.evidence.function(*other).place.1);
        let at = equals.iter().position(|other| *other == id)?;
        let from_one = equals.iter().all(|other| self.evidence.function(*other).place.0 == function.place.0);
        let place = (from_one && equals.len() == places.len()).then(|| places[at])?;
        (equals.len() == all.count() || self.has_proved_callees(id, place)).then_some(place)
    }

    /// Whether all functions that the one at this place refers to are proved.
    fn has_proved_callees(&self, id: u32, place: u64) -> bool {
        let is_proved = |(name, target): &(u32, u64)| {
            let known = self.proof.functions.get(target);
            let is_it = |id: &u32| self.evidence.function(*id).names.iter().any(|own| own.id == *name);
            self.definitions(*name).next().is_none() || known.is_some_and(is_it)
        };
        self.evidence.references(id, place).is_some_and(|references| references.iter().all(is_proved))
    }

    /// The functions that are known by their bytes alone.
    fn by_bytes(&mut self) {
        let mut found = Vec::new();
        for (id, places) in &self.evidence.places {
            if !self.has(*id) || self.evidence.function(*id).fixed < SURE {
                continue;
            }
            let fitting: Vec<u64> =
                places.iter().copied().filter(|place| self.fits(*id, *place).is_some()).collect();
            found.extend(self.choose(*id, &fitting).map(|place| (place, *id)));
        }
        self.accept(found);
    }

    /// Two answers to one question are none.
    fn accept(&mut self, found: Vec<(u64, u32)>) {
        let mut by_place: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for (place, id) in found {
            by_place.entry(place).or_default().insert(id);
        }
        for (place, ids) in by_place {
            if self.proof.functions.contains_key(&place) {
                continue;
            }
            // Of two, one may be the other's beginning.
            let longest = ids.iter().map(|id| self.evidence.function(*id).size).max();
            let mut ids = ids.into_iter().filter(|id| Some(self.evidence.function(*id).size) == longest);
            if let (Some(id), None) = (ids.next(), ids.next()) {
                self.proof.functions.insert(place, id);
            }
        }
    }

    /// Whether a proved function at this address is none of this name, whose functions are known. One with the bytes of such a
    /// function is none if it goes on elsewhere: all jumps have the same.
    fn is_another(&self, name: u32, address: u64) -> bool {
        let agrees = |(name, target): &(u32, u64)| self.proof.names.get(name).is_none_or(|at| at == target);
        let equal = |id: u32| {
            self.evidence.references(id, address).is_some_and(|references| references.iter().all(agrees))
        };
        self.proof.functions.contains_key(&address)
            && self.definitions(name).next().is_some()
            && !self.definitions(name).any(equal)
    }

    /// Names that the proved functions give to addresses. Where they disagree, those that stand alone against two are dropped,
    /// and all of them if there is no such majority.
    fn settle(&mut self) {
        loop {
            let mut claims: HashMap<u32, BTreeMap<u64, Vec<u64>>> = HashMap::new();
            let mut wrong = BTreeSet::new();
            let mut claim = |name: u32, target: u64, by: u64| {
                claims.entry(name).or_default().entry(target).or_default().push(by);
            };
            for (place, id) in &self.proof.functions {
                let function = self.evidence.function(*id);
                for name in function.names.iter().filter(|name| !name.weak) {
                    claim(name.id, *place, *place);
                }
                for (name, target) in self.evidence.references(*id, *place).iter().flat_map(|r| r.iter()) {
                    claim(*name, *target, *place);
                    if self.is_another(*name, *target) {
                        wrong.insert(*place);
                    }
                }
            }
            for targets in claims.values().filter(|targets| targets.len() > 1) {
                let most = targets.values().map(Vec::len).max().unwrap_or(0);
                let decided = most > 1 && targets.values().filter(|by| by.len() > 1).count() == 1;
                wrong.extend(targets.values().filter(|by| !decided || by.len() < most).flatten().copied());
            }
            if wrong.is_empty() {
                let only = |targets: &BTreeMap<u64, Vec<u64>>| targets.keys().next().copied();
                self.proof.referrers = claims
                    .iter()
                    .map(|(name, targets)| (*name, targets.values().map(Vec::len).sum::<usize>() as u32))
                    .collect();
                self.proof.names =
                    claims.iter().filter_map(|(name, targets)| Some((*name, only(targets)?))).collect();
                return;
            }
            self.proof.functions.retain(|place, _| !wrong.contains(place));
        }
    }

    /// The functions to which proved ones refer.
    fn by_callers(&mut self) {
        let mut found = Vec::new();
        for (name, address) in &self.proof.names {
            if !self.proof.functions.contains_key(address) {
                let fitting = self.definitions(*name).filter(|id| self.fits(*id, *address).is_some());
                found.extend(fitting.map(|id| (*address, id)));
            }
        }
        self.accept(found);
    }

    /// Short functions that refer to proved ones which nothing but musl can refer to, or that stand among musl's functions.
    fn by_callees(&mut self) {
        let mut found = Vec::new();
        for &id in &self.group.short {
            let function = self.evidence.function(id);
            if function.names.iter().any(|name| self.is_placed(name.id)) {
                continue;
            }
            let branch = function.links.iter().find_map(|link| {
                let name = link.target.filter(|_| matches!(link.field, Field::Relative | Field::Branch))?;
                let address = self.proof.names.get(&name)?;
                self.proof.functions.contains_key(address).then_some((
                    link.offset,
                    *address,
                    self.is_internal(name),
                ))
            });
            let Some((offset, callee, internal)) = branch else { continue };
            let sites = self.evidence.branches.sites.get(&callee).into_iter().flatten();
            let mut fitting: Vec<u64> = sites
                .filter_map(|site| site.checked_sub(u64::from(offset)))
                .filter(|place| self.fits(id, *place).is_some() && self.begins(function, *place))
                .collect();
            fitting.sort_unstable();
            fitting.dedup();
            let place = self.choose(id, &fitting);
            found.extend(place.filter(|place| internal || self.at_home(*place)).map(|place| (place, id)));
        }
        self.accept(found);
    }

    /// Whether a function with this name is proved.
    fn is_placed(&self, name: u32) -> bool {
        self.proof.names.get(&name).is_some_and(|address| self.proof.functions.contains_key(address))
    }

    /// Whether proved functions stand closely before and after this place: a linker puts the members of a libc.a together.
    fn at_home(&self, address: u64) -> bool {
        let near =
            |other: Option<(&u64, &u32)>| other.is_some_and(|(start, _)| start.abs_diff(address) < NEAR);
        near(self.proof.functions.range(..address).next_back())
            && near(self.proof.functions.range(address + 1..).next())
    }

    /// Whether a short function begins here: it comes next after a proved one, or something calls it. A jump in the middle of a
    /// longer function may look the same.
    fn begins(&self, function: &Signature, address: u64) -> bool {
        let before = self.proof.functions.range(..address).next_back();
        let follows = before.is_some_and(|(start, id)| {
            let end = start + u64::from(self.evidence.function(*id).size);
            end.next_multiple_of(1 << function.align) == address
        });
        follows || self.evidence.branches.lead_to(address)
    }

    /// Says why functions whose bytes are there are not proved.
    fn explain(&mut self) {
        let mut open = BTreeMap::new();
        for (id, places) in &self.evidence.places {
            let function = self.evidence.function(*id);
            if !self.has(*id) || function.names.iter().any(|name| self.is_placed(name.id)) {
                continue;
            }
            let fitting: Vec<u64> =
                places.iter().copied().filter(|place| self.fits(*id, *place).is_some()).collect();
            let reason = match &fitting[..] {
                [] => "its bytes are there, and what they refer to is something else",
                [place] if self.proof.functions.contains_key(place) => "the same bytes are another function",
                [_] if self.choose(*id, &fitting).is_none() => "another function of musl has the same bytes",
                [_] => "it is too short to be certain, and nothing that is certain calls it",
                _ => "its bytes are there more than once",
            };
            open.insert(*id, reason);
        }
        self.proof.open = open;
    }
}
