//! What the suites with servers share.

use std::path::PathBuf;

use crate::{Error, Figure, Flavour, RowSpec, Workshop};

const CLIENT: &str = include_str!("../../workloads/client/client.rs");

/// The program that uses servers and checks their answers, the same for every variant: with glibc where there is one.
pub fn client(workshop: &Workshop) -> Result<PathBuf, Error> {
    let build = |name: &str| {
        let flavours = Flavour::list([name])?;
        let programs = workshop.rust_program("client", CLIENT, &flavours)?;
        Ok(programs.each.into_iter().next().expect("a list without a program is an error").1)
    };
    match build("glibc") {
        Err(Error::Absent { .. }) => build("stock"),
        other => other,
    }
}

/// Peak and idle memory, on curves where there is a place on them.
pub fn memory(place: Option<(f64, &str)>) -> [RowSpec; 2] {
    [
        RowSpec::new(Figure::Peak).on("peak memory", place),
        RowSpec::memory("idle_bytes", "idle memory").on("idle memory", place),
    ]
}

/// Whether there is a C compiler for musl, and for glibc where the Rust toolchain is for that.
pub fn c_compilers(workshop: &Workshop) -> Result<(), Error> {
    workshop.musl_cc()?;
    if workshop.glibc_triple().is_ok() {
        workshop.glibc_cc()?;
    }
    Ok(())
}
