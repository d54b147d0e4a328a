//! The architectures that there are kits for.

/// The architectures that the kit is built for, in the order of `brawn_elf::Arch::ALL`.
pub const ARCHES: [Arch; 2] = [
    Arch {
        name: "x86_64",
        variant: "X86_64",
        machine: object::elf::EM_X86_64,
        baseline: "-march=x86-64",
        intrinsics: "immintrin.h",
    },
    Arch {
        name: "aarch64",
        variant: "Aarch64",
        machine: object::elf::EM_AARCH64,
        baseline: "-march=armv8-a",
        intrinsics: "arm_neon.h",
    },
];

/// An architecture of the kit.
pub struct Arch {
    /// The name in target triples.
    pub name: &'static str,
    /// The variant of `brawn_elf::Arch`.
    pub variant: &'static str,
    /// The `e_machine` of its ELF files.
    pub machine: object::elf::Machine,
    /// The oldest processors that musl's own code runs on, as gcc and clang name them.
    pub baseline: &'static str,
    /// The compiler's header of vector instructions.
    pub intrinsics: &'static str,
}
