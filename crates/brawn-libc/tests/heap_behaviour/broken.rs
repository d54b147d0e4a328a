//! The tests are tested: a plain heap passes, and each of its flaws in `tests/libc/broken` is noticed.

use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use serde::Deserialize;

use crate::compile::{Objects, Source};
use crate::libc::Libc;
use crate::run::{self, Outcome};
use crate::table::{self, Test};

const HEAP: &str = "broken/heap.c";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    flaw: Vec<Flaw>,
}

/// A row of `flaws.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Flaw {
    name: String,
    caught_by: Vec<String>,
    #[serde(default)]
    add: Vec<String>,
}

/// One test per flaw and program that must notice it, and one per such program that the heap without flaw passes.
pub fn trials(folder: &Path, tests: &[Arc<Test>], libc: &Arc<Libc>, objects: &Arc<Objects>) -> Vec<Trial> {
    let table: Table = table::parse(&folder.join("broken/flaws.toml"));
    let find = |name: &str| {
        tests.iter().find(|test| test.name == name).unwrap_or_else(|| panic!("flaws.toml: no test {name}"))
    };
    let mut trials = Vec::new();
    let mut sound: Vec<_> = table.flaw.iter().flat_map(|flaw| flaw.caught_by.iter()).collect();
    sound.sort();
    sound.dedup();
    for name in sound {
        let (test, libc, objects) = (find(name).clone(), libc.clone(), objects.clone());
        trials.push(Trial::test(format!("broken/none/{name}"), move || {
            match run_with(&test, None, &[], &libc, &objects)? {
                Outcome::Passed(_) => Ok(()),
                Outcome::Failed(why) => Err(Failed::from(format!("the heap without a flaw fails: {why}"))),
            }
        }));
    }
    for flaw in table.flaw {
        for name in &flaw.caught_by {
            let (test, libc, objects) = (find(name).clone(), libc.clone(), objects.clone());
            let (define, add) = (flaw.name.clone(), flaw.add.clone());
            trials.push(Trial::test(format!("broken/{}/{name}", flaw.name), move || {
                match run_with(&test, Some(&define), &add, &libc, &objects)? {
                    Outcome::Failed(_) => Ok(()),
                    Outcome::Passed(_) => {
                        Err(Failed::from(format!("{} did not notice FLAW_{define}", test.name)))
                    }
                }
            }));
        }
    }
    trials
}

fn run_with(
    test: &Test,
    flaw: Option<&str>,
    add: &[String],
    libc: &Libc,
    objects: &Objects,
) -> Result<Outcome, String> {
    let program = objects.get(&Source::plain(libc.arch, &test.file))?;
    let define = flaw.map(|name| format!("-DFLAW_{name}"));
    let heap = objects.get(&Source { define, ..Source::plain(libc.arch, HEAP) })?;
    let executable = libc.link(None, &[&program, &heap], &test.link)?;
    let mut arguments = test.arguments("none", &libc.version()?, libc.emulated(), false);
    arguments.extend_from_slice(add);
    run::run(test, libc, &arguments, test.limit(libc.emulated(), false), &executable)
}
