//! Time of a call of the C library's string functions.

use brawn_measure::results::{Better, Kind, Published};

use crate::bundle::{bundle, module};
use crate::{Case, Context, Error, Figure, Prepared, RowSpec, Suite, published};

const MAIN: &str = include_str!("../../workloads/strings/main.rs");
const MODULES: &[(&str, &str)] = &[
    module!("common", "common.rs"),
    module!("functions", "strings/functions.rs"),
    module!("operands", "strings/operands.rs"),
];

/// The functions of the field's tables, in the order of the issue that they are quoted in.
pub const FUNCTIONS: &[&str] = &[
    "strlen",
    "strnlen",
    "wcslen",
    "wcsnlen",
    "memcmp",
    "memset",
    "memmove",
    "memmove_fw",
    "memmove_nop",
    "memcpy",
    "memcpy_r",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "strchr",
    "strrchr",
];
/// Their lengths, in characters.
pub const LENGTHS: &[usize] = &[36, 132, 4100];
/// The functions of the size curve, as the workload has them.
pub const CURVE: &[&str] = &[
    "memcpy",
    "memmove",
    "memmove_fw",
    "memset",
    "memcmp",
    "strlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strchr",
    "strrchr",
    "wcslen",
];
/// What a figure of `quick` may take, in microseconds.
const QUICK_MICROSECONDS: &str = "3000";

/// The lengths of the size curve, in characters: two for each power of two up to 1 MiB.
pub fn curve_lengths() -> Vec<usize> {
    let pairs = (1..20).map(|power| 1usize << power).flat_map(|low| [low, low + low / 2]);
    std::iter::once(1).chain(pairs).chain([1 << 20]).collect()
}

/// `strings`
pub const SUITE: Suite = Suite {
    name: "strings",
    title: "String functions",
    about: "Nanoseconds of a call of seventeen string and memory functions on 36, 132 and 4,100 characters, after \
         Alpaquita's three tables, and the most used ones from 1 character to 1 MiB. Every call goes through a pointer \
         that the compiler cannot see through; the empty call's time is shown and not subtracted. Independent calls on \
         operands in the first cache: throughput, not latency.",
    quick: true,
    prepare,
    ..Suite::PLAIN
};

fn prepare(context: &Context<'_>) -> Result<Prepared, Error> {
    let (programs, mut prepared) = context.rust("strings", &bundle(MAIN, MODULES))?;
    let quick = context.options.quick;
    let watched = ["memcpy/36", "strlen/36", "memcmp/132", "memset/4100", "strcmp/4100"].map(Figure::metric);
    for set in if quick { &["table"][..] } else { &["table", "unaligned"] } {
        let variants = programs.variants(|variant| {
            let variant = variant.arg(set);
            if quick { variant.arg(QUICK_MICROSECONDS) } else { variant }
        });
        let rows = LENGTHS.iter().flat_map(|&length| FUNCTIONS.iter().map(move |name| (*name, length)));
        // What others published was measured on aligned operands, as far as they say.
        let row = |(name, length)| {
            row(name, length).published(if *set == "table" { theirs(name, length) } else { Vec::new() })
        };
        prepared
            .cases
            .push(Case::new(*set, variants).watch(watched.clone()).row(empty_call()).rows(rows.map(row)));
    }
    if !quick {
        let watched = ["memcpy/32", "strlen/32", "memset/1024"].map(Figure::metric);
        let rows = CURVE.iter().flat_map(|name| {
            curve_lengths()
                .into_iter()
                .map(move |length| row(name, length).at(*name, length as f64, "characters"))
        });
        let variants = programs.variants(|variant| variant.arg("curve"));
        prepared.cases.push(Case::new("curve", variants).watch(watched).row(empty_call()).rows(rows));
    }
    Ok(prepared)
}

fn row(name: &str, length: usize) -> RowSpec {
    RowSpec::metric(&format!("{name}/{length}"), Kind::Time, "ns", Better::Lower)
        .named(format!("{name} {length}"))
}

/// The same for every libc, and so neither a time nor a memory that anyone is judged by.
fn empty_call() -> RowSpec {
    RowSpec::metric("call/0", Kind::Other, "ns", Better::Lower).named("empty call")
}

fn theirs(name: &str, length: usize) -> Vec<Published> {
    match length {
        36 => published::STRINGS_36.row(name),
        132 => published::STRINGS_132.row(name),
        4100 => published::STRINGS_4100.row(name),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_was_published() {
        for name in FUNCTIONS {
            for &length in LENGTHS {
                assert!(theirs(name, length).iter().any(|one| one.ratio == Some(1.0)), "{name} {length}");
            }
        }
    }

    #[test]
    fn the_curve_is_even_on_a_logarithmic_axis() {
        let lengths = curve_lengths();
        assert_eq!((lengths[0], *lengths.last().unwrap()), (1, 1 << 20));
        assert!(lengths.windows(2).all(|pair| pair[0] < pair[1] && pair[1] <= 2 * pair[0]), "{lengths:?}");
    }
}
