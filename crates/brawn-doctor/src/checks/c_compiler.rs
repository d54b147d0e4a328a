//! Is there a C compiler for musl?

use brawn_driver::cc::{Backend, Language};

use super::host;
use crate::Finding;

pub(super) const NAME: &str = "c-compiler";

pub(super) fn look() -> Finding {
    const COST: &str = "no C can be compiled: `brawn cc` does not work, nor do Rust packages with C in them";
    const MEND: &str = "apt-get install musl-tools, or without root: pip install ziglang";
    let Some((arch, _)) = host() else {
        return Finding::missing(NAME, "none for this machine", COST, MEND);
    };
    let c = match Backend::find(arch, Language::C) {
        Ok(backend) => backend.command().join(" "),
        Err(error) => return Finding::missing(NAME, error.to_string(), COST, MEND),
    };
    match Backend::find(arch, Language::Cxx) {
        Ok(backend) => Finding::good(NAME, format!("{c}; for C++: {}", backend.command().join(" "))),
        Err(error) => {
            let cost = "no C++ can be compiled: `brawn c++` does not work";
            Finding::limited(NAME, format!("{c}; {error}"), cost, "pip install ziglang")
        }
    }
}
