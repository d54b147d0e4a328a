//! What `brawn --version` says beside the version: where this executable came from, for whoever reads a report about it.

use std::sync::LazyLock;

use brawn_kit::ARCHES;

/// Who built it. `scripts/release` says `release COMMIT`; a distribution sets `BRAWN_ORIGIN` to its own name and revision.
const ORIGIN: &str = match option_env!("BRAWN_ORIGIN") {
    Some(origin) if !origin.is_empty() => origin,
    _ => "source",
};

/// The version, and a line with the origin, what it runs on, and what compiled the kit that it carries.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let libc = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
    let mut compilers: Vec<&str> = brawn_kit::allocators()
        .iter()
        .flat_map(|allocator| ARCHES.iter().filter_map(|arch| allocator.object(*arch)))
        .map(|object| object.compiler)
        .collect();
    compilers.sort_unstable();
    compilers.dedup();
    let arches: Vec<&str> = ARCHES.iter().map(|arch| arch.name()).collect();
    format!(
        "{}\n{ORIGIN}, {} {libc}, kit for {} by {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        arches.join(" and "),
        compilers.join(" and "),
    )
});
