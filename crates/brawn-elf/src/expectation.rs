//! What an executable is held to besides its own note.

use brawn_base::Diagnostic as _;

use crate::inspect::Traces;
use crate::note::KNOB;
use crate::report::{Code, Problem, problem};
use crate::{Arch, Error, LinkId, Note};

/// What the caller knows about the executable from elsewhere. By default nothing: then the executable is held to
/// its own note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// The architecture that was linked for.
    pub arch: Option<Arch>,
    /// The allocator that was asked for, as in [`Note::malloc`].
    pub malloc: Option<String>,
    /// The overlay that was linked with, as in [`Note::overlay`].
    pub overlay: Option<String>,
    /// The recorded link.
    pub link_id: Option<LinkId>,
    /// What else the note has to say.
    pub note: Vec<Requirement>,
    /// The families of functions that the kit should have replaced where the libc.a fits them; a warning.
    pub families: Vec<String>,
    /// Whether the note may name knobs that `note` does not.
    pub no_other_knobs: bool,
    /// What a heap of the program's own is, beside the one that the note names.
    pub second_heap: SecondHeap,
    /// Whether a warning is a broken promise.
    pub strict: bool,
}

/// An entry that a note must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its key, as in [`Note::entries`].
    pub key: String,
    /// The values that will do, the one that was asked for first; `None` is a note without the entry.
    pub values: Vec<Option<String>>,
}

/// What a heap of the program's own is, such as that of a `#[global_allocator]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecondHeap {
    /// A broken promise.
    #[default]
    Refused,
    /// A warning.
    Warned,
    /// What was asked for.
    Allowed,
}

/// Compares the note with what was asked for.
pub(crate) fn check_note(traces: &Traces, expectation: &Expectation, findings: &mut Vec<Problem>) {
    let notes = match &traces.notes {
        Ok(notes) => notes,
        Err(error) => {
            let code = match error {
                Error::NotesDisagree { .. } => Code::NotesDisagree,
                _ => Code::NoteDamaged,
            };
            findings.push(problem(code, error.to_string(), error.hint().as_deref()));
            return;
        }
    };
    // No link chose what was grafted, so there is nothing more to compare.
    if notes.graft.is_some() && expectation.note.is_empty() && expectation.malloc.is_none() {
        return;
    }
    let Some(note) = &notes.note else {
        findings.push(problem(
            Code::NoNote,
            "the executable carries no note of Brawn: it was linked with another libc.a",
            Some(
                "build it with `brawn build` or `brawn cc`; a linker option may have put another `-L` first",
            ),
        ));
        return;
    };
    let mut differs = |what: &str, wanted: &str, found: &str| {
        findings.push(problem(
            Code::NotAsAsked,
            format!("expected {what} {wanted}, found {found}"),
            Some("an older executable may have been left in place, or built with other settings: link again"),
        ));
    };
    let mut of_note = |what: &str, wanted: Option<&str>, found: Option<&str>| {
        if let Some(wanted) = wanted.filter(|wanted| Some(*wanted) != found) {
            differs(what, wanted, found.unwrap_or("none"));
        }
    };
    of_note("allocator", expectation.malloc.as_deref(), Some(&note.malloc));
    of_note("overlay", expectation.overlay.as_deref(), Some(&note.overlay));
    let link = |id: &Option<LinkId>| id.as_ref().map(|id| id.as_str().to_owned());
    of_note("link", link(&expectation.link_id).as_deref(), link(&notes.link_id).as_deref());

    let entries = note.entries();
    let found = |key: &str| entries.get(key).cloned();
    let unmet = |required: &&Requirement| !required.values.contains(&found(&required.key));
    let other_heap = expectation.note.iter().filter(unmet).any(|required| required.key == "malloc");
    for required in expectation.note.iter().filter(unmet) {
        // Of another heap, the knobs are others as well.
        if other_heap && required.key.starts_with(KNOB) {
            continue;
        }
        let (what, wanted) = in_words(&required.key, required.values.first().and_then(Option::as_deref));
        let (_, found) = in_words(&required.key, found(&required.key).as_deref());
        differs(&what, &wanted, &found);
    }
    if expectation.no_other_knobs && !other_heap {
        let named = |key: &str| expectation.note.iter().any(|required| required.key == key);
        for (key, value) in entries.iter().filter(|(key, _)| key.starts_with(KNOB) && !named(key)) {
            let (what, wanted) = in_words(key, None);
            differs(&what, &wanted, value);
        }
    }
}

/// Says which families stayed musl's: with `--musl`, or because the `libc.a` did not fit them.
pub(crate) fn check_families(note: &Note, expectation: &Expectation, warnings: &mut Vec<Problem>) {
    let musls = expectation.families.iter().filter(|family| !note.functions.contains(family));
    let musls: Vec<&str> = musls.map(String::as_str).collect();
    if !musls.is_empty() {
        warnings.push(problem(
            Code::NotAsAsked,
            format!("families of functions that are musl's own: {}", musls.join(", ")),
            Some("`brawn libc --dry-run -v` says whether this libc.a fits them; if so, link again without `--musl`"),
        ));
    }
}

/// An entry of a note for a person: what it is, and its value.
fn in_words(key: &str, value: Option<&str>) -> (String, String) {
    let value = match (key, value) {
        ("strings", Some("yes")) => "Brawn's",
        ("strings", Some("no")) => "musl's own",
        ("cpu", None) => "any",
        ("functions", None) => "musl's own",
        (_, None) => "none",
        (_, Some(value)) => value,
    };
    let what = match key {
        "malloc" => "allocator",
        "strings" => "string functions",
        "functions" => "families of functions",
        "cpu" => "string functions for the processor",
        key => key,
    };
    let what = key.strip_prefix(KNOB).map_or_else(|| what.to_owned(), |knob| format!("knob {knob}"));
    (what, value.to_owned())
}
