//! What machine code alone gives away: patterns that only one author's code holds.
//!
//! The patterns stand here as they are, because only code is searched, and this module's constants are data.

use memchr::memmem;
use object::elf;

use crate::Image;

/// What the executable segments hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodeFacts {
    /// Copies of musl's `memcpy`, which is assembly and the same in every version since 2013.
    pub musl_memcpy: usize,
    /// Places that read the stack canary.
    pub canary_reads: usize,
    /// Whether the numbers of rpmalloc are there.
    pub rpmalloc: bool,
}

/// musl, `src/string/x86_64/memcpy.s`: the copy of the pointer, the comparison with 8, the test for alignment.
const MUSL_MEMCPY_X86_64: &[u8] = &[
    0x48, 0x89, 0xf8, 0x48, 0x83, 0xfa, 0x08, 0x72, 0x14, 0xf7, 0xc7, 0x07, 0x00, 0x00, 0x00, 0x74, 0x0c,
    0xa4,
];

/// The end of `mov %fs:0x28, REGISTER`: where the compilers for x86-64 keep the canary.
const CANARY_X86_64: &[u8] = &[0x25, 0x28, 0x00, 0x00, 0x00];

/// rpmalloc 1.4 keeps its heaps in a table by their number's remainder by 47 (the first is that division's multiplier), and takes from the system whatever is larger than 4,128,640 bytes.
const RPMALLOC_HEAPS: &[u8] = &[0x63, 0x72, 0x05, 0x31, 0xb9, 0x82, 0x98, 0x5c];
const RPMALLOC_LARGEST: &[u8] = &[0x80, 0xff, 0x3e, 0x00];

/// More executable segments than any linker writes.
const MOST_SEGMENTS: usize = 16;

/// Looks through the code of an executable for x86-64; of another architecture's, nothing is known.
pub(crate) fn facts(image: &Image<'_>) -> CodeFacts {
    let mut facts = CodeFacts::default();
    if elf::Machine(image.machine) != elf::EM_X86_64 {
        return facts;
    }
    let ranges = image.code().map(|segment| segment.file_start..segment.file_start + segment.data.len());
    let (mut heaps, mut largest) = (false, false);
    for range in crate::signature::merge(ranges.take(MOST_SEGMENTS).collect()) {
        let data = &image.data[range];
        facts.musl_memcpy += memmem::find_iter(data, MUSL_MEMCPY_X86_64).count();
        facts.canary_reads +=
            memmem::find_iter(data, CANARY_X86_64).filter(|at| reads_canary(data, *at)).count();
        heaps |= memmem::find(data, RPMALLOC_HEAPS).is_some();
        largest |= memmem::find(data, RPMALLOC_LARGEST).is_some();
    }
    facts.rpmalloc = heaps && largest;
    facts
}

/// Whether the address at `at` belongs to a `mov` from the thread's segment: `64 48|4c 8b MODRM`.
fn reads_canary(code: &[u8], at: usize) -> bool {
    let Some([0x64, prefix, 0x8b, modrm]) = at.checked_sub(4).and_then(|start| code.get(start..at)) else {
        return false;
    };
    prefix & 0xfb == 0x48 && modrm & 0xc7 == 0x04
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loads_of_the_canary_count() {
        let load = [0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0];
        assert!(reads_canary(&load, 4));
        let store = [0x64, 0x48, 0x89, 0x04, 0x25, 0x28, 0, 0, 0];
        assert!(!reads_canary(&store, 4));
        assert!(!reads_canary(&load[2..], 2));
    }
}
