//! What refers to a place.

use std::ops::Range;

use brawn_elf::{Arch, Image};
use iced_x86::{Decoder, DecoderOptions};
use object::elf;

/// Where code refers to one of these tables: the addresses of instructions, or of what they hold.
pub(crate) fn references(arch: Arch, image: &Image<'_>, tables: &[Range<u64>]) -> Vec<u64> {
    let code = image
        .segments
        .iter()
        .filter(|segment| segment.kind == elf::PT_LOAD.0 && segment.flags & elf::PF_X.0 != 0);
    match arch {
        Arch::X86_64 => {
            let fixed = image.file_type == elf::ET_EXEC.0;
            code.flat_map(|code| x86(code.data, code.address, tables, fixed)).collect()
        }
        Arch::Aarch64 => code.flat_map(|code| arm(code.data, code.address, tables)).collect(),
    }
}

/// Every four bytes may be a distance from the end of an instruction, which comes 0, 1, 2 or 4 bytes later, or an address, where
/// those are fixed.
fn x86(code: &[u8], address: u64, tables: &[Range<u64>], fixed: bool) -> Vec<u64> {
    let (Some(low), Some(high)) =
        (tables.iter().map(|table| table.start).min(), tables.iter().map(|table| table.end).max())
    else {
        return Vec::new();
    };
    let within = |to: u64| tables.iter().any(|table| table.contains(&to));
    let mut found = Vec::new();
    for (at, window) in code.windows(4).enumerate() {
        let value = i32::from_le_bytes([window[0], window[1], window[2], window[3]]);
        let end = address.wrapping_add(at as u64 + 4);
        let to = end.wrapping_add_signed(value.into());
        // Most are far from both.
        let absolute = u64::from(value as u32);
        let near = to.wrapping_add(4) >= low && to < high;
        let relative = near && [0, 1, 2, 4].iter().any(|more| within(to.wrapping_add(*more)));
        let absolute = fixed && absolute >= low && within(absolute);
        if (relative || absolute) && is_reference(code, at, address, absolute, &within) {
            found.push(end.wrapping_sub(4));
        }
    }
    found
}

/// Whether an instruction that begins before these four bytes has them for a distance that leads within, or, where `absolute`
/// says that it would, for an address.
fn is_reference(code: &[u8], at: usize, address: u64, absolute: bool, within: &impl Fn(u64) -> bool) -> bool {
    /// Bytes of an instruction in front of such a field.
    const MOST: usize = 11;
    (at.saturating_sub(MOST)..at).any(|start| {
        let mut decoder =
            Decoder::with_ip(64, &code[start..], address.wrapping_add(start as u64), DecoderOptions::NONE);
        let instruction = decoder.decode();
        let fields = decoder.get_constant_offsets(&instruction);
        let is_displacement = fields.displacement_offset() == at - start && fields.displacement_size() == 4;
        let is_number = fields.immediate_offset() == at - start && fields.immediate_size() >= 4;
        match instruction.is_ip_rel_memory_operand() {
            _ if instruction.is_invalid() => false,
            true if is_displacement => within(instruction.ip_rel_memory_address()),
            _ => absolute && (is_displacement || is_number),
        }
    })
}

/// `adrp`, and within a few instructions what completes the address from the same register.
fn arm(code: &[u8], address: u64, tables: &[Range<u64>]) -> Vec<u64> {
    /// Instructions between the two parts of an address.
    const APART: usize = 24;
    let word = |at: usize| {
        code.get(4 * at..4 * at + 4).map(|word| u32::from_le_bytes(word.try_into().expect("four")))
    };
    let mut found = Vec::new();
    for at in 0..code.len() / 4 {
        let Some(first) = word(at).filter(|first| first & 0x9f00_0000 == 0x9000_0000) else { continue };
        let pages = i64::from(((first >> 5 & 0x7_ffff) << 2 | first >> 29 & 3) as i32) << 43 >> 43;
        let page = (address.wrapping_add(4 * at as u64) & !0xfff).wrapping_add_signed(pages << 12);
        if !tables.iter().any(|table| (table.start & !0xfff..table.end).contains(&page)) {
            continue;
        }
        let register = first & 31;
        let completes = |second: u32| {
            let low = u64::from(second >> 10 & 0xfff);
            let low = match second >> 22 {
                0x244 => low,                                         // add, 64 bits
                kind if kind & 0xec == 0xe4 => low << (second >> 30), // ldr, str
                _ => return false,
            };
            second >> 5 & 31 == register && tables.iter().any(|table| table.contains(&page.wrapping_add(low)))
        };
        // Up to where the register begins another address.
        let begins_another = |word: &u32| word & 0x9f00_001f == 0x9000_0000 | register;
        let behind = (at + 1..=at + APART).filter_map(word).take_while(|word| !begins_another(word));
        if behind.into_iter().any(completes) {
            found.push(address.wrapping_add(4 * at as u64));
        }
    }
    found
}
