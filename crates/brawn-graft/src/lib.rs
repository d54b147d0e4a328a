//! Gives a finished static executable functions of the kit, and takes them away again.
//!
//! The new functions stand in segments behind all others, and the first bytes of the old ones become jumps to them. Where a
//! function is not known with certainty, or anything that the new one needs is missing, it stays as it is, and the [`Report`]
//! says why. `docs/explain/graft.md` tells how it works.

mod allocator;
mod callees;
mod digest;
mod entry;
mod error;
mod families;
mod front;
mod heap;
mod kit;
mod link;
mod plan;
mod program;
mod reference;
mod relocate;
mod report;
mod restore;
mod source;
mod table;
mod tls;
mod write;

pub use allocator::Heap;
pub use error::Error;
pub use plan::Choice;
pub use report::{Report, Row};
pub use restore::{is_grafted, restore};
pub use source::Source;

use std::collections::BTreeMap;

use object::{LittleEndian as LE, elf};

use crate::front::Room;
use crate::kit::Kit;
use crate::plan::{Known, Plan};
use crate::program::Program;

/// The families of functions of which some can be grafted.
pub fn families() -> impl Iterator<Item = &'static str> {
    families::names()
}

/// A grafted executable.
pub struct Grafted {
    /// The file.
    pub file: Vec<u8>,
    /// What was grafted, and what was not.
    pub report: Report,
}

/// Grafts what it can onto an executable.
///
/// # Errors
/// What is wrong with the file, with the choice, or with this `brawn`; [`Error::Nothing`] when no function is replaced.
pub fn graft(data: &[u8], choice: &Choice) -> Result<Grafted, Error> {
    let prepared = Prepared::new(data, choice)?;
    let report = prepared.report();
    if prepared.plan.entries.is_empty() {
        return Err(Error::Nothing { refused: prepared.plan.refused.len() });
    }
    let file = write::write(
        &prepared.program,
        &prepared.kit,
        &prepared.known,
        &prepared.plan,
        &report,
        prepared.room.as_ref(),
    )?;
    // In the place of the old file, the new one is all that the old can be restored from.
    if restore(&file).ok().as_deref() != Some(data) {
        return Err(Error::NotKept);
    }
    Ok(Grafted { file, report })
}

/// Says what [`graft`] would do.
///
/// # Errors
/// As [`graft`], but for [`Error::Nothing`].
pub fn examine(data: &[u8], choice: &Choice) -> Result<Report, Error> {
    Ok(Prepared::new(data, choice)?.report())
}

struct Prepared<'data> {
    program: Program<'data>,
    kit: Kit<'data>,
    known: Known,
    plan: Plan,
    room: Option<Room>,
}

impl<'data> Prepared<'data> {
    fn new(data: &'data [u8], choice: &'data Choice) -> Result<Self, Error> {
        if let Some(name) = choice.musl.iter().find(|name| !families::names().any(|known| known == **name)) {
            let known: Vec<&str> = families::names().collect();
            return Err(Error::NoFamily { name: name.clone(), known: known.join(", ") });
        }
        let (program, image) = Program::read(data)?;
        let kit = Kit::load(program.arch, choice.level.as_deref(), choice.heap.as_ref())?;
        let known = program.known(&image);
        let objection =
            choice.heap.as_ref().and_then(|_| heap::objection(program.arch, &image, &known.found, &kit));
        let plan = settled(&program, &kit, &known, choice, objection.as_deref());
        if let Some(heap) = choice.heap.as_ref().filter(|heap| heap.required && !plan.has_heap()) {
            let mut refused =
                heap::ENTRIES.iter().filter_map(|name| plan.refused.get(known.names.get(*name)?));
            let reason = objection.or_else(|| refused.next().cloned());
            let reason = reason.unwrap_or_else(|| "it calls none".to_owned());
            return Err(Error::NoHeap { name: heap.name.clone(), reason });
        }
        let room = Room::of(&program, &image);
        Ok(Prepared { program, kit, known, plan, room })
    }

    fn report(&self) -> Report {
        report::report(&self.program, &self.kit, &self.known, &self.plan)
    }
}

/// A plan of which no jump into the middle of a beginning is left, and no relocation.
fn settled(
    program: &Program<'_>,
    kit: &Kit<'_>,
    known: &Known,
    choice: &Choice,
    objection: Option<&str>,
) -> Plan {
    let mut blocked = BTreeMap::new();
    let mut plan = plan::plan(kit, known, choice, objection, &blocked);
    let beginning = |address: &u64| known.places[address].beginning.as_ref().expect("the plan looked");
    let mut places: Vec<u64> = plan.entries.keys().copied().collect();
    // Where names overlap, neither is certain.
    let reach = |address: &u64| beginning(address).at + beginning(address).length as u64;
    for pair in places.windows(2).filter(|pair| reach(&pair[0]) > pair[1]) {
        blocked.extend(
            pair.iter().map(|address| (*address, "another function begins in its first bytes".to_owned())),
        );
    }
    places.retain(|address| !blocked.contains_key(address));
    let windows: Vec<(u64, u64)> = places
        .iter()
        .map(|address| {
            let first = beginning(address);
            (first.at, first.at + first.length as u64)
        })
        .collect();
    let within = |address: u64| {
        let at = windows.partition_point(|(_, end)| *end <= address);
        windows.get(at).filter(|(start, _)| *start <= address).map(|(start, _)| (at, *start))
    };
    for (writes, value) in program.relocations() {
        if let Some((at, _)) = within(writes) {
            blocked.insert(places[at], "a relocation changes its first bytes".to_owned());
        }
        if let Some((at, start)) = within(value)
            && start != value
        {
            blocked.insert(places[at], "data points into its first bytes".to_owned());
        }
    }
    let code = program.loads().filter(|load| load.p_flags.get(LE).contains(elf::PF_X));
    let jumps: Vec<(u64, usize)> = code
        .flat_map(|load| {
            let code = program.bytes(load.p_offset.get(LE), load.p_filesz.get(LE)).unwrap_or_default();
            entry::jumps_into(program.arch, code, load.p_vaddr.get(LE), &windows)
        })
        .collect();
    loop {
        plan = plan::plan(kit, known, choice, objection, &blocked);
        // What is left of a replaced function is never run, unless it is still needed behind the new one.
        let behind = plan.behind();
        let dead = |from: u64| {
            let place = plan.entries.range(..=from).next_back().map(|(address, _)| *address);
            place.is_some_and(|address| {
                from - address < known.places[&address].size && !behind.contains(&address)
            })
        };
        let live =
            jumps.iter().filter(|(from, window)| plan.entries.contains_key(&places[*window]) && !dead(*from));
        let new: BTreeMap<u64, String> = live
            .map(|(from, window)| (places[*window], format!("code at {from:#x} jumps into its first bytes")))
            .collect();
        if new.is_empty() {
            return plan;
        }
        blocked.extend(new);
    }
}
