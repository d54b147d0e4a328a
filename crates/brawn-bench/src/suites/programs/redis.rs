//! A store of small values in memory, under the load of its own benchmark.

use std::time::Duration;

use brawn_measure::service::free_port;
use brawn_measure::{Ready, Service, Variant};

use crate::suites::server;
use crate::workshop::{Made, Origin, Source};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec};

const SOURCE: Source = Source {
    file: "redis_7.0.15.orig.tar.gz",
    sha256: "4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982",
    origin: Origin::Debian("redis"),
};

const SERVER: Made<'_> = Made {
    name: "redis-server",
    source: &SOURCE,
    commands: &[&["make", "-j{jobs}", "MALLOC=libc", "CC={cc}", "redis-server"]],
    files: &[],
    executable: "src/redis-server",
};

const BENCHMARK: Made<'_> = Made {
    name: "redis-benchmark",
    commands: &[&["make", "-j{jobs}", "MALLOC=libc", "CC={cc}", "redis-benchmark"]],
    executable: "src/redis-benchmark",
    ..SERVER
};

/// The commands that are measured, in the benchmark's spelling.
const TESTS: &str = "set,get,incr,lpush,lrange_100,sadd,hset,spop,zadd,mset";
/// The figures that become rows of their own, beside the one over all commands.
const SHOWN: &[&str] = &["set", "get", "lpush", "hset", "zadd", "lrange_100"];

/// Requests of each command, and how many clients send how many at a time.
const REQUESTS: &str = "50000";
const LOAD: &[&str] = &["-c", "50", "-P", "16", "-d", "200", "-r", "100000"];

pub fn cases(context: &Context<'_>, prepared: &mut Prepared) -> Result<Vec<Case>, Error> {
    let workshop = context.workshop;
    let client = server::client(workshop)?;
    let programs = workshop.made(&SERVER, context.flavours)?;
    prepared.note_missing(&programs);
    prepared.versions.insert("redis".into(), "7.0.15".into());
    // The same load whatever is measured: with the first variant's libc.
    let benchmark = workshop.made(&BENCHMARK, &context.flavours[..1])?;
    let benchmark = &benchmark.each.first().expect("a list without a program is an error").1;

    let port = free_port()?.to_string();
    let client = Variant::new("client", client)
        .args(["redis", &port, REQUESTS])
        .arg(benchmark)
        .args(["-p", &port, "-n", REQUESTS, "--csv", "-t", TESTS])
        .args(LOAD);
    let service = Service::new(Ready::port(port.parse().expect("a port's number")), client)
        .idle(Duration::from_secs(1));
    let variants = programs.variants(|variant| {
        variant
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .service(service.clone())
    });
    let case = Case::new("redis", variants)
        .watch([Figure::metric("operations_per_second")])
        .share(3.0)
        .row(RowSpec::rate("operations_per_second"))
        .rows(SHOWN.iter().map(|name| RowSpec::rate(&format!("{name}_per_second"))))
        .rows(server::memory(None));
    Ok(vec![case])
}
