//! The list, and how each program of it is built and what it does.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use brawn_bench::Suite;
use brawn_libc::sha256_hex;
use serde::Deserialize;
use toml::{Table, Value};

use super::own_tests::Tests;
use crate::workshop::root;

/// A row of the list, which `rank.py` writes, with why it stands there.
#[derive(Clone, Debug, Deserialize)]
pub struct Listed {
    /// `crate`, `debian`, or a language.
    pub group: String,
    /// Its place in the group, from 1.
    pub rank: usize,
    pub name: String,
}

/// How a program is built and what it does: a suite of one case, with what is to be said about it.
pub struct Recipe {
    /// What the work is.
    pub about: String,
    /// SHA-256 of what it prints, as it is compared.
    pub expected: Option<String>,
    /// Why it is slower than with glibc, or takes more memory, if it does.
    pub cause: Option<String>,
    /// Its own tests, if they are run.
    pub tests: Option<Tests>,
    pub suite: &'static Suite,
    /// Of how it is built and what it does: not of what is said about it.
    pub digest: String,
}

/// The list and the recipes.
pub fn folder() -> PathBuf {
    root().join("xtask/hundred")
}

/// Every program.
pub fn read(folder: &Path) -> Result<Vec<Listed>> {
    #[derive(Deserialize)]
    struct List {
        program: Vec<Listed>,
    }
    let path = folder.join("list.toml");
    let list: List = toml::from_str(&fs_err::read_to_string(&path)?)
        .with_context(|| format!("{} is not a list of programs", path.display()))?;
    Ok(list.program)
}

impl Recipe {
    /// That of `name`, if there is one.
    pub fn read(folder: &Path, name: &str) -> Result<Option<Recipe>> {
        let path = folder.join("programs").join(format!("{name}.toml"));
        if !path.exists() {
            return Ok(None);
        }
        let text = fs_err::read_to_string(&path)?;
        let recipe = Recipe::of(name, &text).with_context(|| format!("{} is no recipe", path.display()))?;
        Ok(Some(recipe))
    }

    fn of(name: &str, text: &str) -> Result<Recipe> {
        let mut table: Table = text.parse()?;
        let mut taken = |key: &str| table.remove(key).and_then(|value| value.as_str().map(str::to_owned));
        let (expected, cause) = (taken("expected"), taken("cause"));
        let about = taken("about").context("`about` is missing")?;
        let tests = table.remove("tests").map(Value::try_into).transpose().context("`tests`")?;
        let digest = sha256_hex(toml::to_string(&table)?.as_bytes());
        table.insert("title".into(), name.into());
        table.insert("about".into(), about.clone().into());
        let compiler = if text.contains("build.install]") { "rust" } else { "c" };
        table.insert("compiler".into(), compiler.into());
        let cases = table.get_mut("case").and_then(Value::as_array_mut).context("`[[case]]` is missing")?;
        for case in cases {
            let case = case.as_table_mut().context("a case is a table")?;
            let figure =
                |name: &str| Value::Table([("figure".to_owned(), name.into())].into_iter().collect());
            case.entry("rows").or_insert_with(|| ["wall", "cpu", "peak"].map(figure).to_vec().into());
            case.entry("program").or_insert_with(|| name.into());
        }
        // It lives as long as this program runs, as those of `brawn bench` do.
        let suite = Box::leak(Box::new(Suite::of(name.to_owned().leak(), table)?));
        Ok(Recipe { about, expected, cause, tests, suite, digest })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_recipe_can_be_read_and_is_of_the_list() {
        let list = read(&folder()).unwrap();
        let names: BTreeSet<&str> = list.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names.len(), list.len());
        let mut files = 0;
        for entry in fs_err::read_dir(folder().join("programs")).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let name = file.strip_suffix(".toml").unwrap();
            assert!(names.contains(name), "{name}");
            Recipe::read(&folder(), name).unwrap().unwrap();
            files += 1;
        }
        assert!(files > 10);
    }
}
