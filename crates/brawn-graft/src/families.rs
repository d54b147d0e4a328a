//! Which objects of the kit a finished executable can get, and which must come together.

use brawn_elf::Symbol;
use brawn_identify::{Function, Identification};

/// Functions that know of each other what others do not: all of a row, or none.
const TOGETHER: &[&[&str]] = &[&["regcomp", "regexec", "regfree"], &["putenv", "unsetenv"]];

/// Functions of which programs bring their own, under the same names, that do something else: other regular expressions, other
/// formats, GNU's `basename`.
const OFTEN_BROUGHT: &[&str] = &[
    "basename",
    "dirname",
    "fnmatch",
    "getenv",
    "putenv",
    "qsort_r",
    "regcomp",
    "regexec",
    "regfree",
    "unsetenv",
    "vasprintf",
    "vsnprintf",
    "vswprintf",
];

/// Whether a function that a symbol names is musl's: programs bring few of these names, and those of the list above count only
/// between functions of musl.
pub(crate) fn is_musls(function: &Function, symbols: &[Symbol<'_>], found: &Identification) -> bool {
    if !function.names.iter().any(|name| OFTEN_BROUGHT.contains(&name.as_str())) {
        return true;
    }
    let others = symbols.iter().filter(|symbol| symbol.function && !symbol.local && symbol.section != 0);
    let others = others.map(|symbol| symbol.value);
    let before = others.clone().filter(|other| *other < function.address).max();
    let after = others.filter(|other| *other > function.address).min();
    let known =
        |address: u64| found.functions.binary_search_by_key(&address, |function| function.address).is_ok();
    before.is_some_and(known) && after.is_none_or(known)
}

/// The functions without which this one is not replaced.
pub(crate) fn together(name: &str) -> &'static [&'static str] {
    TOGETHER.iter().find(|row| row.contains(&name)).copied().unwrap_or_default()
}

/// The families of which something can be grafted.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let others = ["environment", "math", "numbers", "regex", "sort", "text", "time"];
    [crate::kit::STRINGS].into_iter().chain(others)
}
