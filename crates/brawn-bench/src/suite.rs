//! What a suite is: its file in `suites/`, read when it is first asked for.

use std::collections::BTreeMap;

use brawn_measure::{Session, Variant};
use serde::Deserialize;
use toml::Table;

use crate::inputs::Input;
use crate::programs::Program;
use crate::rows::RowTemplate;
use crate::workshop::Programs;
use crate::{Error, Flavour, RowSpec, Workshop};

/// A standard suite: programs, the commands that run them, and the figures that come of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Suite {
    /// The name for `brawn bench`, which is its file's.
    #[serde(skip)]
    pub name: &'static str,
    /// A heading.
    pub title: String,
    /// What is measured, after whom, and how to read it, in a few sentences.
    pub about: String,
    /// What it needs beside a Rust toolchain with the musl target and a linker, for `--list`; empty for most.
    #[serde(default)]
    pub needs: String,
    /// Whether `quick` holds some of its cases. Those must need nothing but a Rust toolchain and a C compiler.
    #[serde(default)]
    pub quick: bool,
    /// Programs of this machine that it needs.
    #[serde(default)]
    pub(crate) tools: Vec<Tool>,
    /// The compiler that it needs.
    #[serde(default)]
    pub(crate) compiler: Compiler,
    /// What its reader must know.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    #[serde(rename = "program")]
    pub(crate) programs: BTreeMap<String, Program>,
    #[serde(rename = "case")]
    pub(crate) cases: Vec<Template>,
}

/// A program that must be on `PATH`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    pub name: String,
    /// What is said when it is not there.
    pub absent: String,
    pub hint: String,
}

/// What compiles a suite's programs.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Compiler {
    /// Rust with the musl target, and a linker.
    #[default]
    Rust,
    /// C for musl, and for glibc where the Rust toolchain is for that.
    C,
    /// Java's.
    Jdk,
}

/// Cases that differ in a number at most.
///
/// In texts, `{case}` is the case's name, `{root}` the workshop's folder, `{port}` a free port, `{input}` and `{helper}`
/// the paths of those, `{NAME}` that of a tool, a variable, or the number that `axis` counts, and `{half-cores}` half
/// of the cores, at least one and at most that number.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Template {
    /// The case's name, unique in the suite: `threads={threads}`.
    pub name: String,
    pub program: String,
    /// Another program, built for the first variant alone, that `{helper}` stands for.
    pub helper: Option<String>,
    /// Whether the helper starts the program, whose path is its first argument.
    #[serde(default)]
    pub launched: bool,
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    #[serde(default)]
    pub args: Vec<String>,
    /// More arguments in `quick`.
    #[serde(default)]
    pub quick_args: Vec<String>,
    /// What is made or fetched for it, and checks what the program prints.
    pub input: Option<Input>,
    /// Files to write: where, within the workshop, and the file of `workloads/`; none for a folder.
    #[serde(default)]
    pub files: Vec<Vec<String>>,
    /// How the program is used, if it is a server.
    pub service: Option<Client>,
    /// What is counted: a case for each of `counts`, and in `quick` of `quick-counts`. The user may give other `threads`.
    #[serde(default)]
    pub axis: String,
    /// 0 stands for as many as there are cores.
    #[serde(default)]
    pub counts: Vec<usize>,
    #[serde(default)]
    pub quick_counts: Vec<usize>,
    /// Whether it is part of `quick`, if it counts nothing.
    #[serde(default)]
    pub quick: bool,
    /// Runs only when its name is asked for, by a text that holds this one.
    pub asked: Option<String>,
    /// The figures that must be exact; the wall-clock time if there are none.
    #[serde(default)]
    pub watch: Vec<String>,
    pub rows: Vec<RowTemplate>,
    /// Whether the program knows its rows: when `list` comes before its arguments, it prints a line `{case}/{row}` for
    /// each. The first one is watched.
    #[serde(default)]
    pub listed: bool,
    pub share: Option<f64>,
    /// Fewest and most blocks.
    pub blocks: Option<(usize, usize)>,
    /// Blocks for warming up.
    pub warmup: Option<usize>,
    pub timeline_ms: Option<u64>,
    /// Longest time of a run.
    pub limit_seconds: Option<u64>,
    #[serde(default)]
    pub count_system_calls: bool,
}

impl Suite {
    /// The template with this name.
    #[cfg(test)]
    pub(crate) fn template(&self, name: &str) -> &Template {
        self.cases.iter().find(|case| case.name == name).unwrap()
    }
}

/// How a server is used: by the client of `workloads/client`. A second after its end the server's memory is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    /// The client's arguments.
    pub client: Vec<String>,
    /// The signal to stop by, if it is not `SIGTERM`.
    pub stop: Option<String>,
}

impl Suite {
    /// Reads a suite's file. A case takes what it does not say from the table `like` that it names.
    ///
    /// # Panics
    /// When it is wrong: the files are constants of this crate, and a test reads them all.
    pub(crate) fn read(name: &'static str, text: &str) -> Suite {
        let wrong = |error: toml::de::Error| -> ! { panic!("suites/{name}.toml: {error}") };
        let mut table: Table = text.parse().unwrap_or_else(|error| wrong(error));
        let like = table.remove("like");
        for case in table.get_mut("case").and_then(|cases| cases.as_array_mut()).into_iter().flatten() {
            let case = case.as_table_mut().expect("a case is a table");
            while let Some(other) = case.remove("like") {
                let other = other.as_str().and_then(|other| like.as_ref()?.get(other)?.as_table());
                for (key, value) in other.expect("`like` names a table") {
                    case.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
        }
        let suite = table.try_into().unwrap_or_else(|error| wrong(error));
        Suite { name, ..suite }
    }
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
    /// Whether the case of that name is asked for.
    pub fn wants(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|text| case.contains(text.as_str()))
    }
}

impl Context<'_> {
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
    /// The names of cases that were not asked for, and need not be built.
    pub unwanted: Vec<String>,
    /// Versions of the programs that take part.
    pub versions: BTreeMap<String, String>,
}

impl Prepared {
    /// Takes over why some variants of a program are missing.
    pub fn note_missing(&mut self, programs: &Programs) {
        for note in &programs.notes {
            self.note(note.clone());
        }
    }

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
