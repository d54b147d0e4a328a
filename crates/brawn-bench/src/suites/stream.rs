//! Memory bandwidth.

use brawn_measure::results::{Better, Kind};

use crate::bundle::{bundle, module};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec, Suite, published};

const MAIN: &str = include_str!("../../workloads/stream/main.rs");
const MODULES: &[(&str, &str)] = &[module!("common", "common.rs")];

/// The four loops: the workload's name for each, and that of the published table.
const KERNELS: &[(&str, &str)] = &[("copy", "Copy"), ("scale", "Scale"), ("add", "Add"), ("triad", "Triad")];

/// `stream`
pub const SUITE: Suite = Suite {
    name: "stream",
    title: "Memory bandwidth",
    about: "Copy, Scale, Add and Triad over three arrays of numbers, each four times the largest cache where memory allows \
         (all together take at most a quarter of it), in MB/s, the best of four passes; after McCalpin's STREAM. Only \
         Copy is the libc's work: compilers make a call of memcpy of that loop. The others show what the machine can do.",
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let (programs, mut prepared) = context.rust("stream", &bundle(MAIN, MODULES))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut usual = vec![1, cores];
    usual.dedup();
    for threads in context.options.thread_counts(&[1], &usual) {
        let variants = programs.variants(|variant| variant.arg(threads.to_string()));
        let rows = KERNELS.iter().map(|(name, theirs)| {
            let row = RowSpec::metric(name, Kind::Time, "MB/s", Better::Higher).at(
                *name,
                threads as f64,
                "threads",
            );
            // Theirs has as many threads as cores; the ratio between libcs is what can be compared.
            row.published(published::STREAM.row(theirs))
        });
        prepared.cases.push(
            Case::new(format!("threads={threads}"), variants)
                .watch([Figure::metric("copy")])
                .rows(rows)
                .share(3.0)
                // A run takes seconds and is a best of several already.
                .session(|session| session.blocks_between(3, 20)),
        );
    }
    Ok(prepared)
}
