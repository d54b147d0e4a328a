//! The levels of x86-64.

use serde::{Deserialize, Serialize};

/// A level of x86-64 as compilers name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum CpuLevel {
    /// Every 64-bit processor.
    #[serde(rename = "x86-64")]
    V1,
    /// SSE4.2 and POPCNT: since about 2009.
    #[serde(rename = "x86-64-v2")]
    V2,
    /// AVX2, BMI and FMA: since about 2013.
    #[serde(rename = "x86-64-v3")]
    V3,
    /// The first AVX-512 extensions.
    #[serde(rename = "x86-64-v4")]
    V4,
}

impl CpuLevel {
    /// The name that compilers take for `-march` and `target-cpu`.
    pub const fn name(self) -> &'static str {
        match self {
            CpuLevel::V1 => "x86-64",
            CpuLevel::V2 => "x86-64-v2",
            CpuLevel::V3 => "x86-64-v3",
            CpuLevel::V4 => "x86-64-v4",
        }
    }

    /// The level of the processor that this runs on, if it is an x86-64.
    #[cfg(target_arch = "x86_64")]
    pub fn host() -> Option<CpuLevel> {
        use std::is_x86_feature_detected as has;
        let v2 = has!("sse3") && has!("ssse3") && has!("sse4.1") && has!("sse4.2") && has!("popcnt");
        let v3 = v2
            && has!("avx")
            && has!("avx2")
            && has!("bmi1")
            && has!("bmi2")
            && has!("fma")
            && has!("f16c")
            && has!("lzcnt")
            && has!("movbe");
        let v4 = v3
            && has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        Some(match (v2, v3, v4) {
            (_, _, true) => CpuLevel::V4,
            (_, true, _) => CpuLevel::V3,
            (true, ..) => CpuLevel::V2,
            _ => CpuLevel::V1,
        })
    }

    /// The level of the processor that this runs on, if it is an x86-64.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn host() -> Option<CpuLevel> {
        None
    }
}
