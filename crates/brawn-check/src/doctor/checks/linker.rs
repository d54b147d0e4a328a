//! Is there a linker?

use brawn_elf::Arch;
use brawn_link::seam::default_linker;
use brawn_link::toolchain::{Rust, on_path};

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    const COST: &str = "nothing can be linked";
    const HINT: &str =
        "apt-get install gcc libc6-dev, or install Rust through rustup, whose rustc comes with rust-lld";
    let Some(arch) = Arch::host() else {
        return Finding::missing("none for this machine", COST, "use --target");
    };
    let Ok(rust) = Rust::find() else {
        return match on_path("cc") {
            Some(path) => Finding::good(path.display().to_string()),
            None => Finding::missing("none", COST, HINT),
        };
    };
    match default_linker(&rust, arch) {
        Ok(linker) => {
            let others = if rust.rust_lld().is_some() { "; rust-lld for other architectures" } else { "" };
            Finding::good(format!("{}{others}", linker.display()))
        }
        Err(error) => Finding::missing(error.to_string(), COST, HINT),
    }
}
