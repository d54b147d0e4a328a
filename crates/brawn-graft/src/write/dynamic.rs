//! A program that is loaded anywhere relocates itself when it starts, as its dynamic section says. What is new in it has addresses
//! too, and so has the copy of its thread-local storage: they get a table of their own, without addends, which musl reads before the
//! other.

use object::elf;

use super::place::{Patches, Places};
use crate::Error;
use crate::front::Front;
use crate::link::{Layout, Linked, Part, REL};
use crate::program::{Program, RELOCATION};
use crate::tls::Own;

/// Words that no static program needs, of which some may say where the new table is.
const UNUSED: [elf::DynamicTag; 3] = [elf::DT_DEBUG, elf::DT_PLTGOT, elf::DT_RELACOUNT];

/// Where the file is written over for it.
pub(super) fn over(program: &Program<'_>, layout: &Layout<'_>) -> Vec<(u64, u64)> {
    let front = layout.table().front();
    let mut over = Vec::new();
    if layout.relocations().is_some() || front.is_some() {
        let words = program.dynamic();
        over.extend(words.first().map(|(offset, _)| (*offset, 16 * words.len() as u64)));
    }
    let displaced = front.map_or(&[][..], |front| &front.displaced);
    over.extend(displaced.iter().filter_map(|(at, _)| program.offset(*at)).map(|offset| (offset, 8)));
    over
}

/// Writes the table into the constants, and what it adds to into the data.
pub(super) fn write(
    program: &Program<'_>,
    layout: &Layout<'_>,
    places: &Places,
    linked: &mut Linked,
) -> Result<Patches, Error> {
    let front = layout.table().front();
    let mut patches = Patches::new();
    if layout.relocations().is_none() && front.is_none() {
        return Ok(patches);
    }
    let mut words = program.dynamic();
    if let Some((at, count)) = layout.relocations() {
        let mut addresses: Vec<u64> = Vec::new();
        for (address, value) in front.map_or(&[][..], |front| &front.displaced) {
            let offset = program.offset(*address).ok_or_else(|| not_whole("relocations"))?;
            patches.push((offset, value.to_le_bytes().to_vec()));
            addresses.push(*address);
        }
        if let Some((block, start)) = layout.block() {
            let own = Own::of(program);
            for (address, value) in program.relocations().into_iter().filter(|(at, _)| own.holds(*at)) {
                let at = start + block.old_at + (address - own.address);
                let word = linked.data.get_mut(at as usize..at as usize + 8);
                word.ok_or_else(|| not_whole("relocations"))?.copy_from_slice(&value.to_le_bytes());
                addresses.push(places.data.address + at);
            }
        }
        addresses.extend(linked.absolute.iter().map(|(address, _)| *address));
        debug_assert_eq!(addresses.len() as u64, count);
        let kind = u64::from(program.relative().0);
        let table: Vec<u8> = addresses.iter().flat_map(|at| [*at, kind]).flat_map(u64::to_le_bytes).collect();
        linked.constants[at as usize..at as usize + table.len()].copy_from_slice(&table);
        let address = places.bases()[Part::Constants as usize] + at;
        name_table(&mut words, address, table.len() as u64)?;
    }
    if let Some(front) = front {
        move_tables(program, front, places, &mut words);
    }
    if let Some((offset, _)) = words.first() {
        let bytes = words.iter().flat_map(|(_, word)| *word).flat_map(u64::to_le_bytes).collect();
        patches.push((*offset, bytes));
    }
    Ok(patches)
}

fn not_whole(what: &str) -> Error {
    Error::no_place(&format!("its table of {what} is not whole"))
}

/// Says where the new table is, in words behind the last one or in such as no one needs.
fn name_table(words: &mut [(u64, [u64; 2])], address: u64, size: u64) -> Result<(), Error> {
    let has = |tag: elf::DynamicTag| move |word: &(u64, [u64; 2])| word.1[0] == tag.0 as u64;
    if words.iter().any(has(elf::DT_REL)) {
        return Err(Error::no_place("it has two tables of relocations already"));
    }
    let last = words.iter().position(has(elf::DT_NULL)).ok_or_else(|| not_whole("dynamic entries"))?;
    let spare = last..words.len().saturating_sub(1);
    let unused = UNUSED.iter().filter_map(|tag| words[..last].iter().position(has(*tag)));
    let free: Vec<usize> = spare.chain(unused).collect();
    let new = [(elf::DT_REL, address), (elf::DT_RELSZ, size), (elf::DT_RELENT, REL)];
    // Tools can do without the third.
    if free.len() < 2 {
        return Err(Error::no_place("its dynamic section has no room for another table of relocations"));
    }
    for ((tag, value), at) in new.into_iter().zip(free) {
        words[at].1 = [tag.0 as u64, value];
    }
    Ok(())
}

/// Says where the tables are that made way for program headers.
fn move_tables(program: &Program<'_>, front: &Front, places: &Places, words: &mut [(u64, [u64; 2])]) {
    let base = program.base();
    let distance = places.block.address.wrapping_sub(base.wrapping_add(front.block.0));
    let count = front.displaced.len() as u64;
    for (_, [tag, value]) in words {
        match elf::DynamicTag(tag.cast_signed()) {
            elf::DT_HASH | elf::DT_GNU_HASH | elf::DT_SYMTAB | elf::DT_STRTAB
                if front.moves(value.wrapping_sub(base)) =>
            {
                *value = value.wrapping_add(distance);
            }
            elf::DT_RELA => *value += RELOCATION * count,
            elf::DT_RELASZ => *value -= RELOCATION * count,
            elf::DT_RELACOUNT => *value = value.saturating_sub(count),
            _ => {}
        }
    }
}
