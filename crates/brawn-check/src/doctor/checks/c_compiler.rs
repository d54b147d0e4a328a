//! Is there a C compiler for musl?

use brawn_elf::Arch;
use brawn_link::cc::{Backend, Language};
use brawn_link::toolchain::Rust;

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    const COST: &str = "no C can be compiled: `brawn cc` does not work, nor do Rust packages with C in them";
    const HINT: &str = "apt-get install musl-tools, or without root: pip install ziglang";
    const NEWER: &str = "zig has no mallocng since 0.16";
    let Some(arch) = Arch::host() else {
        return Finding::missing("none for this machine", COST, HINT);
    };
    let c = match Backend::find(arch, Language::C) {
        Ok(backend) => backend.command().join(" "),
        Err(error) => return Finding::missing(error.to_string(), COST, HINT),
    };
    match Backend::find(arch, Language::Cxx) {
        Ok(backend) => {
            let found = format!("{c}; for C++: {}", backend.command().join(" "));
            if backend.has_mallocng() {
                return Finding::good(found);
            }
            // The very libc.a that a link takes in its place.
            match Rust::find().and_then(|rust| rust.self_contained(arch)) {
                Ok(_) => Finding::good(format!(
                    "{found}; {NEWER}: hardened takes the Rust toolchain's libc.a there"
                )),
                Err(_) => Finding::limited(
                    format!("{found}; {NEWER}"),
                    "the preset hardened cannot be linked with zig",
                    format!("rustup target add {}, or pip install ziglang==0.15.2", arch.musl_triple()),
                ),
            }
        }
        Err(error) => {
            let cost = "no C++ can be compiled: `brawn c++` does not work";
            Finding::limited(
                format!("{c}; {error}"),
                cost,
                "pip install ziglang (0.15.2 where hardened shall do without Rust's musl target)",
            )
        }
    }
}
