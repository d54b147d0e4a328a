//! Which processor an executable needs, read from its code.
//!
//! What can be said for sure is a bound: no instruction needs more than this level. Whether an instruction above the
//! baseline is ever reached without a look at the processor cannot be proved in general; [`CpuEvidence`] names what the
//! answer rests on.

mod functions;
mod level;
mod levels;
mod x86;

use object::elf;
use serde::{Deserialize, Serialize};

use crate::Image;
use crate::property::Properties;

pub(crate) use functions::functions;
pub use level::CpuLevel;

/// The processor that an executable needs. Only code for x86-64 is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cpu {
    /// The level without which it will not run, as far as can be told; see `how`. None when instructions above the
    /// baseline show only where no table names a function, so that data may have been taken for code.
    pub required: Option<CpuLevel>,
    /// The highest level that any instruction of a known function needs.
    pub highest: CpuLevel,
    /// What `required` rests on.
    pub how: CpuEvidence,
    /// Instructions outside the levels, such as `AES`, in alphabetical order. Programs look for them before use, as a
    /// rule.
    pub extensions: Vec<String>,
    /// Functions that a table names: the symbols, or the table for unwinding. What lies between them is read as well.
    pub functions: u64,
    /// Those with an instruction above the baseline.
    pub above_baseline: u64,
}

/// What a level that is required rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CpuEvidence {
    /// No instruction needs more than the baseline, in no function and between none.
    Baseline,
    /// The linker wrote the level down (`GNU_PROPERTY_X86_ISA_1_NEEDED`). This is proof.
    Property,
    /// There are instructions above the baseline, and the program never asks the processor (`cpuid`) what it can do, so
    /// it cannot choose.
    NoChoice,
    /// Most functions with vector code use the AVX encoding, which compilers write everywhere or nowhere.
    Throughout,
    /// There are instructions above the baseline in some functions, and the program asks the processor: it chooses, in
    /// all likelihood.
    Chosen,
    /// The compiler wrote it down (Go's `GOAMD64`).
    Recorded,
    /// It cannot be told.
    Unknown,
}

/// Reads the code. None when it is not for x86-64.
pub(crate) fn read(image: &Image<'_>, properties: &Properties, recorded: Option<CpuLevel>) -> Option<Cpu> {
    if elf::Machine(image.machine) != elf::EM_X86_64 || !image.is_64 {
        return None;
    }
    let functions = functions(image);
    let seen = x86::read(&functions);
    let above = seen.above_baseline;
    let vex_throughout = |level: CpuLevel, count: u64| {
        const FEW: u64 = 8;
        (count >= FEW && count * 2 > seen.legacy_vector + seen.vex).then_some(level)
    };
    let throughout =
        vex_throughout(CpuLevel::V4, seen.evex).or_else(|| vex_throughout(CpuLevel::V3, seen.vex));
    let (required, how) = if let Some(level) = properties.isa_needed.max(recorded) {
        let how = if properties.isa_needed.is_some() { CpuEvidence::Property } else { CpuEvidence::Recorded };
        (Some(level), how)
    } else if above == 0 && !seen.above_in_gaps {
        (Some(CpuLevel::V1), CpuEvidence::Baseline)
    } else if above == 0 {
        (None, CpuEvidence::Unknown)
    } else if let Some(level) = throughout {
        (Some(level), CpuEvidence::Throughout)
    } else if !seen.asks {
        (Some(seen.highest), CpuEvidence::NoChoice)
    } else {
        (Some(CpuLevel::V1), CpuEvidence::Chosen)
    };
    Some(Cpu {
        required,
        highest: seen.highest,
        how,
        extensions: seen.extensions.into_iter().collect(),
        functions: functions.known.len() as u64,
        above_baseline: above,
    })
}
