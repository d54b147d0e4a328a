//! The loop of the field's blog posts: threads that do nothing but make small vectors.

use crate::{Case, Context, Error, Figure, Prepared, RowSpec, Suite, published};

/// The workload; the self-test of a machine's noise runs it, too.
pub(crate) const SOURCE: &str = include_str!("../../workloads/threads/threads.rs");

/// `threads`
pub const SUITE: Suite = Suite {
    name: "threads",
    title: "Threads that allocate",
    about: "The loop of the blog posts on slow musl: each of N threads makes 100,000 times `vec![1u8; counter % 1000 + 1]`. \
         Operations per second from the first thread's start to the last one's end.",
    quick: true,
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let (programs, mut prepared) = context.rust("threads", SOURCE)?;
    for threads in context.options.thread_counts(&[1, 4], &[1, 2, 4, 8, 16, 32]) {
        let variants = programs.variants(|variant| variant.arg(threads.to_string()));
        let rate = RowSpec::rate("operations_per_second").at("operations", threads as f64, "threads");
        // Published for this number of threads only, and without glibc.
        let rate = match threads {
            32 => rate.published(published::VEC_LOOP.column("operations_per_second")),
            _ => rate,
        };
        let memory = RowSpec::new(Figure::Peak).at("peak memory", threads as f64, "threads");
        prepared.cases.push(
            Case::new(format!("threads={threads}"), variants)
                .watch([Figure::metric("operations_per_second")])
                .row(rate)
                .row(RowSpec::new(Figure::Cpu))
                .row(memory),
        );
    }
    Ok(prepared)
}
