//! What comes of a suite: cases, and what they are made with.

use std::collections::BTreeMap;

use brawn_measure::{Session, Variant};

use crate::{Flavour, RowSpec, Workshop};

/// What a suite is given to prepare itself.
pub struct Context<'a> {
    /// Where programs are built.
    pub workshop: &'a Workshop,
    /// The variants that were asked for, the baseline first.
    pub flavours: &'a [Flavour],
    /// How it was asked for.
    pub options: &'a Options,
}

/// What the user said about how to measure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only the cases of `quick`.
    pub quick: bool,
    /// Only programs of our own, beside which nothing need be fetched.
    pub own_only: bool,
    /// Thread counts, instead of each suite's own.
    pub threads: Vec<usize>,
    /// Only cases whose name holds this text.
    pub case: Option<String>,
}

impl Options {
    /// Whether the case of that name is asked for.
    pub fn wants(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|text| case.contains(text.as_str()))
    }
}

/// A suite that is ready to run.
#[derive(Debug, Default)]
pub struct Prepared {
    /// What to run, in order.
    pub cases: Vec<Case>,
    /// What the reader must know: variants that could not be had, limits of this machine.
    pub notes: Vec<String>,
    /// The names of cases that were not asked for, and need not be built.
    pub unwanted: Vec<String>,
    /// Versions of the programs that take part.
    pub versions: BTreeMap<String, String>,
}

impl Prepared {
    /// Says something that the reader must know, once.
    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Commands that do the same work, one for each variant, and the figures to take from their runs.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name, unique in the suite: `threads=4`.
    pub name: String,
    /// A command for each variant, the baseline first. Each is named as its [`Flavour`](crate::Flavour).
    pub variants: Vec<Variant>,
    /// The figures, each of which becomes a row.
    pub rows: Vec<RowSpec>,
    /// How much of a case's budget this one takes: 1 is the usual.
    pub share: f64,
    /// How it is run: the runner sets budget, precision, seed, cores and quota.
    pub session: Session,
}

/// Fewest counted blocks, unless the case says otherwise.
pub const MIN_BLOCKS: usize = 5;
/// Most counted blocks, unless the case says otherwise.
pub const MAX_BLOCKS: usize = 300;

impl Case {
    /// A case that watches its wall-clock time, compares outputs to the byte, and has no row yet.
    pub fn new(name: impl Into<String>, variants: Vec<Variant>) -> Case {
        Case {
            name: name.into(),
            variants,
            rows: Vec::new(),
            share: 1.0,
            session: Session::new(MAX_BLOCKS).blocks_between(MIN_BLOCKS, MAX_BLOCKS),
        }
    }
}
