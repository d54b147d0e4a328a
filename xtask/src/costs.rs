//! What Brawn itself costs: writing an overlay, linking through its driver, starting, and bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use brawn_measure::{Figure, Outcome, Session, Summary, Table, Variant, format};

use crate::report::Section;
use crate::three_ways::ThreeWays;
use crate::workshop::{Workshop, measure, size, step};
use crate::{demo, leptosfmt};

/// All of them, in the order of the issue that set their limits.
pub fn sections(workshop: &Workshop, blocks: usize) -> Result<Vec<Section>> {
    Ok(vec![overlay(workshop, blocks)?, link(workshop, blocks)?, start(workshop, blocks)?, growth(workshop)?])
}

/// `brawn libc` with an empty cache and with a full one.
fn overlay(workshop: &Workshop, blocks: usize) -> Result<Section> {
    let cache = |name: &str| workshop.folder.join("overlay").join(name);
    // Named by its path, as a link finds it: asking rustc where it is costs more than the overlay.
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().context("cannot run rustc")?;
    let sysroot = String::from_utf8(sysroot.stdout).context("rustc's folder is not UTF-8")?;
    let libc = format!("{}/lib/rustlib/{target}/lib/self-contained/libc.a", sysroot.trim());
    let variants = ["cold", "cached"].map(|name| {
        Variant::new(name, &workshop.brawn)
            .args(["libc", "--json", "--target", target.as_str(), "--from", &libc])
            .env("XDG_CACHE_HOME", cache(name))
    });
    let outcome = measure("brawn libc", &Session::new(blocks * 3), &variants, |variant| {
        if variant.name == "cold" {
            let _ = fs_err::remove_dir_all(cache("cold"));
        }
    })?;
    Ok(Section {
        title: "An overlay".into(),
        note: "`brawn libc --json --from LIBC_A`: the Rust toolchain's `libc.a`, with an empty cache and from the cache."
            .into(),
        table: times(&outcome, "overlay")?,
        outcomes: vec![outcome.into()],
        figures: BTreeMap::new(),
    })
}

/// One C object, linked by `musl-gcc` and by `brawn cc`, which calls the same linker.
fn link(workshop: &Workshop, blocks: usize) -> Result<Section> {
    let source = workshop.repository.join("examples/hello-c/hello.c");
    let object = workshop.folder.join("hello.o");
    let compile = &mut Command::new("musl-gcc");
    step("musl-gcc -c hello.c", compile.args(["-O2", "-c", "-o"]).args([&object, &source])).context(
        "the link through the driver is compared with one by musl-gcc, which scripts/setup installs as root",
    )?;
    let output = |name: &str| workshop.folder.join(format!("hello-{name}"));
    let variants = [
        Variant::new("musl-gcc", "musl-gcc").args(["-static", "-o"]).arg(output("musl-gcc")).arg(&object),
        Variant::new("brawn cc", &workshop.brawn)
            .args(["-q", "cc", "-static", "-o"])
            .arg(output("brawn"))
            .arg(&object)
            .env("XDG_CACHE_HOME", workshop.folder.join("cache")),
    ];
    let outcome = measure("one link", &Session::new(blocks * 3), &variants, |_| {})?;
    let wall = |index: usize| Figure::Wall.values(&outcome.measured[index]).unwrap_or_default();
    let added: Vec<f64> = wall(1).iter().zip(wall(0)).map(|(with, without)| with - without).collect();
    let added = Summary::of(&added).context("no samples")?;
    Ok(Section {
        title: "A link through the driver".into(),
        note: format!(
            "One object of C, `-static`. Through the driver: {} more, the median of the differences within each round \
             (95 % interval {} to {}).",
            format::seconds(added.median),
            format::seconds(added.low),
            format::seconds(added.high)
        ),
        table: times(&outcome, "link by")?,
        figures: BTreeMap::from([("added_seconds".into(), added.median)]),
        outcomes: vec![outcome.into()],
    })
}

/// The released `brawn` starting, and its weight.
fn start(workshop: &Workshop, blocks: usize) -> Result<Section> {
    let variants = [Variant::new("brawn --version", &workshop.brawn).arg("--version")];
    let outcome = measure("brawn --version", &Session::new(blocks * 5), &variants, |_| {})?;
    let bytes = size(&workshop.brawn)?;
    Ok(Section {
        title: "Brawn itself".into(),
        note: format!(
            "The released `brawn`, a static executable of its own making, weighs {}.",
            format::bytes(bytes)
        ),
        table: times(&outcome, "start")?,
        outcomes: vec![outcome.into()],
        figures: BTreeMap::from([("brawn_bytes".into(), bytes)]),
    })
}

/// How much larger an executable gets than with stock musl.
fn growth(workshop: &Workshop) -> Result<Section> {
    let mut table = Table::new(["executable", "glibc (dynamic)", "stock musl", "Brawn", "Brawn adds"]);
    let mut figures = BTreeMap::new();
    let hello = workshop.repository.join("examples/hello-rust/Cargo.toml");
    let programs = [
        ("hello, Rust", cargo_package(workshop, "hello-rust", &hello)?),
        ("leptosfmt", leptosfmt::build(workshop)?),
        ("hello, C", hello_c(workshop)?),
    ];
    for (name, made) in programs {
        let (glibc, stock, brawn) = (size(&made.glibc)?, size(&made.stock)?, size(&made.brawn)?);
        figures.insert(format!("{name}: stock bytes"), stock);
        figures.insert(format!("{name}: brawn bytes"), brawn);
        table.row([
            name.to_owned(),
            format::bytes(glibc),
            format::bytes(stock),
            format::bytes(brawn),
            format::bytes(brawn - stock),
        ]);
    }
    Ok(Section {
        title: "Size of executables".into(),
        note: "Whole files, as built in release mode.".into(),
        table,
        outcomes: Vec::new(),
        figures,
    })
}

/// A package that stands alone in the repository, built three ways.
fn cargo_package(workshop: &Workshop, name: &str, manifest: &Path) -> Result<ThreeWays> {
    ThreeWays::build(workshop, name, |command, slot| {
        command.args(["build", "--quiet", "--locked", "--release", "--manifest-path"]).arg(manifest);
        slot.release.join(name)
    })
}

fn hello_c(workshop: &Workshop) -> Result<ThreeWays> {
    let source = workshop.repository.join("examples/hello-c/hello.c");
    let compile = |name: &str, mut command: Command, arguments: &[&str]| -> Result<PathBuf> {
        let made = workshop.folder.join(format!("hello-c-{name}"));
        command.args(arguments).args(["-O2", "-s", "-o"]).args([&made, &source]);
        step(&format!("hello.c with {name}"), &mut command)?;
        workshop.keep(&made, &format!("hello-c-{name}"))
    };
    Ok(ThreeWays {
        glibc: compile("glibc", Command::new("cc"), &[])?,
        stock: compile("stock", Command::new("musl-gcc"), &["-static"])?,
        brawn: compile("brawn", workshop.brawn(), &["cc", "-static"])?,
    })
}

fn times(outcome: &Outcome, title: &str) -> Result<Table> {
    let mut table = Table::new([title, "time", "range", "CPU", "peak memory"]);
    for measured in &outcome.measured {
        table.row([measured.variant.name.clone()].into_iter().chain(demo::figures(measured)?));
    }
    Ok(table)
}
