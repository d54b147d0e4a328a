//! A small HTTP service with its pool of threads, scraped for a while: the real part of the suite `footprint`.

use std::time::Duration;

use brawn_measure::results::Published;
use brawn_measure::service::free_port;
use brawn_measure::{Ready, Service, Variant};

use super::server;
use crate::workshop::Package;
use crate::{Case, Context, Error, Figure, Prepared, Programs, RowSpec};

/// What the suite needs for it.
pub const NEEDS: &str = "nothing; for the exporter: the crates of its lock file, from the crate registry";

const PACKAGE: Package<'_> = Package {
    name: "brawn-exporter",
    files: &[
        ("Cargo.toml", include_str!("../../workloads/exporter/manifest.toml")),
        ("Cargo.lock", include_str!("../../workloads/exporter/manifest.lock")),
        ("src/main.rs", include_str!("../../workloads/exporter/src/main.rs")),
        ("src/collect.rs", include_str!("../../workloads/exporter/src/collect.rs")),
    ],
};

/// Threads of the pool: one for each core of the nodes that Denev measured.
const THREADS: &[usize] = &[4, 12, 32, 40];
/// Pods that the exporter reports on: some 400 figures in 40 KB.
const PODS: &str = "100";
/// How long it is scraped in a run, in seconds.
const SECONDS: &str = "2";

/// Its cases, one for each number of threads. `theirs` is what others published for so many threads.
pub fn cases(
    context: &Context<'_>,
    prepared: &mut Prepared,
    theirs: impl Fn(usize) -> Vec<Published>,
) -> Result<Vec<Case>, Error> {
    let options = context.options;
    let mut threads = options.thread_counts(&[], THREADS);
    threads.retain(|&threads| options.wants(&name(threads)));
    if options.quick || options.own_only || threads.is_empty() {
        return Ok(Vec::new());
    }
    let programs = context.workshop.package(&PACKAGE, context.flavours)?;
    prepared.note_missing(&programs);
    threads.into_iter().map(|threads| case(context, &programs, threads, theirs(threads))).collect()
}

fn name(threads: usize) -> String {
    format!("exporter, threads={threads}")
}

/// One pool size. As many connections as threads, so that all of them have something to do.
fn case(
    context: &Context<'_>,
    programs: &Programs,
    threads: usize,
    theirs: Vec<Published>,
) -> Result<Case, Error> {
    let (port, count) = (free_port()?, threads.to_string());
    let client = Variant::new("client", server::client(context.workshop)?).args([
        "scrape",
        &port.to_string(),
        &count,
        SECONDS,
    ]);
    let service = Service::new(Ready::port(port), client).idle(Duration::from_secs(1));
    let variants =
        programs.variants(|variant| variant.args([&port.to_string(), &count, PODS]).service(service.clone()));
    let x = threads as f64;
    let [peak, idle] = server::memory(None);
    Ok(Case::new(name(threads), variants)
        .watch([Figure::metric("requests_per_second")])
        .row(RowSpec::rate("requests_per_second").at("exporter: rate", x, "threads"))
        .row(peak.at("exporter: peak memory", x, "threads"))
        .row(idle.at("exporter: idle memory", x, "threads").published(theirs)))
}
