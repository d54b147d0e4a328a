//! A program that is loaded anywhere relocates itself when it starts. What is new in it has addresses too, and so has the copy of
//! its thread-local storage: they join the table, which moves behind the constants.

use brawn_elf::Arch;
use object::elf;

use super::place::Places;
use crate::Error;
use crate::link::{Layout, Linked, Part};
use crate::program::{Program, RELOCATION};
use crate::tls::Own;

/// The words of the dynamic section that say where the table is and how long.
fn words(program: &Program<'_>) -> Result<[u64; 2], Error> {
    let dynamic = program.dynamic();
    let word = |tag: elf::DynamicTag| {
        let entry = dynamic.iter().find(|(_, entry)| entry[0] == tag.0 as u64);
        entry
            .map(|(offset, _)| offset + 8)
            .ok_or_else(|| Error::no_place("it has no table of relocations that could grow"))
    };
    Ok([word(elf::DT_RELA)?, word(elf::DT_RELASZ)?])
}

/// Where the file is written over for it.
pub(super) fn over(program: &Program<'_>, layout: &Layout<'_>) -> Result<Vec<(u64, u64)>, Error> {
    match layout.relocations() {
        Some(_) => Ok(words(program)?.map(|at| (at, 8)).into()),
        None => Ok(Vec::new()),
    }
}

/// Writes the table into the constants.
pub(super) fn write(
    program: &Program<'_>,
    layout: &Layout<'_>,
    places: &Places,
    linked: &mut Linked,
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    let Some((at, count)) = layout.relocations() else { return Ok(Vec::new()) };
    let old = program.relocation_table();
    let mut table = old.ok_or_else(|| Error::no_place("its table of relocations is not whole"))?.to_vec();
    let kind = match program.arch {
        Arch::X86_64 => elf::R_X86_64_RELATIVE,
        Arch::Aarch64 => elf::R_AARCH64_RELATIVE,
    };
    let mut add = |address: u64, value: u64| {
        for word in [address, kind.0.into(), value] {
            table.extend(word.to_le_bytes());
        }
    };
    if let Some((block, start)) = layout.block() {
        let own = Own::of(program);
        let new = places.data.address + start + block.old_at;
        for (address, value) in program.relocations().into_iter().filter(|(address, _)| own.holds(*address)) {
            add(new + (address - own.address), value);
        }
    }
    linked.absolute.iter().for_each(|(address, value)| add(*address, *value));
    debug_assert_eq!(table.len() as u64, RELOCATION * count);
    let length = table.len();
    linked.constants[at as usize..at as usize + length].copy_from_slice(&table);
    let address = places.bases()[Part::Constants as usize] + at;
    let values = [address, length as u64].map(|value| value.to_le_bytes().to_vec());
    Ok(words(program)?.into_iter().zip(values).collect())
}
