//! Builds of the user's own program, compared by one run: `brawn bench A B -- ARGS`.

use std::path::{Path, PathBuf};

use brawn_base::text::shown;
use brawn_elf::Inspection;
use brawn_elf::inspection::StringsOwner;
use brawn_measure::results::{Inside, Kind, Results, SuiteResult, VariantInfo};
use brawn_measure::{Figure, RowSpec, Variant};

use crate::runner::{Early, Ended, Job, Step, measure_cases};
use crate::{Case, Error};

/// The suite and the case in the results.
const SUITE: &str = "builds";
const CASE: &str = "run";

/// One of the builds.
#[derive(Clone, Debug)]
pub struct Build {
    /// Its name in the results.
    pub name: String,
    /// The executable.
    pub path: PathBuf,
}

impl Build {
    /// The builds that a command names, as `FILE` or `NAME=FILE`. A build without a name has that of its file, or where
    /// others are called the same, of the first folder by which their paths differ.
    ///
    /// # Errors
    /// [`Error::NoBuild`], [`Error::NotExecutable`], [`Error::NamedTwice`]; [`Error::OneBuild`] for less than two.
    pub fn list(given: &[String]) -> Result<Vec<Build>, Error> {
        let given: Vec<(Option<&str>, &Path)> =
            given.iter().map(|text| named(text)).map(|(name, path)| (name, Path::new(path))).collect();
        let paths: Vec<&Path> = given.iter().map(|(_, path)| *path).collect();
        let mut builds: Vec<Build> = Vec::new();
        for (name, path) in given {
            let name = name.map_or_else(|| telling(path, &paths), str::to_owned);
            if builds.iter().any(|other| other.name == name) {
                return Err(Error::NamedTwice { kind: "build", given: name });
            }
            builds.push(Build { name, path: executable(path)? });
        }
        if builds.len() < 2 {
            return Err(Error::OneBuild);
        }
        Ok(builds)
    }

    /// What is inside, and a line that says it.
    fn info(&self) -> Result<VariantInfo, Error> {
        let bytes = fs_err::metadata(&self.path)?.len();
        let inspection = brawn_elf::inspect(&brawn_base::file::elf(&self.path)?);
        let inside = match inspection {
            Ok(inspection) => Inside { bytes, ..inside(&inspection) },
            // A script may start the program: it can be measured, and nothing be told of its inside.
            Err(_) => Inside { bytes, linkage: "no ELF executable".to_owned(), ..Inside::default() },
        };
        let words = [&inside.linkage, &inside.libc, &inside.heap].map(String::as_str);
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let title = words.join(", ");
        Ok(VariantInfo { inside: Some(inside), ..VariantInfo::new(&self.name, title) })
    }
}

/// Name and path in `NAME=FILE`, or only a path.
pub fn named(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, path)) if !name.contains('/') && !Path::new(text).exists() => (Some(name), path),
        _ => (None, text),
    }
}

/// What tells a path from others: its file's name, or the last of its folders that they have otherwise.
fn telling(path: &Path, others: &[&Path]) -> String {
    let parts = |path: &Path| -> Vec<String> {
        path.iter().rev().map(|part| part.to_string_lossy().into_owned()).collect()
    };
    let others: Vec<Vec<String>> = others.iter().map(|other| parts(other)).collect();
    let own = parts(path);
    let alone = |(place, part): &(usize, &String)| {
        others.iter().filter(|other| other.get(*place) == Some(part)).count() == 1
    };
    let telling = own.iter().enumerate().find(alone).map(|(_, part)| part.clone());
    telling.unwrap_or_else(|| path.display().to_string())
}

/// The whole path of an executable.
fn executable(path: &Path) -> Result<PathBuf, Error> {
    use std::os::unix::fs::PermissionsExt as _;
    let missing = |source| Error::NoBuild { path: path.to_owned(), source };
    let data = path.metadata().map_err(missing)?;
    if !data.is_file() || data.permissions().mode() & 0o111 == 0 {
        return Err(Error::NotExecutable { path: path.to_owned(), is_file: data.is_file() });
    }
    path.canonicalize().map_err(missing)
}

fn inside(inspection: &Inspection) -> Inside {
    let heaps: Vec<String> = inspection.allocators.iter().map(ToString::to_string).collect();
    let families = inspection.note.as_ref().map(|note| &note.functions).filter(|names| !names.is_empty());
    let mut functions: Vec<&str> = families.into_iter().flatten().map(String::as_str).collect();
    if inspection.strings.owner == StringsOwner::Brawn {
        functions.insert(0, "strings");
        functions.dedup();
    }
    Inside {
        bytes: 0,
        linkage: inspection.kind.to_string(),
        libc: inspection.libc.to_string(),
        heap: if heaps.is_empty() { "none found".to_owned() } else { heaps.join("; ") },
        functions: match functions.as_slice() {
            [] => inspection.strings.owner.to_string(),
            names => format!("Brawn's: {}", names.join(", ")),
        },
    }
}

/// Compares the builds: `case` tells how each is run, and has their variants. Copies for measuring the machine's noise are
/// put into `root`.
pub fn run(
    job: &Job,
    builds: &[Build],
    case: Case,
    root: &Path,
    mut on: impl FnMut(Step<'_>) -> Result<(), Error>,
) -> Ended {
    let mut results = Results::new(&job.command, job.seed, job.settings());
    let early = measure(job, builds, case, root, &mut results, &mut on).err();
    Ended { results, early }
}

fn measure(
    job: &Job,
    builds: &[Build],
    case: Case,
    root: &Path,
    results: &mut Results,
    on: &mut crate::runner::On<'_>,
) -> Result<(), Early> {
    results.variants = builds.iter().map(Build::info).collect::<Result<_, _>>()?;
    results.suites.push(SuiteResult {
        name: SUITE.to_owned(),
        title: "Builds of one program".to_owned(),
        about: format!("Builds with the same arguments, the baseline first: {}.", shown(&builds[0].name)),
        ..SuiteResult::default()
    });
    let first = case.variants[0].clone();
    measure_cases(job, root, vec![(0, case)], || Ok(first), results, on)
}

/// The case of these builds, each run as `like` says, with the figures that are compared.
pub fn case(builds: &[Build], like: &Variant) -> Case {
    let variants = builds.iter().map(|build| Variant {
        name: build.name.clone(),
        program: build.path.clone(),
        ..like.clone()
    });
    let mut case = Case::new(CASE, variants.collect());
    let mut cpu = RowSpec::new(Figure::Cpu);
    // Beside the time it is no second time in a mean.
    cpu.row.kind = Kind::Other;
    case.rows = vec![RowSpec::new(Figure::Wall), cpu, RowSpec::new(Figure::Peak)];
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_are_named_by_what_tells_them_apart() {
        let names = |paths: &[&str]| -> Vec<String> {
            let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
            paths.iter().map(|path| telling(path, &paths)).collect()
        };
        assert_eq!(names(&["old/app", "new/app-2"]), ["app", "app-2"]);
        assert_eq!(names(&["target/gnu/release/app", "target/musl/release/app"]), ["gnu", "musl"]);
        assert_eq!(names(&["app", "new/app"]), ["app", "new"]);
        assert_eq!(names(&["app", "app"]), ["app", "app"]);
    }
}
