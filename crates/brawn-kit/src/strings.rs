use brawn_elf::Arch;

use crate::{Packed, STRINGS};

/// The string functions for one architecture: every object of a set that belongs together.
#[derive(Debug)]
pub struct Strings {
    /// The architecture that they were compiled for.
    pub arch: Arch,
    /// The one kind of processor that they are for; none for functions that find the processor's level themselves.
    pub cpu: Option<Cpu>,
    /// A static library with one member per function.
    pub archive: Packed,
    /// The levels to which a set can be held, lowest first; none for one kind of processor.
    pub levels: &'static [Level],
    /// The compiler that made them, as it names itself.
    pub compiler: &'static str,
    /// The flags that they were compiled with, less those that name folders of the build machine.
    pub flags: &'static [&'static str],
}

/// A level of vector instructions.
#[derive(Debug)]
pub struct Level {
    /// Its name for `--knob strings.level=NAME`.
    pub name: &'static str,
    /// The object that takes the place of [`LEVEL_MEMBER`].
    pub file: Packed,
}

/// The member that finds out and remembers the level.
pub const LEVEL_MEMBER: &str = "brawn-string-level.o";

/// The member of a set for one kind of processor that is a program's first code: it ends the process with a line where the
/// processor is below that. It defines [`START`], and goes on to [`START_OF_MUSL`].
pub const START_MEMBER: &str = "brawn-string-start.o";

/// Whom a program's entry point calls.
pub const START: &str = "__libc_start_main";

/// What musl's own definition of [`START`] has to be called beside [`START_MEMBER`].
pub const START_OF_MUSL: &str = "__brawn_libc_start_main";

/// A kind of processor, by the level of the x86-64 psABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cpu {
    /// AVX2, BMI1, BMI2.
    X86_64V3,
    /// AVX-512 with its byte and word, and its shorter vectors.
    X86_64V4,
}

impl Cpu {
    /// Every kind.
    pub const ALL: [Cpu; 2] = [Cpu::X86_64V3, Cpu::X86_64V4];

    /// The name for `--cpu`.
    pub fn name(self) -> &'static str {
        match self {
            Cpu::X86_64V3 => "x86-64-v3",
            Cpu::X86_64V4 => "x86-64-v4",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Cpu> {
        Cpu::ALL.into_iter().find(|cpu| cpu.name() == name)
    }

    /// The kinds that there are on an architecture.
    pub fn of(arch: Arch) -> impl Iterator<Item = Cpu> {
        STRINGS.iter().filter(move |set| set.arch == arch).filter_map(|set| set.cpu)
    }
}

/// The string functions for an architecture, for any of its processors or for one kind.
pub fn strings(arch: Arch, cpu: Option<Cpu>) -> Option<&'static Strings> {
    STRINGS.iter().find(|set| set.arch == arch && set.cpu == cpu)
}

/// The names of all levels of all architectures, for `--knob strings.level=NAME`.
pub fn level_names() -> impl Iterator<Item = &'static str> {
    STRINGS.iter().flat_map(|set| set.levels).map(|level| level.name)
}
