use serde::{Deserialize, Serialize};

brawn_base::worded! {
    /// An architecture that Brawn has a kit for, by its name in target triples.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Arch {
        /// 64-bit x86, little endian.
        #[serde(rename = "x86_64")]
        X86_64 = "x86_64",
        /// 64-bit Arm, little endian.
        Aarch64 = "aarch64",
    }
}

impl Arch {
    /// The architecture of a target triple such as `x86_64-unknown-linux-musl`.
    pub fn from_triple(triple: &str) -> Option<Arch> {
        Arch::from_name(triple.split('-').next()?)
    }

    /// The Rust target triple of static musl programs for this architecture.
    pub const fn musl_triple(self) -> &'static str {
        match self {
            Arch::X86_64 => "x86_64-unknown-linux-musl",
            Arch::Aarch64 => "aarch64-unknown-linux-musl",
        }
    }

    /// The `e_machine` value of this architecture's ELF files.
    pub const fn elf_machine(self) -> u16 {
        match self {
            Arch::X86_64 => object::elf::EM_X86_64.0,
            Arch::Aarch64 => object::elf::EM_AARCH64.0,
        }
    }

    /// The architecture of an ELF file whose header has this `e_machine`.
    pub fn from_elf_machine(machine: u16) -> Option<Arch> {
        Arch::ALL.into_iter().find(|arch| arch.elf_machine() == machine)
    }

    /// The architecture that this executable was compiled for.
    pub fn host() -> Option<Arch> {
        Arch::from_name(std::env::consts::ARCH)
    }
}
