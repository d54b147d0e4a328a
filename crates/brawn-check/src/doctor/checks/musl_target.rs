//! Does the Rust toolchain have the musl targets?

use brawn_elf::Arch;
use brawn_link::toolchain::Rust;

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    let Some(own) = Arch::host() else {
        let cost = "there is no kit for it: say --target for an architecture that Brawn knows";
        return Finding::missing(format!("this machine is {}", std::env::consts::ARCH), cost, "use --target");
    };
    let triple = own.musl_triple();
    let targets = Rust::find().map(|rust| rust.musl_targets()).unwrap_or_default();
    let found: Vec<&str> = targets.iter().map(|arch| arch.musl_triple()).collect();
    let others = brawn_kit::ARCHES.iter().filter(|arch| !targets.contains(arch));
    let others: Vec<&str> = others.map(|arch| arch.musl_triple()).collect();
    if !targets.contains(&own) {
        let cost = "no Rust package can be built for this machine";
        return Finding::missing(format!("no {triple}"), cost, format!("rustup target add {triple}"));
    }
    if others.is_empty() {
        return Finding::good(found.join(", "));
    }
    let cost = "Rust packages can be built for this machine's architecture only";
    Finding::limited(found.join(", "), cost, format!("rustup target add {}", others.join(" ")))
}
