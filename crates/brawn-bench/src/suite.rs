//! What a suite is.

use std::collections::BTreeMap;

use brawn_measure::{Session, Variant};

use crate::workshop::Programs;
use crate::{Error, Figure, Flavour, RowSpec, Workshop};

/// A standard suite: programs, the commands that run them, and the figures that come of it.
pub struct Suite {
    /// The name for `brawn bench`.
    pub name: &'static str,
    /// A heading.
    pub title: &'static str,
    /// What is measured, after whom, and how to read it, in a few sentences.
    pub about: &'static str,
    /// What it needs beside a Rust toolchain with the musl target and a linker, for `--list`; empty for most.
    pub needs: &'static str,
    /// Whether `quick` holds some of its cases. Those must need nothing but a Rust toolchain and a C compiler.
    pub quick: bool,
    /// Whether what it needs is here; [`Error::Absent`] where not. Builds and fetches nothing.
    pub check: fn(&Workshop) -> Result<(), Error>,
    /// Builds its programs, and says what to run. [`Error::Absent`] skips the suite with that line; anything else ends
    /// the run.
    pub prepare: fn(&Context<'_>) -> Result<Prepared, Error>,
}

impl Suite {
    /// A suite that needs what all do, and has no case yet.
    pub const PLAIN: Suite = Suite {
        name: "",
        title: "",
        about: "",
        needs: "",
        quick: false,
        check: |workshop| {
            workshop.musl_triple()?;
            workshop.musl_linker()?;
            Ok(())
        },
        prepare: |_| Ok(Prepared::default()),
    };
}

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
    /// Cores that programs are held to; empty for all.
    pub cores: Vec<usize>,
    /// CPU quota, in cores.
    pub quota: Option<f64>,
    /// Only cases whose name holds this text.
    pub case: Option<String>,
}

impl Options {
    /// The thread counts to use: those of the user, or the suite's own for `quick` and otherwise.
    pub fn thread_counts(&self, quick: &[usize], all: &[usize]) -> Vec<usize> {
        match self {
            Options { threads, .. } if !threads.is_empty() => threads.clone(),
            Options { quick: true, .. } => quick.to_vec(),
            _ => all.to_vec(),
        }
    }

    /// Whether the case of that name is asked for.
    pub fn wants(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|text| case.contains(text.as_str()))
    }
}

impl Context<'_> {
    /// A workload of our own, a single Rust file, for each variant, and the beginning of a suite that runs it.
    ///
    /// # Errors
    /// [`Error::Absent`] without a Rust toolchain, [`Error::Build`].
    pub fn rust(&self, name: &str, source: &str) -> Result<(Programs, Prepared), Error> {
        let programs = self.workshop.rust_program(name, source, self.flavours)?;
        let mut prepared = Prepared::default();
        prepared.note_missing(&programs);
        Ok((programs, prepared))
    }

    /// Adds cases of a program that the suite can do without, or a note where it cannot be had.
    ///
    /// # Errors
    /// Whatever is no matter of something that is missing.
    pub fn add(
        &self,
        prepared: &mut Prepared,
        name: &str,
        cases: impl FnOnce(&Self, &mut Prepared) -> Result<Vec<Case>, Error>,
    ) -> Result<(), Error> {
        match cases(self, prepared) {
            Ok(cases) => prepared.cases.extend(cases),
            Err(Error::Absent { reason, hint }) => {
                let note = format!("{name} is left out: {reason} ({hint})");
                self.workshop.say(&note);
                prepared.notes.push(note);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// A suite that is ready to run.
#[derive(Debug, Default)]
pub struct Prepared {
    /// What to run, in order.
    pub cases: Vec<Case>,
    /// What the reader must know: variants that could not be had, limits of this machine.
    pub notes: Vec<String>,
    /// Versions of the programs that take part.
    pub versions: BTreeMap<String, String>,
}

impl Prepared {
    /// Takes over why some variants of a program are missing.
    pub fn note_missing(&mut self, programs: &Programs) {
        for note in &programs.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
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

    /// Adds a figure.
    pub fn row(mut self, row: RowSpec) -> Case {
        self.rows.push(row);
        self
    }

    /// Adds figures.
    pub fn rows(mut self, rows: impl IntoIterator<Item = RowSpec>) -> Case {
        self.rows.extend(rows);
        self
    }

    /// Goes on until these figures are exact enough, or the budget ends, instead of the wall-clock time.
    pub fn watch(mut self, figures: impl IntoIterator<Item = Figure>) -> Case {
        self.session = self.session.watch(figures);
        self
    }

    /// Takes this part of a case's usual budget: 0.5 for half, 3 for a case that is long or matters more.
    pub fn share(mut self, share: f64) -> Case {
        self.share = share;
        self
    }

    /// Changes how it is run: how outputs are compared, the limit of a run, the number of blocks, a timeline.
    pub fn session(mut self, change: impl FnOnce(Session) -> Session) -> Case {
        self.session = change(self.session);
        self
    }
}
