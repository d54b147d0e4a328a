//! A small HTTP service with its pool of threads, scraped for a while: the real part of the suite `footprint`.

use std::time::Duration;

use brawn_measure::results::{Better, Kind, Published};
use brawn_measure::service::free_port;
use brawn_measure::{Client, Ready, Service};

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

/// Adds its cases, one for each number of threads, or a note where its crates cannot be had. `theirs` is what others
/// published for so many threads.
///
/// # Errors
/// Whatever is no matter of something that is missing.
pub fn add(
    context: &Context<'_>,
    prepared: &mut Prepared,
    theirs: impl Fn(usize) -> Vec<Published>,
) -> Result<(), Error> {
    if context.options.quick || context.options.own_only {
        return Ok(());
    }
    let threads = context.options.thread_counts(&[], THREADS);
    let wanted: Vec<usize> = threads
        .into_iter()
        .filter(|&threads| {
            context.options.case.as_ref().is_none_or(|text| name(threads).contains(text.as_str()))
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    match context.workshop.package(&PACKAGE, context.flavours) {
        Ok(programs) => {
            prepared.note_missing(&programs);
            for threads in wanted {
                prepared.cases.push(case(context, &programs, threads, SECONDS, theirs(threads))?);
            }
            Ok(())
        }
        Err(Error::Absent { reason, hint }) => {
            let note = format!("the exporter is left out: {reason} ({hint})");
            context.workshop.say(&note);
            prepared.notes.push(note);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn name(threads: usize) -> String {
    format!("exporter, threads={threads}")
}

/// One pool size. As many connections as threads, so that all of them have something to do.
fn case(
    context: &Context<'_>,
    programs: &Programs,
    threads: usize,
    seconds: &str,
    theirs: Vec<Published>,
) -> Result<Case, Error> {
    let (port, count) = (free_port()?, threads.to_string());
    let client =
        Client::new(server::client(context.workshop)?).args(["scrape", &port.to_string(), &count, seconds]);
    let service = Service::new(Ready::port(port), client).idle(Duration::from_secs(1));
    let variants =
        programs.variants(|variant| variant.args([&port.to_string(), &count, PODS]).service(service.clone()));
    let place = (threads as f64, "threads");
    let [peak, idle] = server::memory(None);
    Ok(Case::new(name(threads), variants)
        .watch([Figure::metric("requests_per_second")])
        .row(RowSpec::metric("requests_per_second", Kind::Time, "/s", Better::Higher).named("requests").at(
            "exporter: rate",
            place.0,
            place.1,
        ))
        .row(peak.at("exporter: peak memory", place.0, place.1))
        .row(idle.at("exporter: idle memory", place.0, place.1).published(theirs)))
}
