//! The fields of machine code that a linker fills in: which bits they are, and what they say in a finished executable.

use std::collections::HashMap;

use brawn_elf::{Arch, Image};
use object::elf;

/// How a linker fills in a field. The letters are those of the signature files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// x86-64: 32 bits, relative to the field.
    Relative,
    /// x86-64: 32 bits of an absolute address.
    Absolute,
    /// 64 bits of an absolute address.
    Word,
    /// x86-64: relative to a slot of the GOT, which a linker may turn into the address itself, and the instruction with it.
    Slot,
    /// aarch64: `b` and `bl`.
    Branch,
    /// aarch64: `adrp`.
    Page,
    /// aarch64: the lower 12 bits in an `add`, a load or a store.
    Low,
    /// A field that says nothing about an address: thread-local storage and the like.
    Opaque,
}

use Field::{Absolute, Branch, Low, Opaque, Page, Relative, Slot, Word};

const LETTERS: &[(Field, char)] = &[
    (Relative, 'r'),
    (Absolute, 'a'),
    (Word, 'w'),
    (Slot, 'g'),
    (Branch, 'b'),
    (Page, 'p'),
    (Low, 'l'),
    (Opaque, 'o'),
];

/// The longest field with what a linker may change before it.
const BEFORE: usize = 4;

impl Field {
    /// The field of a relocation type in code.
    pub fn of(arch: Arch, kind: u32) -> Field {
        match (arch, elf::RelocationType(kind)) {
            (Arch::X86_64, elf::R_X86_64_PC32 | elf::R_X86_64_PLT32) => Relative,
            (Arch::X86_64, elf::R_X86_64_32 | elf::R_X86_64_32S) => Absolute,
            (Arch::X86_64, elf::R_X86_64_64) => Word,
            (
                Arch::X86_64,
                elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX,
            ) => Slot,
            (Arch::Aarch64, elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26) => Branch,
            (Arch::Aarch64, elf::R_AARCH64_ADR_PREL_PG_HI21) => Page,
            (
                Arch::Aarch64,
                elf::R_AARCH64_ADD_ABS_LO12_NC
                | elf::R_AARCH64_LDST8_ABS_LO12_NC
                | elf::R_AARCH64_LDST16_ABS_LO12_NC
                | elf::R_AARCH64_LDST32_ABS_LO12_NC
                | elf::R_AARCH64_LDST64_ABS_LO12_NC
                | elf::R_AARCH64_LDST128_ABS_LO12_NC,
            ) => Low,
            (Arch::Aarch64, elf::R_AARCH64_ABS64) => Word,
            _ => Opaque,
        }
    }

    /// Its letter in the signature files.
    pub fn letter(self) -> char {
        LETTERS.iter().find(|(field, _)| *field == self).expect("all are listed").1
    }

    /// The field of a letter.
    pub fn from_letter(letter: char) -> Option<Field> {
        LETTERS.iter().find(|(_, known)| *known == letter).map(|(field, _)| *field)
    }

    /// The addend that goes without saying: an x86-64 instruction counts from its end.
    pub fn usual_addend(self) -> i64 {
        if matches!(self, Relative | Slot) { -4 } else { 0 }
    }

    /// The bytes that the field takes at `offset`.
    pub fn bytes(self, arch: Arch, offset: usize) -> std::ops::Range<usize> {
        match (self, arch) {
            (Slot, _) => offset.saturating_sub(3)..offset + 4,
            (Word, _) => offset..offset + 8,
            (Opaque, Arch::X86_64) => offset.saturating_sub(BEFORE)..offset + 8,
            _ => offset..offset + 4,
        }
    }

    /// Clears the field in `code`.
    pub fn clear(self, arch: Arch, code: &mut [u8], offset: usize) {
        let end = code.len();
        let range = self.bytes(arch, offset);
        if self == Branch {
            // The upper six bits tell `b` from `bl`.
            if let Some(word) = code.get_mut(range) {
                word.copy_from_slice(&[0, 0, 0, word[3] & 0xfc]);
            }
            return;
        }
        code[range.start.min(end)..range.end.min(end)].fill(0);
    }
}

/// A field of a function, as the executable has it.
pub struct Filled<'a, 'data> {
    pub image: &'a Image<'data>,
    /// The function's code, and where it is loaded.
    pub code: &'data [u8],
    pub address: u64,
    /// Upper parts of addresses that a later instruction completes, by target and addend.
    pages: HashMap<(u32, i64), u64>,
}

impl<'a, 'data> Filled<'a, 'data> {
    pub fn new(image: &'a Image<'data>, code: &'data [u8], address: u64) -> Self {
        Filled { image, code, address, pages: HashMap::new() }
    }

    /// What the field says about its target: `Err` if no linker could have written this, `Ok(None)` if it says nothing.
    pub fn target(&mut self, field: Field, offset: usize, target: (u32, i64)) -> Result<Option<u64>, ()> {
        let addend = target.1;
        let here = self.address.wrapping_add(offset as u64);
        match field {
            Relative => {
                let value = i64::from(self.word(offset)? as i32);
                Ok(Some(here.wrapping_add_signed(value).wrapping_sub(addend as u64)))
            }
            Absolute => Ok(Some(u64::from(self.word(offset)?).wrapping_sub(addend as u64))),
            Word => {
                let value = self.code.get(offset..offset + 8).ok_or(())?;
                let value = u64::from_le_bytes(value.try_into().expect("eight bytes"));
                // A position-independent executable has it in a table of its own.
                Ok((value != 0).then(|| value.wrapping_sub(addend as u64)))
            }
            Slot => self.slot(offset),
            Branch => {
                let target = branch(self.word(offset)?, here).ok_or(())?;
                Ok(Some(through_veneer(self.image, target).wrapping_sub(addend as u64)))
            }
            Page => self.page(offset, here, target),
            Low => self.low(offset, here, target),
            Opaque => Ok(None),
        }
    }

    fn word(&self, offset: usize) -> Result<u32, ()> {
        let bytes = self.code.get(offset..offset + 4).ok_or(())?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    /// `mov slot(%rip), reg`, `call *slot(%rip)`, `jmp *slot(%rip)`, or what linkers make of them.
    fn slot(&self, offset: usize) -> Result<Option<u64>, ()> {
        let before = offset.checked_sub(2).ok_or(())?;
        let opcode = self.code.get(before..offset).ok_or(())?;
        let relative = |from: usize| -> Result<Option<u64>, ()> {
            let next = self.address.wrapping_add(from as u64 + 4);
            Ok(Some(next.wrapping_add_signed(i64::from(self.word(from)? as i32))))
        };
        match opcode {
            [0x8d, _] | [0x67, 0xe8] => relative(offset),
            [0xe9, _] => relative(offset - 1),
            [0xc7, _] => Ok(Some(u64::from(self.word(offset)?))),
            _ => Ok(None),
        }
    }

    fn page(&mut self, offset: usize, here: u64, target: (u32, i64)) -> Result<Option<u64>, ()> {
        let word = self.word(offset)?;
        if word == NOP {
            return Ok(None);
        }
        let page = adr(word, here).ok_or(())?;
        if page & 0xfff == 0 && *self.pages.entry(target).or_insert(page) != page {
            return Err(());
        }
        Ok(None)
    }

    fn low(&mut self, offset: usize, here: u64, target: (u32, i64)) -> Result<Option<u64>, ()> {
        let word = self.word(offset)?;
        if word >> 31 == 0
            && let Some(whole) = adr(word, here)
        {
            return Ok(Some(whole.wrapping_sub(target.1 as u64)));
        }
        let immediate = u64::from(word >> 10 & 0xfff);
        let low = if word & 0x7f80_0000 == 0x1100_0000 {
            immediate
        } else if word & 0x3b00_0000 == 0x3900_0000 {
            let vector = if word >> 26 & 1 == 1 && word >> 23 & 1 == 1 { 4 } else { 0 };
            immediate << (word >> 30 | vector)
        } else if branch(word, here).is_some() || word == NOP {
            // A veneer for an erratum has the instruction, or a relaxation left nothing of it.
            return Ok(None);
        } else {
            return Err(());
        };
        Ok(self.pages.get(&target).map(|page| page.wrapping_add(low).wrapping_sub(target.1 as u64)))
    }
}

const NOP: u32 = 0xd503_201f;

/// The target of `b` or `bl`.
pub fn branch(word: u32, here: u64) -> Option<u64> {
    let distance = i64::from((word << 6) as i32 >> 4);
    (word & 0x7c00_0000 == 0x1400_0000).then(|| here.wrapping_add_signed(distance))
}

/// The address that `adr` or `adrp` makes.
fn adr(word: u32, here: u64) -> Option<u64> {
    if word & 0x1f00_0000 != 0x1000_0000 {
        return None;
    }
    let value = i64::from(((word >> 5 & 0x7_ffff) << 13 | (word >> 29 & 3) << 11) as i32 >> 11);
    Some(if word >> 31 == 1 {
        (here & !0xfff).wrapping_add_signed(value << 12)
    } else {
        here.wrapping_add_signed(value)
    })
}

/// Where a veneer leads: `adrp x16; add x16, x16; br x16` of a linker whose branch would not reach.
fn through_veneer(image: &Image<'_>, address: u64) -> u64 {
    let words = image.bytes_at_address(address).and_then(|code| code.first_chunk::<12>());
    let Some(words) = words else { return address };
    let word = |at: usize| u32::from_le_bytes(words[at..at + 4].try_into().expect("four bytes"));
    let (first, second, third) = (word(0), word(4), word(8));
    if first & 0x9f00_001f == 0x9000_0010 && second & 0xffc0_03ff == 0x9100_0210 && third == 0xd61f_0200 {
        let page = adr(first, address).unwrap_or(address);
        return page.wrapping_add(u64::from(second >> 10 & 0xfff));
    }
    address
}
