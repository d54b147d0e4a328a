//! Programs that do nothing but allocate.

use brawn_measure::results::Published;

use crate::bundle::{bundle, module};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec, Suite, published};

const MAIN: &str = include_str!("../../workloads/malloc/main.rs");
const MODULES: &[(&str, &str)] = &[
    module!("common", "common.rs"),
    module!("alloc_test", "malloc/alloc_test.rs"),
    module!("barnes", "malloc/barnes.rs"),
    module!("cache", "malloc/cache.rs"),
    module!("glibc", "malloc/glibc.rs"),
    module!("larson", "malloc/larson.rs"),
    module!("microquill", "malloc/microquill.rs"),
    module!("mstress", "malloc/mstress.rs"),
    module!("xmalloc", "malloc/xmalloc.rs"),
];

/// One of the programs: its name, the thread counts that the field runs it with, and whether `--threads` changes them.
struct Test {
    name: &'static str,
    threads: &'static [usize],
    /// Work for `quick`, and with how many threads; none when it has no part in that.
    quick: Option<(usize, &'static str)>,
}

const TESTS: &[Test] = &[
    Test { name: "alloc-test", threads: &[1, 4], quick: Some((1, "2000000")) },
    Test { name: "cache-scratch", threads: &[1, 4, 16], quick: None },
    Test { name: "cache-thrash", threads: &[1, 4, 16], quick: None },
    Test { name: "mstress", threads: &[1, 4, 16], quick: Some((4, "500000")) },
    Test { name: "larson", threads: &[1, 4, 16], quick: Some((4, "500000")) },
    Test { name: "xmalloc", threads: &[1, 4, 16], quick: None },
    Test { name: "sh6", threads: &[1, 4], quick: None },
    Test { name: "sh8", threads: &[4, 16], quick: None },
    Test { name: "glibc-simple", threads: &[1], quick: None },
    Test { name: "glibc-thread", threads: &[1, 4, 16], quick: None },
    Test { name: "barnes", threads: &[1], quick: None },
];

/// `malloc`
pub const SUITE: Suite = Suite {
    name: "malloc",
    title: "Allocators",
    about: "Our own programs with the behaviour of the ones that the field compares allocators by: alloc-test, \
         cache-scratch, cache-thrash, mstress, larson, xmalloc, sh6 and sh8, glibc's two loops, and an N-body tree. \
         Operations per second from the first thread's start to the last one's end, the same work in all whatever the \
         number of threads; peak memory, and memory at the end. Every block is checked for what was written to it. And \
         real programs where their sources can be had: lua, redis under its own benchmark, and the logic minimiser espresso.",
    needs: super::programs::NEEDS,
    quick: true,
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let (programs, mut prepared) = context.rust("malloc", &bundle(MAIN, MODULES))?;
    for test in TESTS {
        let (counts, operations) = match test.quick {
            Some((threads, operations)) if context.options.quick => (vec![threads], Some(operations)),
            None if context.options.quick => continue,
            _ => (context.options.thread_counts(&[], test.threads), None),
        };
        for threads in counts {
            let variants =
                programs.variants(|variant| variant.arg(test.name).arg(threads.to_string()).args(operations));
            prepared.cases.push(test.case(threads, variants));
        }
    }
    super::programs::add(context, &mut prepared)?;
    Ok(prepared)
}

impl Test {
    fn case(&self, threads: usize, variants: Vec<brawn_measure::Variant>) -> Case {
        let curve = |figure: &str| format!("{}: {figure}", self.name);
        let x = threads as f64;
        Case::new(format!("{}, threads={threads}", self.name), variants)
            .watch([Figure::metric("operations_per_second")])
            .row(
                RowSpec::rate("operations_per_second")
                    .at(curve("operations"), x, "threads")
                    .published(theirs(self.name, threads)),
            )
            .row(RowSpec::new(Figure::Peak).at(curve("peak memory"), x, "threads"))
            .row(RowSpec::new(Figure::Final).at(curve("memory at the end"), x, "threads"))
    }
}

/// The published table has a row for each number of threads, and is not sure how to write it.
fn theirs(name: &str, threads: usize) -> Vec<Published> {
    [format!("{name}-{threads}"), format!("{name}{threads}"), name.to_owned()]
        .iter()
        .map(|row| published::MALLOC.row(row))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_of_ours_is_found() {
        let ours =
            TESTS.iter().flat_map(|test| test.threads.iter().map(|threads| theirs(test.name, *threads)));
        let found = ours.filter(|rows| rows.iter().any(|row| row.ratio == Some(1.0))).count();
        // All but espresso, which is a real program and another suite's.
        assert_eq!(found, published::MALLOC.rows().len() - 1);
    }
}
