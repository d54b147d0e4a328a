//! What the suites with servers share.

use std::path::PathBuf;

use brawn_measure::results::{Better, Kind};

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
    let idle = RowSpec::metric("idle_bytes", Kind::Memory, "bytes", Better::Lower).named("idle memory");
    let [peak, idle] = [(RowSpec::new(Figure::Peak), "peak memory"), (idle, "idle memory")].map(
        |(row, series)| match place {
            Some((x, label)) => row.at(series, x, label),
            None => row,
        },
    );
    [peak, idle]
}

/// Whether there is a C compiler for musl, and for glibc where the Rust toolchain is for that.
pub fn c_compilers(workshop: &Workshop) -> Result<(), Error> {
    workshop.musl_cc()?;
    if workshop.glibc_triple().is_ok() {
        workshop.glibc_cc()?;
    }
    Ok(())
}
