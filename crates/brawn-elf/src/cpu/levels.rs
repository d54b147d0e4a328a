//! Which level each instruction set extension belongs to.

use iced_x86::CpuidFeature;

use super::CpuLevel;

/// Where an instruction set extension belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// To a level of x86-64.
    Level(CpuLevel),
    /// To none, and it does no harm on a processor that does not know it.
    Harmless,
    /// To none; a processor may lack it.
    Extension,
}

/// The table. What is not named is an extension.
pub(super) fn class(feature: CpuidFeature) -> Class {
    use CpuidFeature as F;
    match feature {
        F::INTEL8086
        | F::INTEL8086_ONLY
        | F::INTEL186
        | F::INTEL286
        | F::INTEL286_ONLY
        | F::INTEL386
        | F::INTEL386_ONLY
        | F::INTEL486
        | F::X64
        | F::CPUID
        | F::CMOV
        | F::CX8
        | F::CLFSH
        | F::FPU
        | F::FPU287
        | F::FPU387
        | F::FXSR
        | F::MMX
        | F::MSR
        | F::TSC
        | F::SEP
        | F::SSE
        | F::SSE2
        | F::SYSCALL
        | F::PAUSE => Class::Level(CpuLevel::V1),
        F::CMPXCHG16B | F::POPCNT | F::SSE3 | F::SSSE3 | F::SSE4_1 | F::SSE4_2 => Class::Level(CpuLevel::V2),
        F::AVX | F::AVX2 | F::BMI1 | F::BMI2 | F::F16C | F::FMA | F::LZCNT | F::MOVBE => {
            Class::Level(CpuLevel::V3)
        }
        F::AVX512F | F::AVX512BW | F::AVX512CD | F::AVX512DQ | F::AVX512VL => Class::Level(CpuLevel::V4),
        // Older processors take these for instructions that do nothing.
        F::MULTIBYTENOP | F::CET_IBT | F::CET_SS | F::PREFETCHW | F::HLE_or_RTM | F::CLDEMOTE => {
            Class::Harmless
        }
        // Allowed only where `cpuid` says that the system saves the registers.
        F::XSAVE => Class::Harmless,
        _ => Class::Extension,
    }
}
