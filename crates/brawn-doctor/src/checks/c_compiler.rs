//! Is there a C compiler for musl?

use brawn_driver::cc::Backend;

use super::host;
use crate::Finding;

pub(super) const NAME: &str = "c-compiler";

pub(super) fn look() -> Finding {
    const COST: &str = "no C can be compiled: `brawn cc` does not work, nor do Rust packages with C in them";
    const MEND: &str = "apt-get install musl-tools, or without root: pip install ziglang";
    let Some((arch, _)) = host() else {
        return Finding::missing(NAME, "none for this machine", COST, MEND);
    };
    match Backend::find(arch) {
        Ok(backend) => Finding::good(NAME, backend.command().join(" ")),
        Err(error) => Finding::missing(NAME, error.to_string(), COST, MEND),
    }
}
