//! What a service holds while it works, and when it is idle.

use std::time::Duration;

use brawn_measure::Variant;
use brawn_measure::results::{Better, Kind, Published};

use crate::bundle::{bundle, module};
use crate::{Case, Context, Error, Figure, Prepared, Programs, RowSpec, Suite, published};

const MAIN: &str = include_str!("../../workloads/footprint/main.rs");
const MODULES: &[(&str, &str)] = &[
    module!("common", "common.rs"),
    module!("churn", "footprint/churn.rs"),
    module!("pipeline", "footprint/pipeline.rs"),
    module!("requests", "footprint/requests.rs"),
];

/// Threads of the request mix: those of a fleet of nodes from 4 to 40 cores, and few.
const THREADS: &[usize] = &[1, 2, 4, 12, 24, 32, 40];
/// Producers, and as many consumers.
const PAIRS: &[usize] = &[1, 2, 8];
/// How long the cache lives, in seconds. The minute is run only when its case is asked for by name.
const CHURN_SECONDS: u64 = 10;
const LONG_CHURN_SECONDS: u64 = 60;
/// Its threads.
const CHURN_THREADS: usize = 2;

/// `footprint`
pub const SUITE: Suite = Suite {
    name: "footprint",
    title: "A service's footprint",
    about: "Requests (48 objects of 16 to 516 bytes, touched and freed; a buffer of 1 to 60 KiB that shrinks to 256 bytes \
         and is kept in a ring of 64; 2,000 requests a thread), blocks that one thread hands to another, and a cache whose \
         entries change their sizes. The rate, the peak, and what is resident one second after the work, with all \
         threads alive and waiting: resident pages less those offered back to the kernel, and of these the part that is \
         not a file, because a dynamic executable shares its libc.so with other processes. After Denev's DaemonSet.",
    needs: super::exporter::NEEDS,
    quick: true,
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let (programs, mut prepared) = context.rust("footprint", &bundle(MAIN, MODULES))?;
    let options = context.options;
    let threads = options.thread_counts(&[4], THREADS);
    // A second of every run is spent idle.
    prepared.cases.extend(threads.into_iter().map(|threads| requests(&programs, threads).share(2.0)));
    if options.quick {
        return Ok(prepared);
    }
    prepared.cases.extend(PAIRS.iter().map(|&pairs| pipeline(&programs, pairs)));
    prepared.cases.push(churn(&programs, CHURN_SECONDS));
    // A minute for every variant, several times over, is more than anyone expects of a benchmark.
    let long = format!("churn={LONG_CHURN_SECONDS}s");
    if options.case.as_ref().is_some_and(|wanted| long.contains(wanted.as_str()) && wanted.contains('6')) {
        prepared.cases.push(churn(&programs, LONG_CHURN_SECONDS));
    }
    context.add(&mut prepared, "the exporter", |context, prepared| {
        super::exporter::cases(context, prepared, theirs)
    })?;
    Ok(prepared)
}

fn requests(programs: &Programs, threads: usize) -> Case {
    let variants = programs.variants(|variant| variant.arg("requests").arg(threads.to_string()));
    let place = Some((threads as f64, "threads"));
    let name = format!("requests, threads={threads}");
    case(name, variants, "requests_per_second", "requests", place, theirs(threads))
}

fn pipeline(programs: &Programs, pairs: usize) -> Case {
    let variants = programs.variants(|variant| variant.arg("pipeline").arg(pairs.to_string()));
    let place = Some((pairs as f64, "producers"));
    case(format!("pipeline, {pairs}+{pairs}"), variants, "blocks_per_second", "pipeline", place, Vec::new())
}

fn churn(programs: &Programs, seconds: u64) -> Case {
    let variants = programs
        .variants(|variant| variant.arg("churn").arg(seconds.to_string()).arg(CHURN_THREADS.to_string()));
    case(format!("churn={seconds}s"), variants, "replacements_per_second", "churn", None, Vec::new())
        .row(RowSpec::metric("live_bytes", Kind::Other, "bytes", Better::Lower).named("alive in the cache"))
        .session(|session| {
            let mut session = session.blocks_between(3, 5);
            session.timeline = Some(Duration::from_millis(50));
            // What it prints is checked in the counted runs as well, and a run is long enough to warm itself up.
            session.warmup_blocks = 0;
            session
        })
}

/// Rate, peak and idle memory of one piece of work, on curves where it has a `place`.
fn case(
    name: String,
    variants: Vec<Variant>,
    rate: &str,
    series: &str,
    place: Option<(f64, &str)>,
    published: Vec<Published>,
) -> Case {
    let on = |row: RowSpec, figure: &str| row.on(format!("{series}: {figure}"), place);
    let idle = RowSpec::memory("idle_bytes", "idle memory").published(published);
    let anonymous = RowSpec::memory("idle_anonymous_bytes", "idle memory without files");
    Case::new(name, variants)
        .watch([Figure::metric(rate)])
        .row(on(RowSpec::rate(rate), "rate"))
        .row(on(RowSpec::new(Figure::Peak), "peak memory"))
        .row(on(idle, "idle memory"))
        .row(on(anonymous, "idle memory without files"))
}

/// What Denev's service held on a node with so many cores, with each allocator.
fn theirs(cores: usize) -> Vec<Published> {
    let rows = published::DENEV.rows().into_iter().map(|node| published::DENEV.row(node));
    rows.filter(|row| row.iter().any(|cell| cell.label == "cores" && cell.value == cores as f64))
        .flatten()
        .filter(|cell| cell.label != "cores")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_of_the_fleet_stands_at_its_thread_count() {
        let cells: usize = THREADS.iter().map(|threads| theirs(*threads).len()).sum();
        assert_eq!(cells, 2 * published::DENEV.rows().len());
        assert!(theirs(4).iter().all(|cell| cell.label.ends_with("_mb") && cell.ratio.is_some()));
        assert!(theirs(3).is_empty());
    }
}
