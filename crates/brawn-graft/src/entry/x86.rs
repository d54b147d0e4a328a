use std::collections::BTreeSet;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

use super::first::{Beginning, Moved};

const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
const JUMP: usize = 5;
/// What compilers align functions to.
const FUNCTIONS: u64 = 16;

pub(super) fn beginning(code: &[u8], behind: &[u8], address: u64) -> Result<Beginning, String> {
    let skipped = if code.starts_with(&ENDBR64) { ENDBR64.len() } else { 0 };
    let at = address + skipped as u64;
    let code = &code[skipped..];
    if code.len() < JUMP {
        if code.is_empty() || code.len() + padding(behind, at + code.len() as u64) < JUMP {
            return Err(format!("it has {} bytes, and a jump takes {JUMP}", code.len()));
        }
        return Ok(Beginning { at, length: JUMP, moved: None });
    }
    Ok(Beginning { at, length: JUMP, moved: moved(code, at) })
}

/// How many bytes do nothing up to where the next function may begin.
fn padding(behind: &[u8], address: u64) -> usize {
    let room = (address.next_multiple_of(FUNCTIONS) - address) as usize;
    let is_there = behind.get(..room).is_some_and(|behind| is_padding(behind, address));
    if is_there { room } else { 0 }
}

/// Whether this is what compilers put between functions.
pub(super) fn is_padding(code: &[u8], address: u64) -> bool {
    let mut instructions = Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter();
    instructions.all(|it| matches!(it.mnemonic(), Mnemonic::Nop | Mnemonic::Int3))
}

pub(super) fn jump(from: u64, to: u64) -> Option<Vec<u8>> {
    let distance = to.wrapping_sub(from.wrapping_add(JUMP as u64)).cast_signed();
    let mut bytes = vec![0xe9];
    bytes.extend(i32::try_from(distance).ok()?.to_le_bytes());
    Some(bytes)
}

/// Decoded one after the other: what compilers make of libc has no data between instructions.
pub(super) fn calls(code: &[u8], address: u64) -> BTreeSet<u64> {
    let own = address..address.saturating_add(code.len() as u64);
    let near = Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter();
    let near = near.filter(|instruction| instruction.op0_kind() == OpKind::NearBranch64);
    let leads_out = |instruction: &Instruction| {
        instruction.flow_control() == FlowControl::Call || !own.contains(&instruction.near_branch_target())
    };
    near.filter(leads_out).map(|instruction| instruction.near_branch_target()).collect()
}

/// The second bytes of conditional jumps: what follows is the distance, as behind the first byte of others.
pub(super) fn conditional(code: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(0x0f, code)
        .map(|at| at + 1)
        .filter(|at| code.get(*at).is_some_and(|byte| byte >> 4 == 8))
}

fn moved(code: &[u8], address: u64) -> Option<Moved> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut moved = Moved { bytes: Vec::new(), relative: Vec::new(), rest: 0 };
    while moved.bytes.len() < JUMP {
        let start = moved.bytes.len();
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            return None;
        }
        let fields = decoder.get_constant_offsets(&instruction);
        moved.bytes.extend(&code[start..start + instruction.len()]);
        let end = moved.bytes.len();
        if instruction.is_ip_rel_memory_operand() {
            let field = start + fields.displacement_offset();
            moved.relative.push((field, end, instruction.memory_displacement64()));
        }
        match instruction.flow_control() {
            FlowControl::Next => {}
            FlowControl::Call | FlowControl::UnconditionalBranch if is_long(&code[start..end]) => {
                moved.relative.push((start + 1, end, instruction.near_branch64()));
            }
            _ => return None,
        }
    }
    moved.rest = address + moved.bytes.len() as u64;
    // What is left of the function must not come back to what was written over.
    let all = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let comes_back = all.into_iter().any(|instruction| {
        let near = matches!(instruction.op0_kind(), OpKind::NearBranch64);
        near && (address..moved.rest).contains(&instruction.near_branch_target())
    });
    (!comes_back).then_some(moved)
}

fn is_long(instruction: &[u8]) -> bool {
    instruction.len() == JUMP && matches!(instruction[0], 0xe8 | 0xe9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_for_indirect_branches_stays() {
        let code = [&ENDBR64[..], &[0x90; 5]].concat();
        let found = beginning(&code, &[], 0x1000).unwrap();
        assert_eq!((found.at, found.length), (0x1004, 5));
        assert!(beginning(&code[..8], &[], 0x1000).unwrap_err().contains("4 bytes"));
        // `ret`, and what compilers put behind it.
        let padding = [0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0x44, 0, 0];
        assert_eq!(beginning(&[0xc3], &padding, 0x1000).unwrap().length, JUMP);
        assert!(beginning(&[0xc3], &padding[..14], 0x1000).is_err());
        assert!(beginning(&[0xc3], &[0x55; 15], 0x1000).is_err());
    }

    #[test]
    fn a_loop_to_the_beginning_holds_it() {
        // inc %eax; nop; nop; nop; jmp to the first nop
        assert_eq!(moved(&[0xff, 0xc0, 0x90, 0x90, 0x90, 0xeb, 0xfb], 0), None);
        assert!(moved(&[0xff, 0xc0, 0x90, 0x90, 0x90, 0xeb, 0xfe], 0).is_some());
    }
}
