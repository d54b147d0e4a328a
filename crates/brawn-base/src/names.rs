//! Names that do not exist, and those that may have been meant.

/// The known name that is nearest to `given`, if any is near enough to be a slip of the hand.
pub fn nearest<'a>(given: &str, known: &'a [impl AsRef<str>]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(given, name.as_ref()), name.as_ref()))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The hint for a name that does not exist: the nearest that does, or else all of them.
pub fn nearest_or_all(given: &str, known: &[impl AsRef<str>]) -> String {
    nearest(given, known).map_or_else(|| all(known), |name| format!("did you mean '{name}'?"))
}

/// The same, where the nearest may not be the one that is wanted: the nearest and all of them.
pub fn nearest_and_all(given: &str, known: &[impl AsRef<str>]) -> String {
    match nearest(given, known) {
        Some(name) => format!("did you mean '{name}'? There are: {}", joined(known)),
        None => all(known),
    }
}

fn all(known: &[impl AsRef<str>]) -> String {
    format!("there are: {}", joined(known))
}

/// Names as a list in a sentence: `a, b, c`.
pub fn joined(names: &[impl AsRef<str>]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}
