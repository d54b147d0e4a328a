//! The programs' own tests.

use std::collections::BTreeMap;

use anyhow::Result;
use brawn_bench::{Flavour, Suite, Workshop};
use serde::{Deserialize, Serialize};

use super::variants::{DEFAULT, GLIBC, STOCK};
use crate::workshop::say;

/// How a recipe's program is tested, and what its tests say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    /// Run one after the other in the tree that the program was built in; of a package of the registry, what follows `cargo
    /// test`.
    commands: Vec<Vec<String>>,
    /// What lines hold that tell of a test that passed.
    #[serde(default = "passed")]
    passed: Vec<String>,
    /// What lines hold that tell of one that failed: these are compared, so they must hold no path and no time.
    #[serde(default = "failed")]
    failed: Vec<String>,
}

// As Automake and cargo say it.
fn passed() -> Vec<String> {
    vec!["PASS: ".into(), " ... ok".into()]
}

fn failed() -> Vec<String> {
    vec!["FAIL: ".into(), "ERROR: ".into(), " ... FAILED".into()]
}

/// What became of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tested {
    /// How many passed, by variant.
    pub passed: BTreeMap<String, usize>,
    /// The lines of those that failed, by variant.
    pub failed: BTreeMap<String, Vec<String>>,
}

impl Tests {
    /// Builds the suite's program for glibc, stock musl and Brawn's default, and runs its own tests on each.
    pub fn run(&self, suite: &Suite, workshop: &Workshop) -> Result<Tested> {
        let name = suite.name;
        let mut tested = Tested::default();
        for flavour in Flavour::list([GLIBC, STOCK, DEFAULT])? {
            let folder = workshop.root().join("tests").join(name).join(&flavour.name);
            say(&format!("{name}: its own tests, {}", flavour.name));
            let text = suite.own_tests(name, workshop, &flavour, &folder, &self.commands)?;
            let (passed, failed) = self.read(&text);
            say(&format!("{name}: {passed} passed, {} failed", failed.len()));
            tested.passed.insert(flavour.name.clone(), passed);
            tested.failed.insert(flavour.name, failed);
        }
        // What cargo compiled for all of them.
        let build = workshop.root().join("tests").join(name).join("build");
        if build.exists() {
            fs_err::remove_dir_all(build)?;
        }
        for (line, stock) in tested.lost() {
            let who = if stock { "with stock musl, too" } else { "with Brawn alone" };
            say(&format!("{name}: fails {who}: {line}"));
        }
        Ok(tested)
    }

    fn read(&self, text: &str) -> (usize, Vec<String>) {
        let holds = |words: &[String], line: &str| words.iter().any(|word| line.contains(word.as_str()));
        // Sums, and what a test wrote itself.
        let lines = || text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let mut failed: Vec<String> =
            lines().filter(|line| holds(&self.failed, line)).map(str::to_owned).collect();
        if failed.is_empty() {
            failed = lines().filter(|line| line.starts_with("command failed: ")).map(str::to_owned).collect();
        }
        failed.sort();
        failed.dedup();
        (lines().filter(|line| !holds(&self.failed, line) && holds(&self.passed, line)).count(), failed)
    }
}

impl Tested {
    /// What fails with Brawn's default and passes with glibc, and how many more did not run, as when a test ends its program;
    /// and whether it is the same with stock musl.
    pub fn lost(&self) -> Vec<(String, bool)> {
        let of = |variant: &str| self.failed.get(variant).map(Vec::as_slice).unwrap_or_default();
        let ran = |variant: &str| self.passed.get(variant).map_or(0, |passed| passed + of(variant).len());
        let lines = of(DEFAULT).iter().filter(|line| !of(GLIBC).contains(line));
        let mut lost: Vec<_> = lines.map(|line| (line.clone(), of(STOCK).contains(line))).collect();
        let fewer = ran(GLIBC).saturating_sub(ran(DEFAULT));
        if fewer > 0 {
            lost.push((format!("{fewer} did not run"), ran(STOCK) <= ran(DEFAULT)));
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_with_brawn_alone_is_found() {
        let tests = Tests { commands: Vec::new(), passed: passed(), failed: failed() };
        let text =
            "PASS: one\nFAIL: two\n# PASS:  1\n# FAIL:  1\n\ncommand failed: make check: exit status: 2\n";
        assert_eq!(tests.read(text), (1, vec!["FAIL: two".to_owned()]));
        assert_eq!(tests.read("command failed: make check: exit status: 2\n").1.len(), 1);
        let text = "test a::b ... ok\ntest c ... FAILED\ntest result: FAILED. 1 passed; 1 failed\n";
        assert_eq!(tests.read(text), (1, vec!["test c ... FAILED".to_owned()]));
        let failed = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let mut tested = Tested {
            passed: BTreeMap::new(),
            failed: [
                (GLIBC.to_owned(), failed(&["FAIL: a"])),
                (STOCK.to_owned(), failed(&["FAIL: a", "FAIL: b"])),
                (DEFAULT.to_owned(), failed(&["FAIL: a", "FAIL: b", "FAIL: c"])),
            ]
            .into_iter()
            .collect(),
        };
        let mut lost = vec![("FAIL: b".to_owned(), true), ("FAIL: c".to_owned(), false)];
        assert_eq!(tested.lost(), lost);
        // One of them took eight others along.
        tested.passed =
            [(GLIBC, 20), (STOCK, 19), (DEFAULT, 10)].map(|(name, n)| (name.to_owned(), n)).into();
        lost.push(("8 did not run".to_owned(), false));
        assert_eq!(tested.lost(), lost);
    }
}
