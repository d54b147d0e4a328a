//! What a suite is: its file in `suites/`, read when it is first asked for.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Table;

use crate::inputs::Input;
use crate::programs::Program;
use crate::rows::RowTemplate;

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
    /// What the program finds as its own name, where it looks at it; the path of its variant otherwise.
    pub arg0: Option<String>,
    #[serde(default)]
    pub args: Vec<String>,
    /// The folder that it runs in; the caller's own otherwise.
    pub dir: Option<String>,
    /// Variables added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The file that stands for standard input; nothing otherwise.
    pub stdin: Option<String>,
    /// Whether its lines may come in any order.
    #[serde(default)]
    pub sorted: bool,
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
    /// Reads a suite's file.
    ///
    /// # Panics
    /// When it is wrong: the files are constants of this crate, and a test reads them all.
    pub(crate) fn read(name: &'static str, text: &str) -> Suite {
        let read = text.parse().and_then(|table| Suite::of(name, table));
        read.unwrap_or_else(|error| panic!("suites/{name}.toml: {error}"))
    }

    /// The suite in a table. A case takes what it does not say from the table `like` that it names.
    ///
    /// # Errors
    /// That of TOML, where a key is missing or unknown.
    ///
    /// # Panics
    /// When `case` is no list of tables, or `like` names none.
    pub fn of(name: &'static str, mut table: Table) -> Result<Suite, toml::de::Error> {
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
        Ok(Suite { name, ..table.try_into()? })
    }
}
