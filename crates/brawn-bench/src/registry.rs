//! The list of suites. A new one is a file in `suites/`, and a name here.

use std::sync::LazyLock;

use crate::{Error, Suite, texts};

const NAMES: &[&str] = &[
    "threads",
    "strings",
    "libc",
    "programs",
    "stream",
    "malloc",
    "startup",
    "footprint",
    "nginx",
    "wasmtime",
    "jvm",
];

/// Every suite, in the order in which they run.
pub static SUITES: LazyLock<Vec<Suite>> = LazyLock::new(|| {
    NAMES.iter().map(|name| Suite::read(name, texts::text(&format!("suites/{name}.toml")))).collect()
});

/// The suite of that name.
#[cfg(test)]
pub(crate) fn suite(name: &str) -> &'static Suite {
    SUITES.iter().find(|suite| suite.name == name).unwrap()
}

/// What stands for several suites.
pub const GROUPS: &[(&str, &str)] = &[
    ("quick", "some cases of the suites that need nothing else, in under 3 minutes"),
    ("all", "every suite"),
];

/// The suites that `names` mean, in the order of [`SUITES`], each once; and whether only their `quick` cases do.
///
/// # Errors
/// [`Error::UnknownName`], with all names.
pub fn suites(names: &[String]) -> Result<(Vec<&'static Suite>, bool), Error> {
    let quick = names.iter().any(|name| name == "quick");
    let all = names.iter().any(|name| name == "all");
    for name in names {
        let known = SUITES.iter().any(|suite| suite.name == name);
        if !known && !GROUPS.iter().any(|(group, _)| group == name) {
            return Err(Error::UnknownName { kind: "suite", given: name.clone(), known: self::names() });
        }
    }
    // `quick threads` is threads alone, quickly; `quick` is every suite that has quick cases.
    let named = |suite: &&'static Suite| names.iter().any(|name| name == suite.name);
    let any_named = SUITES.iter().any(|suite| named(&suite));
    let wanted = |suite: &&'static Suite| {
        named(suite) || (all && !quick) || (quick && !any_named && suite.quick) || (all && suite.quick)
    };
    Ok((SUITES.iter().filter(wanted).collect(), quick))
}

/// Every name that `brawn bench` takes.
pub fn names() -> Vec<String> {
    let groups = GROUPS.iter().map(|(name, _)| *name);
    groups.chain(SUITES.iter().map(|suite| suite.name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

    use super::*;

    fn chosen(names: &[&str]) -> (Vec<&'static str>, bool) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (suites, quick) = suites(&names).unwrap();
        (suites.iter().map(|suite| suite.name).collect(), quick)
    }

    #[test]
    fn names_mean_suites_in_their_own_order() {
        assert_eq!(chosen(&["threads"]), (vec!["threads"], false));
        assert_eq!(chosen(&["threads", "quick"]), (vec!["threads"], true));
        assert_eq!(chosen(&["all"]).0.len(), SUITES.len());
        let (quick, is_quick) = chosen(&["quick"]);
        assert!(is_quick && quick.len() == SUITES.iter().filter(|suite| suite.quick).count());
    }

    #[test]
    fn suites_have_names_of_their_own() {
        assert_eq!(texts::names("suites").count(), NAMES.len());
        let names = names();
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name}");
            // `brawn bench compare` and `brawn bench report` are commands.
            assert!(!["compare", "report"].contains(&name.as_str()));
        }
    }

    #[test]
    fn an_unknown_suite_is_answered_with_the_nearest() {
        let error = suites(&["thread".to_owned()]).err().unwrap();
        assert_eq!(error.to_string(), "unknown suite 'thread'");
        assert!(error.hint().unwrap().starts_with("did you mean 'threads'?"));
    }
}
