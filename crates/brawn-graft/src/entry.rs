//! The first bytes of a function: a jump is written over them, and where musl's own function is still needed, they move to a
//! place from which they go on with the rest.

use std::collections::BTreeSet;

use brawn_elf::Arch;

mod arm;
mod first;
mod x86;

pub(crate) use first::{Beginning, MOST, Moved};

/// What can be done with the first bytes of the function at `address`, which has no code but `code`; what stands behind it in the
/// file is `behind`. `far` says that the new
/// code may be out of the reach of a branch on aarch64.
pub(crate) fn beginning(
    arch: Arch,
    code: &[u8],
    behind: &[u8],
    address: u64,
    far: bool,
) -> Result<Beginning, String> {
    match arch {
        Arch::X86_64 => x86::beginning(code, behind, address),
        Arch::Aarch64 => arm::beginning(code, address, far),
    }
}

/// A jump from one address to another, with `length` bytes.
pub(crate) fn jump(arch: Arch, from: u64, to: u64, length: usize) -> Option<Vec<u8>> {
    match arch {
        Arch::X86_64 => x86::jump(from, to),
        Arch::Aarch64 => arm::jump(from, to, length),
    }
}

/// A function that returns `EAGAIN`.
pub(crate) fn failing(arch: Arch) -> &'static [u8] {
    match arch {
        // mov $11, %eax; ret
        Arch::X86_64 => &[0xb8, 11, 0, 0, 0, 0xc3],
        // mov w0, #11; ret
        Arch::Aarch64 => &[0x60, 0x01, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6],
    }
}

/// Most bytes of what stands in for `fork`.
pub(crate) const FORK: u64 = 20;

/// What stands in for `fork` at `address`: calls `before` with -1, and goes on with `rest`.
pub(crate) fn fork(arch: Arch, address: u64, before: u64, rest: u64) -> Option<Vec<u8>> {
    let mut code = Vec::new();
    match arch {
        Arch::X86_64 => {
            // push %rax; mov $-1, %edi; call; pop %rax; jmp
            code.extend([0x50, 0xbf, 0xff, 0xff, 0xff, 0xff]);
            let call = x86::jump(address + code.len() as u64, before)?;
            code.push(0xe8);
            code.extend(&call[1..]);
            code.push(0x58);
            code.extend(x86::jump(address + code.len() as u64, rest)?);
        }
        Arch::Aarch64 => {
            // stp x29, x30, [sp, #-16]!; mov w0, #-1; bl; ldp x29, x30, [sp], #16; b
            code.extend([0xfd, 0x7b, 0xbf, 0xa9, 0x00, 0x00, 0x80, 0x12]);
            let mut call = arm::jump(address + code.len() as u64, before, 4)?;
            call[3] |= 0x80;
            code.extend(call);
            code.extend([0xfd, 0x7b, 0xc1, 0xa8]);
            code.extend(arm::jump(address + code.len() as u64, rest, 4)?);
        }
    }
    Some(code)
}

/// A function that returns 0.
pub(crate) fn no(arch: Arch) -> &'static [u8] {
    match arch {
        // xor %eax, %eax; ret
        Arch::X86_64 => &[0x31, 0xc0, 0xc3],
        // mov w0, #0; ret
        Arch::Aarch64 => &[0x00, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6],
    }
}

/// How many bytes a moved beginning takes, and the jump behind it.
pub(crate) fn room(moved: &Moved) -> usize {
    moved.bytes.len() + MOST
}

/// A moved beginning as it stands at `address`.
pub(crate) fn placed(arch: Arch, moved: &Moved, address: u64) -> Option<Vec<u8>> {
    let mut bytes = moved.bytes.clone();
    for &(at, end, target) in &moved.relative {
        let distance = target.wrapping_sub(address.wrapping_add(end as u64)).cast_signed();
        bytes[at..at + 4].copy_from_slice(&i32::try_from(distance).ok()?.to_le_bytes());
    }
    let from = address.wrapping_add(bytes.len() as u64);
    bytes.extend(jump(arch, from, moved.rest, MOST)?);
    Some(bytes)
}

/// Whether this is what compilers put between functions.
pub(crate) fn is_padding(arch: Arch, code: &[u8], address: u64) -> bool {
    match arch {
        Arch::X86_64 => x86::is_padding(code, address),
        Arch::Aarch64 => arm::is_padding(code),
    }
}

/// Where calls lead that stand in a function's code, and jumps out of it.
pub(crate) fn calls(arch: Arch, code: &[u8], address: u64) -> BTreeSet<u64> {
    match arch {
        Arch::X86_64 => x86::calls(code, address),
        Arch::Aarch64 => arm::calls(code, address),
    }
}

/// Where code of the file jumps to within `windows`, which are sorted and apart: from where, and the window's number. On x86-64
/// all bytes are taken for the beginning of a jump, so that some of them are none; short ones lead no further than their own
/// function.
pub(crate) fn jumps_into(arch: Arch, code: &[u8], address: u64, windows: &[(u64, u64)]) -> Vec<(u64, usize)> {
    let (Some(first), Some(last)) = (windows.first(), windows.last()) else { return Vec::new() };
    // An instruction of aarch64 is never jumped into, and of several none but the first is a target of others.
    if arch == Arch::Aarch64 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in memchr::memchr2_iter(0xe8, 0xe9, code).chain(x86::conditional(code)) {
        let Some(field) = code.get(at + 1..at + 5) else { continue };
        let distance = i32::from_le_bytes([field[0], field[1], field[2], field[3]]);
        let target = address.wrapping_add(at as u64 + 5).wrapping_add_signed(distance.into());
        if target <= first.0 || target >= last.1 {
            continue;
        }
        let window = windows.partition_point(|(_, end)| *end <= target);
        if windows[window].0 < target {
            found.push((address + at as u64, window));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fork_calls_what_comes_before_it() {
        let x86 = fork(Arch::X86_64, 0x1000, 0x2000, 0x3000).unwrap();
        assert_eq!(x86[6..11], [0xe8, 0xf5, 0x0f, 0, 0]);
        assert_eq!(x86[12..], [0xe9, 0xef, 0x1f, 0, 0]);
        let arm = fork(Arch::Aarch64, 0x1000, 0x2000, 0x3000).unwrap();
        assert_eq!(arm[8..12], 0x9400_03fe_u32.to_le_bytes());
        assert_eq!(arm[16..], 0x1400_07fc_u32.to_le_bytes());
        assert!(x86.len() as u64 <= FORK && arm.len() as u64 <= FORK);
    }

    #[test]
    fn what_counts_from_its_place_is_counted_anew() {
        // lea 0x10(%rip), %rax; call +0x100
        let code = [0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0xe8, 0, 1, 0, 0, 0xc3];
        let moved = beginning(Arch::X86_64, &code, &[], 0x1000, false).unwrap().moved.unwrap();
        assert_eq!((&moved.relative[..], moved.rest), (&[(3, 7, 0x1017)][..], 0x1007));
        let placed = placed(Arch::X86_64, &moved, 0x2000).unwrap();
        assert_eq!(i32::from_le_bytes(placed[3..7].try_into().unwrap()), 0x1017 - 0x2007);
        assert_eq!(placed[7..], x86::jump(0x2007, 0x1007).unwrap());
    }
}
