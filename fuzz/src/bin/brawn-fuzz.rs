//! One target under LLVM's libFuzzer: `BRAWN_FUZZ=TARGET brawn-fuzz CORPUS [-runs=N …]`, as `make fuzz` does it. The seeds are
//! written into the folder that `BRAWN_FUZZ_SEEDS` names before libFuzzer reads it.
#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use brawn_fuzz::{TARGETS, Target, limits};

static TARGET: OnceLock<&Target> = OnceLock::new();

unsafe extern "C" {
    safe fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
}

extern "C" fn report() {
    eprintln!("peak memory of all executions: {} KiB", limits::peak() >> 10);
}

fn choose() -> &'static Target {
    let name = std::env::var("BRAWN_FUZZ").unwrap_or_default();
    let target = Target::named(&name).unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        panic!("BRAWN_FUZZ names the target: one of {}", names.join(", "))
    });
    if let Some(folder) = std::env::var_os("BRAWN_FUZZ_SEEDS") {
        for (index, seed) in (target.seeds)().iter().enumerate() {
            fs_err::write(Path::new(&folder).join(format!("seed-{index}")), seed)
                .expect("the folder is there");
        }
    }
    target
}

libfuzzer_sys::fuzz_target!(
    init: {
        TARGET.get_or_init(choose);
        atexit(report);
    },
    |data: &[u8]| {
        TARGET.get_or_init(choose).run(data);
    }
);
