//! The levels of x86-64.

use serde::{Deserialize, Serialize};

brawn_base::named! {
    /// A level of x86-64 as compilers name them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum CpuLevel {
        /// Every 64-bit processor.
        #[serde(rename = "x86-64")]
        V1 = "x86-64",
        /// SSE4.2 and POPCNT: since about 2009.
        #[serde(rename = "x86-64-v2")]
        V2 = "x86-64-v2",
        /// AVX2, BMI and FMA: since about 2013.
        #[serde(rename = "x86-64-v3")]
        V3 = "x86-64-v3",
        /// The first AVX-512 extensions.
        #[serde(rename = "x86-64-v4")]
        V4 = "x86-64-v4",
    }
}

impl CpuLevel {
    /// The level of the processor that this runs on, if it is an x86-64.
    pub fn host() -> Option<CpuLevel> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            let v2 = has!("sse3") && has!("ssse3") && has!("sse4.1") && has!("sse4.2") && has!("popcnt");
            let avx = has!("avx") && has!("avx2") && has!("fma") && has!("f16c");
            let v3 = v2 && avx && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("movbe");
            let bits = has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
            let v4 = v3 && has!("avx512f") && bits;
            let passed = [v2, v3, v4].into_iter().filter(|passed| *passed).count();
            Some(CpuLevel::ALL[passed])
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}
