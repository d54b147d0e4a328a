//! Fills in addresses.

use brawn_elf::Arch;
use object::elf;

/// Where something is filled in.
pub(crate) struct Spot {
    /// `r_type`.
    pub kind: u32,
    /// From the beginning of the section.
    pub offset: u64,
    pub address: u64,
    pub addend: i64,
}

/// What is filled in.
pub(crate) struct Target {
    /// None for what is not there.
    pub address: Option<u64>,
    /// A word that says whether it is.
    pub slot: Option<u64>,
    /// A jump to it that is near.
    pub stub: Option<u64>,
    /// For what each thread has of its own: how far it is from the thread's pointer.
    pub of_thread: Option<i64>,
}

/// Whether a whole address is filled in, which moves with the program.
pub(crate) fn is_absolute(arch: Arch, kind: u32) -> bool {
    match arch {
        Arch::X86_64 => kind == elf::R_X86_64_64.0,
        Arch::Aarch64 => kind == elf::R_AARCH64_ABS64.0,
    }
}

/// Whether an instruction asks whether an address is there, in a word that holds it: `cmpq $0, NAME@GOTPCREL(%rip)`.
pub(crate) fn wants_slot(kind: u32, data: &[u8], offset: u64) -> bool {
    kind == elf::R_X86_64_GOTPCREL.0
        && opcode(data, offset).is_some_and(|[code, form]| code == 0x83 && form & 0x38 == 0x38)
}

fn opcode(data: &[u8], offset: u64) -> Option<[u8; 2]> {
    let at = usize::try_from(offset).ok()?;
    data.get(at.checked_sub(2)?..at)?.try_into().ok()
}

/// Fills in one address in a section's data.
pub(crate) fn apply(arch: Arch, data: &mut [u8], spot: &Spot, target: &Target) -> Result<(), String> {
    match arch {
        Arch::X86_64 => x86(data, spot, target),
        Arch::Aarch64 => arm(data, spot, target),
    }
}

fn field<const SIZE: usize>(data: &mut [u8], offset: u64) -> Result<&mut [u8; SIZE], String> {
    let at = usize::try_from(offset).map_err(|_| "an offset is too large")?;
    let field = data.get_mut(at..).and_then(|rest| rest.first_chunk_mut());
    field.ok_or_else(|| "a relocation lies outside its section".to_owned())
}

fn relative(from: u64, to: u64, addend: i64) -> Result<i32, String> {
    let distance = to.wrapping_add_signed(addend).wrapping_sub(from).cast_signed();
    i32::try_from(distance).map_err(|_| "an address is out of reach".to_owned())
}

fn x86(data: &mut [u8], spot: &Spot, target: &Target) -> Result<(), String> {
    let address = target.address.unwrap_or(0);
    match elf::RelocationType(spot.kind) {
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => {
            *field(data, spot.offset)? = relative(spot.address, address, spot.addend)?.to_le_bytes();
        }
        elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
            if let (true, Some(slot)) = (wants_slot(spot.kind, data, spot.offset), target.slot) {
                *field(data, spot.offset)? = relative(spot.address, slot, spot.addend)?.to_le_bytes();
                return Ok(());
            }
            let at = spot.offset as usize;
            let [code, form] = opcode(data, spot.offset).ok_or("a relocation begins a section")?;
            match (code, target.address) {
                // mov to lea
                (0x8b, Some(_)) => data[at - 2] = 0x8d,
                // call and jmp through a word to such ones without
                (0xff, Some(_)) if form == 0x15 => data[at - 2..at].copy_from_slice(&[0x67, 0xe8]),
                // mov of nothing to mov $0
                (0x8b, None) => {
                    if at >= 3 && data[at - 3] & 0xf0 == 0x40 {
                        let prefix = data[at - 3];
                        data[at - 3] = prefix & 0x48 | (prefix & 4) >> 2;
                    }
                    data[at - 2..at].copy_from_slice(&[0xc7, 0xc0 | (form >> 3 & 7)]);
                    *field(data, spot.offset)? = [0; 4];
                    return Ok(());
                }
                _ => return Err(format!("an instruction {code:02x} {form:02x} reads an address")),
            }
            *field(data, spot.offset)? = relative(spot.address, address, spot.addend)?.to_le_bytes();
        }
        elf::R_X86_64_64 => {
            *field(data, spot.offset)? = address.wrapping_add_signed(spot.addend).to_le_bytes()
        }
        elf::R_X86_64_TPOFF32 => {
            let distance = target.of_thread.ok_or("what it takes for a thread's own is not")?;
            let distance =
                i32::try_from(distance + spot.addend).map_err(|_| "a thread has too much of its own")?;
            *field(data, spot.offset)? = distance.to_le_bytes();
        }
        other => return Err(format!("relocation {} is not known here", other.0)),
    }
    Ok(())
}

fn arm(data: &mut [u8], spot: &Spot, target: &Target) -> Result<(), String> {
    let address = target.address.unwrap_or(0).wrapping_add_signed(spot.addend);
    let kind = elf::RelocationType(spot.kind);
    if kind == elf::R_AARCH64_PREL32 {
        *field(data, spot.offset)? = relative(spot.address, address, 0)?.to_le_bytes();
        return Ok(());
    }
    if kind == elf::R_AARCH64_ABS64 {
        *field(data, spot.offset)? = address.to_le_bytes();
        return Ok(());
    }
    let of_thread = || match target.of_thread.map(|distance| distance + spot.addend) {
        Some(distance @ 0..0x100_0000) => Ok(distance as u32),
        _ => Err("what it takes for a thread's own is not".to_owned()),
    };
    let place = field(data, spot.offset)?;
    let word = u32::from_le_bytes(*place);
    let low = (address & 0xfff) as u32;
    let scaled = |bits: u32| match low.trailing_zeros() >= bits || low == 0 {
        true => Ok(word & !(0xfff << 10) | (low >> bits) << 10),
        false => Err("an address is not aligned".to_owned()),
    };
    let branch = |bits: u32, shift: u32, to: u64| {
        let words = to.wrapping_sub(spot.address).cast_signed() >> 2;
        match (-(1_i64 << (bits - 1))..1 << (bits - 1)).contains(&words) {
            true => Ok(word & !(((1 << bits) - 1) << shift) | (words as u32 & ((1 << bits) - 1)) << shift),
            false => Err("a branch does not reach".to_owned()),
        }
    };
    let page = |word: u32| {
        let pages = (address >> 12).wrapping_sub(spot.address >> 12).cast_signed();
        match (-(1_i64 << 20)..1 << 20).contains(&pages) {
            true => Ok(word & 0x9f00_001f | (pages as u32 & 3) << 29 | (pages as u32 >> 2 & 0x7_ffff) << 5),
            false => Err("an address is out of reach".to_owned()),
        }
    };
    let word = match kind {
        elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26 => branch(26, 0, target.stub.unwrap_or(address))?,
        elf::R_AARCH64_CONDBR19 => branch(19, 5, address)?,
        elf::R_AARCH64_TSTBR14 => branch(14, 5, address)?,
        elf::R_AARCH64_ADR_PREL_PG_HI21 | elf::R_AARCH64_ADR_GOT_PAGE if target.address.is_some() => {
            page(word)?
        }
        // movz: nothing is at 0.
        elf::R_AARCH64_ADR_PREL_PG_HI21 | elf::R_AARCH64_ADR_GOT_PAGE => 0xd280_0000 | word & 0x1f,
        elf::R_AARCH64_ADD_ABS_LO12_NC | elf::R_AARCH64_LDST8_ABS_LO12_NC => scaled(0)?,
        elf::R_AARCH64_LDST16_ABS_LO12_NC => scaled(1)?,
        elf::R_AARCH64_LDST32_ABS_LO12_NC => scaled(2)?,
        elf::R_AARCH64_LDST64_ABS_LO12_NC => scaled(3)?,
        elf::R_AARCH64_LDST128_ABS_LO12_NC => scaled(4)?,
        elf::R_AARCH64_TLSLE_ADD_TPREL_HI12 => word & !(0xfff << 10) | (of_thread()? >> 12) << 10,
        elf::R_AARCH64_TLSLE_ADD_TPREL_LO12_NC => word & !(0xfff << 10) | (of_thread()? & 0xfff) << 10,
        // ldr of the word with the address to add, which makes it.
        elf::R_AARCH64_LD64_GOT_LO12_NC => 0x9100_0000 | low << 10 | word & 0x3ff,
        other => return Err(format!("relocation {} is not known here", other.0)),
    };
    *place = word.to_le_bytes();
    Ok(())
}
