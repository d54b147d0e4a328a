//! Whom libc itself calls for memory, read from machine code: where names are gone, that says which heap serves `malloc`.
//!
//! musl's `opendir`, `fdopendir` and `fdopen` call `calloc` and `malloc` by their public names, with sizes that no other code
//! asks for. Who is called there serves `malloc`. Only code for x86-64 is read.

use std::collections::BTreeSet;
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};
use memchr::memmem;
use object::elf;

use crate::Image;

/// `calloc(1, sizeof(DIR))`, a structure of 2,072 bytes: `mov esi, 0x818; mov edi, 1`, and the call soon after.
const OPENDIR: &[u8] = &[0xbe, 0x18, 0x08, 0x00, 0x00, 0xbf, 0x01, 0x00, 0x00, 0x00];
/// `malloc(sizeof(FILE) + UNGET + BUFSIZ)`, 232 + 8 + 1024 bytes: `mov edi, 0x4f0`, and the call.
const FDOPEN: &[u8] = &[0xbf, 0xf0, 0x04, 0x00, 0x00, 0xe8];

/// Bytes between the arguments and the call: at most a `mov` to keep something.
const BEFORE_CALL: usize = 4;
const CALL: u8 = 0xe8;

/// `calloc` calls `malloc`, which is a jump to mallocng's own function.
const DEEPEST: usize = 2;

// More than musl has of each: bounds for files that were made to waste time.
const MOST_SITES: usize = 16;
const MOST_FUNCTIONS: usize = 64;
const MOST_INSTRUCTIONS: usize = 2000;

/// Whether the functions of libc that allocate by the public names come to code that refers to `tables` (addresses), the
/// constants of musl's own heap. `None` when no such function is there, or they differ.
pub(crate) fn libc_calls(image: &Image<'_>, tables: &[Range<u64>]) -> Option<bool> {
    if elf::Machine(image.machine) != elf::EM_X86_64 || !image.is_64 {
        return None;
    }
    let answers: BTreeSet<bool> =
        sites(image).into_iter().map(|called| reaches(image, called, tables)).collect();
    // Both at once, or none at all.
    (answers.len() == 1).then(|| answers.contains(&true))
}

/// The functions that are called where libc allocates.
fn sites(image: &Image<'_>) -> BTreeSet<u64> {
    let mut called = BTreeSet::new();
    for segment in image.code().take(MOST_SITES) {
        let mut add = |call: usize| {
            let target = segment.data.get(call + 1..call + 5)?;
            let distance = i64::from(i32::from_le_bytes(target.try_into().expect("four bytes")));
            let next = segment.address.wrapping_add(call as u64 + 5);
            called.insert(next.wrapping_add_signed(distance)).then_some(())
        };
        for at in memmem::find_iter(segment.data, OPENDIR).take(MOST_SITES) {
            let after = at + OPENDIR.len();
            let window = segment.data.get(after..after + BEFORE_CALL + 1).unwrap_or_default();
            if let Some(call) = memchr::memchr(CALL, window) {
                add(after + call);
            }
        }
        for at in memmem::find_iter(segment.data, FDOPEN).take(MOST_SITES) {
            add(at + FDOPEN.len() - 1);
        }
    }
    called
}

/// Whether the function at `address`, or one that it calls, refers to one of the tables.
fn reaches(image: &Image<'_>, address: u64, tables: &[Range<u64>]) -> bool {
    let mut seen = BTreeSet::from([address]);
    let mut level = vec![address];
    for _ in 0..=DEEPEST {
        let mut next = Vec::new();
        for address in level {
            let Some(function) = Function::read(image, address) else { continue };
            if function.refers.iter().any(|to| tables.iter().any(|table| table.contains(to))) {
                return true;
            }
            next.extend(
                function.calls.into_iter().filter(|to| seen.len() < MOST_FUNCTIONS && seen.insert(*to)),
            );
        }
        level = next;
    }
    false
}

/// What the code of one function leads to.
#[derive(Default)]
struct Function {
    /// Functions that it calls or goes on in.
    calls: BTreeSet<u64>,
    /// Addresses of data.
    refers: BTreeSet<u64>,
}

impl Function {
    /// Reads from `address` to the first end that no jump goes beyond.
    fn read(image: &Image<'_>, address: u64) -> Option<Function> {
        let mut function = Function::default();
        let code = image.bytes_at_address(address)?;
        let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let mut jumps = BTreeSet::new();
        for _ in 0..MOST_INSTRUCTIONS {
            if !decoder.can_decode() {
                break;
            }
            decoder.decode_out(&mut instruction);
            function.note(&instruction);
            let flow = instruction.flow_control();
            match flow {
                FlowControl::Call => {
                    function.calls.insert(instruction.near_branch_target());
                }
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                    jumps.insert(instruction.near_branch_target());
                }
                _ => {}
            }
            let ends = matches!(
                flow,
                FlowControl::Return
                    | FlowControl::UnconditionalBranch
                    | FlowControl::IndirectBranch
                    | FlowControl::Exception
                    | FlowControl::Interrupt
            );
            // A jump far ahead leaves the function; one to what follows soon is a part of it.
            const NEAR: u64 = 512;
            let end = instruction.next_ip();
            if ends && jumps.range(end..end.saturating_add(NEAR)).next().is_none() {
                break;
            }
        }
        let own = address..decoder.ip();
        function.calls.extend(jumps.into_iter().filter(|to| !own.contains(to)));
        Some(function)
    }

    fn note(&mut self, instruction: &Instruction) {
        let absolute = matches!(instruction.memory_base(), Register::RIP | Register::None);
        for operand in 0..instruction.op_count() {
            match instruction.op_kind(operand) {
                // At a fixed address, a table is a displacement beside a register, or a number.
                OpKind::Memory if absolute || instruction.memory_displ_size() >= 4 => {
                    self.refers.insert(instruction.memory_displacement64());
                }
                OpKind::Immediate32 | OpKind::Immediate32to64 => {
                    self.refers.insert(u64::from(instruction.immediate32()));
                }
                _ => {}
            }
        }
    }
}
