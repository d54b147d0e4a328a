//! What is grafted: the functions of a file that the kit has better ones for, as far as all that these need is there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use brawn_identify::Identification;
use brawn_kit::{BEHIND, Functions};

use crate::allocator::{HEAP, Heap, LIBC};
use crate::entry::Beginning;
use crate::families;
use crate::heap;
use crate::kit::{Kit, Member};

const ALLOCATES: &[&str] = &["malloc", "calloc", "realloc", "free"];

/// What a name stands for in the new code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An object of the kit.
    Kit(usize),
    /// What stands at this address of the file.
    At(u64),
    /// musl's own function at this address, whose beginning was moved away.
    Behind(u64),
    /// Nothing, and its user does without.
    Nothing,
    /// A function that fails: its user does without.
    Fails,
    /// A word that is zero: its user does without.
    Empty,
}

/// A function of the file.
pub(crate) struct Place {
    pub size: u64,
    /// What can be done with its first bytes.
    pub beginning: Result<Beginning, String>,
    /// Where its calls lead.
    pub calls: BTreeSet<u64>,
}

/// What is known about the file.
pub(crate) struct Known {
    /// Names of functions and of data, with their addresses.
    pub names: BTreeMap<String, u64>,
    /// Whether symbols name the functions, and so say which of several mallocs the program has is the one that all call.
    pub named: bool,
    /// The functions that may be replaced.
    pub places: BTreeMap<u64, Place>,
    /// Functions with code that they call, and that was not recognised.
    pub strangers: BTreeMap<u64, u64>,
    /// All of it, as it was recognised.
    pub found: Identification,
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Families of which musl's own functions stay.
    pub musl: Vec<String>,
    /// The highest level of the string functions.
    pub level: Option<String>,
    /// The heap, if there shall be another.
    pub heap: Option<Heap>,
}

/// What is linked, and where it goes.
pub(crate) struct Plan {
    /// The objects of the kit that are linked.
    pub members: BTreeSet<usize>,
    /// By address, the name of the kit's function that a function of the file leads to.
    pub entries: BTreeMap<u64, String>,
    /// By address, why a function for which the kit has another stays as it is.
    pub refused: BTreeMap<u64, String>,
    targets: HashMap<String, Target>,
}

impl Plan {
    pub fn target(&self, name: &str) -> Option<&Target> {
        self.targets.get(name)
    }

    /// What the new code calls in the file.
    pub fn outside(&self) -> impl Iterator<Item = u64> {
        self.targets.values().filter_map(|target| match target {
            Target::At(address) => Some(*address),
            _ => None,
        })
    }

    /// Where `fork` is, if it is led to the heap itself.
    pub fn fork(&self) -> Option<u64> {
        self.entries.iter().find(|(_, name)| *name == heap::FORK).map(|(address, _)| *address)
    }

    /// Whether a function of the file leads to one that answers no.
    pub fn has_no(&self) -> bool {
        self.entries.values().any(|name| name == heap::NO)
    }

    /// Whether the file gets the heap.
    pub fn has_heap(&self) -> bool {
        self.entries.values().any(|name| name == "free")
    }

    /// Whether something is led to a word that is zero.
    pub fn has_empty(&self) -> bool {
        self.targets.values().any(|target| *target == Target::Empty)
    }

    /// Whether something is led to a function that fails.
    pub fn has_failing(&self) -> bool {
        self.targets.values().any(|target| *target == Target::Fails)
    }

    /// The functions that musl's own code is still needed of.
    pub fn behind(&self) -> BTreeSet<u64> {
        let behind = |target: &Target| match target {
            Target::Behind(address) => Some(*address),
            _ => None,
        };
        self.targets.values().filter_map(behind).collect()
    }
}

struct Planner<'a> {
    kit: &'a Kit<'a>,
    known: &'a Known,
    choice: &'a Choice,
    /// By object, what it lacks.
    lacking: Vec<Option<String>>,
    /// Functions that stay, and why.
    blocked: &'a BTreeMap<u64, String>,
}

/// Plans. What is in `blocked` stays, for the reason that stands there; the heap, if there is an `objection`.
pub(crate) fn plan(
    kit: &Kit<'_>,
    known: &Known,
    choice: &Choice,
    objection: Option<&str>,
    blocked: &BTreeMap<u64, String>,
) -> Plan {
    let left = |member: &Member<'_>| match objection.filter(|_| member.family == HEAP) {
        Some(objection) => Some(objection.to_owned()),
        None => Functions::attached(&member.name).map(str::to_owned),
    };
    let lacking = kit.members.iter().map(left).collect();
    let mut planner = Planner { kit, known, choice, lacking, blocked };
    // What is missing for one object is missing for those that need it.
    while planner.find_lacking() || planner.heap_is_in_parts() {}
    planner.finish()
}

impl Planner<'_> {
    fn find_lacking(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.kit.members.len() {
            if self.lacking[index].is_some() {
                continue;
            }
            let member = &self.kit.members[index];
            let mut needs = member.needs.iter();
            if let Some((name, _)) = needs.find(|(name, weak)| self.resolve(member, name, *weak).is_none()) {
                let own = name.strip_prefix(BEHIND);
                let owner = self.kit.owners.get(name).and_then(|owner| self.lacking[*owner].clone());
                if let Some(reason) = owner {
                    self.lacking[index] = Some(reason);
                    changed = true;
                    continue;
                }
                self.lacking[index] = Some(match own.filter(|own| self.known.names.contains_key(*own)) {
                    Some(own) => {
                        format!("musl's own {own} is needed behind it, and its beginning cannot move")
                    }
                    None => format!("it needs {}, which was not recognised", own.unwrap_or(name)),
                });
                changed = true;
            }
        }
        changed
    }

    /// Of the heap all that the file calls is replaced, or nothing.
    fn heap_is_in_parts(&mut self) -> bool {
        let entries = heap::ENTRIES.iter().filter_map(|name| self.known.names.get(*name));
        let reason = entries.filter_map(|address| self.replacement(*address).err().flatten()).next();
        let reason = reason.or_else(|| self.fork().err());
        let heap = |index: &usize| self.kit.members[*index].family == HEAP && self.lacking[*index].is_none();
        let open: Vec<usize> = (0..self.kit.members.len()).filter(heap).collect();
        let Some(reason) = reason.filter(|_| !open.is_empty()) else { return false };
        for index in open {
            self.lacking[index] = Some(reason.clone());
        }
        true
    }

    /// Where `fork` is, if it has to be led to the heap itself; or why it cannot be.
    fn fork(&self) -> Result<Option<u64>, String> {
        let fork = self.known.names.get("fork").filter(|_| self.kit.owners.contains_key(heap::BEFORE_FORK));
        let Some(&fork) = fork else { return Ok(None) };
        let before = self.known.names.get(heap::BEFORE_FORK);
        if before.is_some_and(|address| self.replacement(*address).is_ok()) {
            return Ok(None);
        }
        if let Some(reason) = self.blocked.get(&fork) {
            return Err(format!("fork cannot be led to it: {reason}"));
        }
        match self.known.places.get(&fork).map(|place| &place.beginning) {
            Some(Ok(first)) if first.moved.is_some() => Ok(Some(fork)),
            _ => Err("fork cannot be led to it: its first instructions cannot move".to_owned()),
        }
    }

    fn resolve(&self, of: &Member<'_>, name: &str, weak: bool) -> Option<Target> {
        if let Some(own) = name.strip_prefix(BEHIND) {
            let address = *self.known.names.get(own)?;
            if self.with_others(address).is_err() {
                return Some(Target::At(address));
            }
            let first = self.known.places[&address].beginning.as_ref();
            return first.is_ok_and(|first| first.moved.is_some()).then_some(Target::Behind(address));
        }
        let known = self.known.names.get(name).copied();
        let is_libc = |owner: &usize| self.kit.members[*owner].family == LIBC;
        if known.is_none() && heap::MAY_FAIL.contains(&name) {
            return Some(Target::Fails);
        }
        if known.is_none() && of.family == HEAP && name == heap::MAY_BE_EMPTY {
            return Some(Target::Empty);
        }
        if let Some(known) = known
            && self.kit.owners.get(name).is_some_and(is_libc)
        {
            return Some(Target::At(known));
        }
        if let Some(&owner) = self.kit.owners.get(name)
            && self.lacking[owner].is_none()
            && (known.is_none() || !name_is_kept(self.kit, owner, self.choice))
        {
            return Some(Target::Kit(owner));
        }
        known.map(Target::At).or(weak.then_some(Target::Nothing))
    }

    /// The kit's function for the one at this address, or why there is none.
    fn replacement(&self, address: u64) -> Result<(usize, &str), Option<String>> {
        let names = self.known.names.iter().filter(|(_, at)| **at == address).map(|(name, _)| name.as_str());
        // The kit's may be others by musl's inner names, as `__memcpy_fwd`.
        let is_inner = |name: &&str| name.starts_with("__");
        let mut names = names.clone().filter(|name| !is_inner(name)).chain(names.filter(is_inner));
        let of_kit = |name: &str| {
            let owner = *self.kit.owners.get(name)?;
            let member = &self.kit.members[owner];
            let defined = member.defines.iter().find(|defined| defined.name == name)?;
            (defined.of_libc && defined.function && member.family != LIBC).then_some(owner)
        };
        let with_stand_in = |name| match heap::stand_in(name) {
            other if other != name && self.kit.owners.contains_key(other) => {
                Some((self.kit.owners[other], other))
            }
            _ => Some((of_kit(name)?, name)),
        };
        let (owner, name) = names.find_map(with_stand_in).ok_or(None)?;
        if name_is_kept(self.kit, owner, self.choice) {
            return Err(Some(format!("--musl {} was given", self.kit.members[owner].family)));
        }
        if let Some(lacking) = &self.lacking[owner] {
            return Err(Some(lacking.clone()));
        }
        if let Some(reason) = self.blocked.get(&address) {
            return Err(Some(reason.clone()));
        }
        let place = self.known.places.get(&address).ok_or_else(|| Some("it is no function".to_owned()))?;
        if let Err(reason) = &place.beginning {
            return Err(Some(reason.clone()));
        }
        if !self.calls_its_heap(owner, place) {
            return Err(Some("it is not certain that it calls the malloc that was recognised".to_owned()));
        }
        let is_heap = self.kit.members[owner].family == HEAP;
        if let Some(stranger) = self.known.strangers.get(&address) {
            return Err(Some(format!("the code at {stranger:#x} that it calls was not recognised")));
        }
        Ok((owner, if is_heap && name == heap::IS_ZERO { heap::NO } else { name }))
    }

    /// A stripped program may hold musl's malloc and call one of its own: what allocates must go on with the one that it called.
    fn calls_its_heap(&self, owner: usize, place: &Place) -> bool {
        let needs =
            self.kit.members[owner].needs.iter().filter(|(name, _)| ALLOCATES.contains(&name.as_str()));
        let mut known = needs.filter_map(|(name, _)| self.known.names.get(name)).peekable();
        self.known.named || known.peek().is_none() || known.any(|address| place.calls.contains(address))
    }

    /// As [`Planner::replacement`], and all that has to be replaced with it can be as well.
    fn with_others(&self, address: u64) -> Result<(usize, &str), Option<String>> {
        let (owner, name) = self.replacement(address)?;
        let names = self.known.names.iter().filter(|(_, at)| **at == address);
        for other in names.flat_map(|(name, _)| families::together(name)) {
            let there = self.known.names.get(*other).is_some_and(|at| self.replacement(*at).is_ok());
            if !there {
                return Err(Some(format!("{other} is not replaced, and both go together")));
            }
        }
        Ok((owner, name))
    }

    fn finish(&self) -> Plan {
        let mut plan = Plan {
            members: BTreeSet::new(),
            entries: BTreeMap::new(),
            refused: BTreeMap::new(),
            targets: HashMap::new(),
        };
        let mut open = Vec::new();
        for &address in self.known.places.keys() {
            match self.with_others(address) {
                Ok((owner, name)) => {
                    plan.entries.insert(address, name.to_owned());
                    open.push(owner);
                }
                Err(Some(reason)) => {
                    plan.refused.insert(address, reason);
                }
                Err(None) => {}
            }
        }
        if plan.has_heap()
            && let Ok(Some(fork)) = self.fork()
        {
            plan.entries.insert(fork, heap::FORK.to_owned());
            plan.targets.insert(format!("{BEHIND}fork"), Target::Behind(fork));
        }
        while let Some(index) = open.pop() {
            if !plan.members.insert(index) {
                continue;
            }
            let member = &self.kit.members[index];
            for (name, weak) in &member.needs {
                let target = self.resolve(member, name, *weak).unwrap_or(Target::Nothing);
                if let Target::Kit(owner) = target {
                    open.push(owner);
                }
                plan.targets.insert(name.clone(), target);
            }
        }
        plan
    }
}

fn name_is_kept(kit: &Kit<'_>, owner: usize, choice: &Choice) -> bool {
    choice.musl.iter().any(|name| name == kit.members[owner].family)
}
