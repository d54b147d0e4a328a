//! Thread-local storage: the file's block becomes longer by what the new code keeps for each thread.
//!
//! Every variable of the file stays as far from the thread's pointer as it was. On x86-64 the block ends at that pointer, so what
//! is new comes before it; on aarch64 it begins behind it, so what is new comes last.

use brawn_elf::Arch;
use object::LittleEndian as LE;
use object::elf;

use crate::program::Program;

/// What the file's own block is: its address, bytes in the file, bytes in memory, alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    pub address: u64,
    pub file: u64,
    pub memory: u64,
    pub align: u64,
}

impl Own {
    pub fn of(program: &Program<'_>) -> Own {
        let own = program.segments.iter().find(|segment| segment.p_type.get(LE) == elf::PT_TLS);
        own.map_or(Own { align: 1, ..Own::default() }, |own| Own {
            address: own.p_vaddr.get(LE),
            file: own.p_filesz.get(LE),
            memory: own.p_memsz.get(LE),
            align: own.p_align.get(LE).max(1),
        })
    }

    /// Whether the file has such a block.
    pub fn is_in(program: &Program<'_>) -> bool {
        program.segments.iter().any(|segment| segment.p_type.get(LE) == elf::PT_TLS)
    }

    /// Whether its bytes in the file hold the one at this address.
    pub fn holds(&self, address: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|within| within < self.file)
    }
}

/// The longer block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub own: Own,
    /// Where the file's own begins in it, and what is new.
    pub old_at: u64,
    pub new_at: u64,
    /// Bytes that are new.
    pub size: u64,
    /// Bytes in the file and in memory.
    pub file: u64,
    pub memory: u64,
    pub align: u64,
    /// How far the beginning of what is new is from the thread's pointer.
    pub distance: i64,
}

/// What the pointer of a thread points to on aarch64.
const HEAD: u64 = 16;

/// Alignments, and sizes, beyond these are no one's.
const MOST: u64 = 1 << 16;
const LARGEST: u64 = 1 << 24;
/// Programs have no addresses beyond this.
const HIGHEST: u64 = 1 << 46;

impl Block {
    /// `size` bytes more, with this alignment; or why there is no such block.
    pub fn new(arch: Arch, own: Own, size: u64, align: u64) -> Result<Block, &'static str> {
        let all = own.align.max(align);
        let usual =
            own.align.is_power_of_two() && all <= MOST && own.memory <= LARGEST && own.address <= HIGHEST;
        if !usual || own.file > own.memory {
            return Err("its thread-local storage has a size or an alignment that is not usual");
        }
        match arch {
            Arch::X86_64 => {
                // From the beginning of the file's own to the thread's pointer.
                let old = (own.address.wrapping_add(own.memory))
                    .next_multiple_of(own.align)
                    .wrapping_sub(own.address);
                let old_at = (size + old).next_multiple_of(all) - old;
                Ok(Block {
                    own,
                    old_at,
                    new_at: 0,
                    size,
                    file: old_at + own.file,
                    memory: old_at + own.memory,
                    align: all,
                    distance: -((old_at + old) as i64),
                })
            }
            Arch::Aarch64 => {
                let head = HEAD.next_multiple_of(own.align);
                if HEAD.next_multiple_of(all) != head || !own.address.is_multiple_of(own.align) {
                    return Err("its thread-local storage is aligned otherwise than what is new");
                }
                let new_at = own.memory.next_multiple_of(all);
                let memory = new_at + size;
                Ok(Block {
                    own,
                    old_at: 0,
                    new_at,
                    size,
                    file: memory,
                    memory,
                    align: all,
                    distance: (head + new_at) as i64,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_file_keep_their_distance_from_the_pointer() {
        for (address, memory, align) in
            [(0x1008, 0x18, 8), (0x1000, 0x79, 32), (0x1010, 5, 16), (0, 0, 1), (0x40, 0x100, 64)]
        {
            let own = Own { address, file: memory / 2, memory, align };
            for (size, new_align) in [(8, 8), (26, 8), (100, 64)] {
                let block = Block::new(Arch::X86_64, own, size, new_align).unwrap();
                // What musl makes of it, when the block lies at an address that is a multiple of its alignment.
                let pointer = |start: u64, memory: u64, align: u64| (start + memory).next_multiple_of(align);
                let before = pointer(address, memory, align) - address;
                let after = pointer(0, block.memory, block.align) - block.old_at;
                assert_eq!(before, after, "{own:?} {size} {new_align}");
                assert_eq!(block.distance, -(pointer(0, block.memory, block.align) as i64));
                assert_eq!(block.distance.unsigned_abs() % new_align, 0);
                assert!(block.new_at + size <= block.old_at);
                if let Ok(block) = Block::new(Arch::Aarch64, Own { address: 0, ..own }, size, new_align) {
                    assert_eq!(HEAD.next_multiple_of(align), HEAD.next_multiple_of(block.align));
                    assert!(
                        block.new_at >= memory && (block.distance as u64).is_multiple_of(new_align),
                        "{own:?} {size} {new_align}"
                    );
                }
            }
        }
    }
}
