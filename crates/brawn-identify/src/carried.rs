//! The signatures that this crate carries.

use std::sync::LazyLock;

use brawn_elf::Arch;

use crate::{Index, Signatures};

static X86_64: LazyLock<Signatures> = LazyLock::new(|| unpack(Arch::X86_64));
static AARCH64: LazyLock<Signatures> = LazyLock::new(|| unpack(Arch::Aarch64));

/// The signatures of the musls that were at hand when they were made.
pub fn carried(arch: Arch) -> &'static Signatures {
    match arch {
        Arch::X86_64 => &X86_64,
        Arch::Aarch64 => &AARCH64,
    }
}

static X86_64_INDEX: LazyLock<Index<'static>> = LazyLock::new(|| Index::new(&X86_64));
static AARCH64_INDEX: LazyLock<Index<'static>> = LazyLock::new(|| Index::new(&AARCH64));

/// The same, in order.
pub(crate) fn index(arch: Arch) -> &'static Index<'static> {
    match arch {
        Arch::X86_64 => &X86_64_INDEX,
        Arch::Aarch64 => &AARCH64_INDEX,
    }
}

/// How many bytes they take in an executable.
pub fn packed_size(arch: Arch) -> usize {
    packed(arch).len()
}

fn packed(arch: Arch) -> &'static [u8] {
    match arch {
        Arch::X86_64 => include_bytes!(concat!(env!("OUT_DIR"), "/x86_64.zst")),
        Arch::Aarch64 => include_bytes!(concat!(env!("OUT_DIR"), "/aarch64.zst")),
    }
}

/// More than they are unpacked.
const LIMIT: usize = 64 << 20;

fn unpack(arch: Arch) -> Signatures {
    let text = zstd::bulk::decompress(packed(arch), LIMIT).expect("build.rs packed it");
    let text = String::from_utf8(text).expect("it is text");
    Signatures::from_text(arch, &text).expect("a test reads them")
}
