//! Does the kit fit into the libc.a that is there?

use std::path::PathBuf;

use brawn_elf::Arch;
use brawn_libc::Choice;
use brawn_libc::overlay::make;
use brawn_libc::patch::base_of;
use brawn_link::cc::{Backend, Language};
use brawn_link::toolchain::Rust;

use crate::doctor::Finding;

pub(super) fn look() -> Finding {
    let versions: Vec<String> = brawn_kit::allocators()
        .iter()
        .filter(|allocator| !allocator.name.contains("secure"))
        .map(|allocator| format!("{} {}", allocator.name, allocator.version))
        .collect();
    let arches: Vec<&str> = brawn_kit::ARCHES.iter().map(|arch| arch.name()).collect();
    let carried = format!("kit {} for {}: {}", brawn_kit::VERSION, arches.join(" and "), versions.join(", "));
    const COST: &str = "no executable with the kit's heap can be linked";
    if versions.is_empty() {
        return Finding::missing("it holds no allocator", COST, "build brawn again: make brawn");
    }
    let Some(arch) = Arch::host() else {
        return Finding::missing("none for this machine", COST, "use --target");
    };
    let triple = arch.musl_triple();
    let of_rust = Rust::find().ok().and_then(|rust| rust.self_contained(arch).ok());
    let of_rust = of_rust.map(|folder| folder.join("libc.a"));
    let of_system = || Backend::find(arch, Language::C).ok()?.system_libc().ok();
    let Some(libc): Option<PathBuf> = of_rust.or_else(of_system) else {
        let cost = "it has nothing to go into: there is no musl libc.a";
        return Finding::limited(carried, cost, format!("rustup target add {triple}"));
    };
    // The very thing that every link begins with, without the cache.
    let made = base_of(&libc).map_err(|error| error.to_string()).and_then(|base| {
        let data = brawn_base::file::archive(&base).map_err(|error| error.to_string())?;
        make(&base, &data, Some(arch), &Choice::default()).map_err(|error| error.to_string())
    });
    match made {
        Ok(made) => Finding::good(format!("{carried}; fits into {}", made.manifest.libc)),
        Err(error) => {
            Finding::missing(format!("{carried}; {error}"), COST, format!("rustup target add {triple}"))
        }
    }
}
