//! Does the Rust toolchain have the musl targets?

use brawn_link::toolchain::Rust;

use super::machine::host;
use crate::doctor::Finding;

pub(super) const NAME: &str = "musl-target";

pub(super) fn look() -> Finding {
    let Some((own, triple)) = host() else {
        let cost = "there is no kit for it: say --target for an architecture that Brawn knows";
        return Finding::missing(
            NAME,
            format!("this machine is {}", std::env::consts::ARCH),
            cost,
            "use --target",
        );
    };
    let targets = Rust::find().map(|rust| rust.musl_targets()).unwrap_or_default();
    let found: Vec<&str> = targets.iter().map(|arch| arch.musl_triple()).collect();
    let others = brawn_kit::ARCHES.iter().filter(|arch| !targets.contains(arch));
    let others: Vec<&str> = others.map(|arch| arch.musl_triple()).collect();
    if !targets.contains(&own) {
        let cost = "no Rust package can be built for this machine";
        return Finding::missing(NAME, format!("no {triple}"), cost, format!("rustup target add {triple}"));
    }
    if others.is_empty() {
        return Finding::good(NAME, found.join(", "));
    }
    let cost = "Rust packages can be built for this machine's architecture only";
    Finding::limited(NAME, found.join(", "), cost, format!("rustup target add {}", others.join(" ")))
}
