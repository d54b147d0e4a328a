//! Reads x86-64 code, one instruction after the other.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use iced_x86::{Code, Decoder, DecoderOptions, EncodingKind, Instruction};

use super::CpuLevel;
use super::functions::Functions;
use super::levels::{Class, class};

/// What was seen.
#[derive(Debug)]
pub(super) struct Seen {
    pub highest: CpuLevel,
    /// Whether there is a `cpuid`.
    pub asks: bool,
    /// Functions with an instruction above the baseline.
    pub above_baseline: u64,
    /// Whether there is one outside all functions that are known.
    pub above_in_gaps: bool,
    /// Functions with vector code in the old encoding, in AVX's, and in that of AVX-512.
    pub legacy_vector: u64,
    pub vex: u64,
    pub evex: u64,
    pub extensions: BTreeSet<String>,
}

/// What is known about an instruction, worked out once for each of the thousands that there are.
#[derive(Clone, Copy)]
struct Fact {
    level: CpuLevel,
    /// Belongs to an extension that is in no level.
    extension: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    LegacyVector,
    Vex,
    Evex,
    Asks,
}

static FACTS: LazyLock<Vec<Fact>> = LazyLock::new(|| Code::values().map(fact).collect());

fn fact(code: Code) -> Fact {
    use iced_x86::CpuidFeature as F;
    let mut level = CpuLevel::V1;
    let mut extension = false;
    let features = code.cpuid_features();
    for feature in features {
        match class(*feature) {
            Class::Level(of) => level = level.max(of),
            Class::Harmless => {}
            Class::Extension => extension = true,
        }
    }
    let vector = features.iter().any(|feature| matches!(feature, F::SSE | F::SSE2 | F::AVX | F::AVX2));
    let kind = match (code, code.encoding()) {
        (Code::Cpuid, _) => Kind::Asks,
        (_, EncodingKind::EVEX) => Kind::Evex,
        (_, EncodingKind::VEX) if vector => Kind::Vex,
        (_, EncodingKind::Legacy) if vector => Kind::LegacyVector,
        _ => Kind::Plain,
    };
    // Written for `bsf` by every compiler, because older processors take it for that.
    let tzcnt = matches!(code, Code::Tzcnt_r16_rm16 | Code::Tzcnt_r32_rm32 | Code::Tzcnt_r64_rm64);
    if tzcnt {
        return Fact { level: CpuLevel::V1, extension: false, kind: Kind::Plain };
    }
    Fact { level, extension, kind }
}

/// Reads every function.
pub(super) fn read(functions: &Functions<'_>) -> Seen {
    let facts = &*FACTS;
    let mut seen = Seen {
        highest: CpuLevel::V1,
        asks: false,
        above_baseline: 0,
        above_in_gaps: false,
        legacy_vector: 0,
        vex: 0,
        evex: 0,
        extensions: BTreeSet::new(),
    };
    let mut instruction = Instruction::default();
    let mut of_extensions: BTreeSet<u16> = BTreeSet::new();
    let known = functions.known.iter().map(|piece| (piece, true));
    let gaps = functions.gaps.iter().map(|piece| (piece, false));
    for ((address, code), is_known) in known.chain(gaps) {
        let mut decoder = Decoder::with_ip(64, code, *address, DecoderOptions::NONE);
        let mut level = CpuLevel::V1;
        let (mut legacy, mut vex, mut evex) = (false, false, false);
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let code = instruction.code() as usize;
            let fact = facts[code];
            level = level.max(fact.level);
            match fact.kind {
                Kind::Plain => {}
                Kind::LegacyVector => legacy = true,
                Kind::Vex => vex = true,
                Kind::Evex => evex = true,
                Kind::Asks => seen.asks = true,
            }
            if fact.extension && is_known {
                of_extensions.insert(code as u16);
            }
        }
        if !is_known {
            // Data taken for code may look like anything.
            seen.above_in_gaps |= level > CpuLevel::V1;
            continue;
        }
        seen.highest = seen.highest.max(level);
        seen.above_baseline += u64::from(level > CpuLevel::V1);
        // A function with both is counted as the newer: it chooses, or moves between the two.
        seen.evex += u64::from(evex);
        seen.vex += u64::from(vex || evex);
        seen.legacy_vector += u64::from(legacy && !vex && !evex);
    }
    // There are thousands of codes, and as a rule none of these.
    for code in of_extensions.iter().filter_map(|code| Code::try_from(usize::from(*code)).ok()) {
        let features = code.cpuid_features().iter().filter(|feature| class(**feature) == Class::Extension);
        seen.extensions.extend(features.map(|feature| format!("{feature:?}")));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(code: &[u8]) -> (CpuLevel, u64) {
        let functions = Functions { known: vec![(0x1000, code)], gaps: Vec::new() };
        let seen = read(&functions);
        (seen.highest, seen.above_baseline)
    }

    #[test]
    fn instructions_have_their_levels() {
        let cases: [(&[u8], CpuLevel); 8] = [
            (&[0x48, 0x89, 0xc3], CpuLevel::V1),                   // mov rbx, rax
            (&[0x0f, 0x57, 0xc0], CpuLevel::V1),                   // xorps xmm0, xmm0
            (&[0xf3, 0x0f, 0x1e, 0xfa], CpuLevel::V1),             // endbr64
            (&[0xf3, 0x0f, 0xbc, 0xc1], CpuLevel::V1),             // tzcnt, which is a bsf
            (&[0xf3, 0x48, 0x0f, 0xb8, 0xc1], CpuLevel::V2),       // popcnt
            (&[0xc5, 0xf8, 0x57, 0xc0], CpuLevel::V3),             // vxorps xmm
            (&[0xf3, 0x0f, 0xbd, 0xc1], CpuLevel::V3),             // lzcnt, which is no bsr
            (&[0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1], CpuLevel::V4), // vaddps zmm
        ];
        for (code, expected) in cases {
            assert_eq!(level(code), (expected, u64::from(expected > CpuLevel::V1)), "{code:x?}");
        }
    }

    #[test]
    fn extensions_are_named_and_are_no_level() {
        let aes = [0x66, 0x0f, 0x38, 0xdc, 0xc1];
        let functions = Functions { known: vec![(0, &aes[..])], gaps: Vec::new() };
        let seen = read(&functions);
        assert_eq!(seen.highest, CpuLevel::V1);
        assert_eq!(seen.extensions.into_iter().collect::<Vec<_>>(), ["AES"]);
    }
}
