//! A hundred programs that others wrote, by the rule of docs/hundred/rule.md: each built for glibc and by Brawn, checked, and
//! run on the same work as every variant.

mod inputs;
mod list;
mod outcome;
mod own_tests;
mod page;
mod variants;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use brawn_bench::Workshop;
use brawn_bench::runner::Early;
use brawn_elf::Arch;
use clap::Subcommand;

use self::list::{Listed, Recipe};
use self::outcome::Outcome;
use crate::workshop::say;

/// A step.
#[derive(Subcommand)]
pub enum Step {
    /// Build, check and measure what is missing, and write the page
    Run {
        /// The `brawn` to build with
        #[arg(long)]
        brawn: PathBuf,
        /// Folder for the results and the page
        #[arg(long, default_value = "docs/hundred")]
        out: PathBuf,
        /// Where programs are built and kept
        #[arg(long, default_value = "target/hundred")]
        work: PathBuf,
        /// Time for each program, in seconds
        #[arg(long, default_value_t = 20.0)]
        time: f64,
        /// Again, although there are results of the same recipe
        #[arg(long)]
        again: bool,
        /// Build and check only: results of another day stay, and it is an error where one does not pass
        #[arg(long)]
        build: bool,
        /// Build a second time, and say which variants are not the same to the byte
        #[arg(long)]
        twice: bool,
        /// Run the own tests of those whose recipe says how, for glibc, stock musl and Brawn's default
        #[arg(long)]
        tests: bool,
        /// These programs alone
        names: Vec<String>,
    },
    /// Write the page again from the results that lie there
    Page {
        /// Folder of the results and the page
        #[arg(long, default_value = "docs/hundred")]
        out: PathBuf,
    },
}

/// Takes a step.
pub fn run(step: Step) -> Result<()> {
    match step {
        Step::Run { brawn, out, work, time, again, build, twice, tests, names } => {
            let brawn = fs_err::canonicalize(brawn)
                .context("cannot find the brawn to build with; run `make brawn`")?;
            has_this_kit(&brawn)?;
            let job = outcome::Job { brawn, work, seconds: time, build };
            measure(&job, &out, &More { again, twice, tests }, &names)?;
            if build { Ok(()) } else { page::write(&out) }
        }
        Step::Page { out } => page::write(&out),
    }
}

/// What `brawn` builds is linked again for each variant here, and so with the kit of this very program. Another state's would
/// give figures of a heap that no one meant to measure.
fn has_this_kit(brawn: &Path) -> Result<()> {
    let file = fs_err::read(brawn)?;
    let arch = Arch::host().context("no kit is for this machine")?;
    for object in brawn_kit::allocators().iter().filter_map(|allocator| allocator.object(arch)) {
        let digest = object.file.sha256().as_bytes();
        ensure!(
            memchr::memmem::find(&file, digest).is_some(),
            "{} has another {} than this program: build both from the same state",
            brawn.display(),
            object.member_name
        );
    }
    Ok(())
}

/// What is done besides.
struct More {
    again: bool,
    twice: bool,
    tests: bool,
}

fn measure(job: &outcome::Job, out: &Path, more: &More, names: &[String]) -> Result<()> {
    let list = list::read(&list::folder())?;
    for name in names {
        ensure!(list.iter().any(|one| one.name == *name), "{name} is not in the list");
    }
    let wanted = |listed: &&Listed| names.is_empty() || names.contains(&listed.name);
    let mut bad = Vec::new();
    for listed in list.iter().filter(wanted) {
        let Some(recipe) = Recipe::read(&list::folder(), &listed.name)? else {
            ensure!(names.is_empty(), "{} has no recipe yet", listed.name);
            continue;
        };
        let before = Outcome::read(out, &listed.name)?;
        let before = before.filter(|outcome| outcome.recipe == recipe.digest);
        let done = before.as_ref().is_some_and(|outcome| !outcome.is_of_another_heap());
        let measured = done && !more.again && !job.build;
        let tried = before.as_ref().and_then(|outcome| outcome.differ.clone());
        let tested = before.as_ref().and_then(|outcome| outcome.tests.clone());
        let twice = more.twice && (tried.is_none() || !measured);
        // Asked for by name, they run again.
        let tests = more.tests && recipe.tests.is_some() && (tested.is_none() || !names.is_empty());
        if measured && !twice && !tests {
            continue;
        }
        say(&format!("{}: {}", listed.name, recipe.about));
        let mut outcome = match before {
            Some(before) if measured => before,
            _ => match outcome::of(job, listed, &recipe) {
                Ok(outcome) => outcome,
                Err(Early::Interrupted) => return Ok(()),
                Err(Early::Failed { error, .. }) => {
                    say(&format!("{}: {error}", listed.name));
                    bad.push(listed.name.as_str());
                    continue;
                }
            },
        };
        outcome.differ = if twice { differ(job, &recipe) } else { tried };
        outcome.tests = match recipe.tests.as_ref().filter(|_| tests) {
            Some(tests) => {
                Some(tests.run(recipe.suite, &Workshop::open(&job.work, &job.brawn)?.on_progress(say))?)
            }
            None => tested,
        };
        say(&format!("{}: {}", listed.name, outcome.state()));
        if !job.build {
            outcome.write(out)?;
        } else if outcome.failed.is_some() || !outcome.verify.is_empty() {
            bad.push(&listed.name);
        }
    }
    ensure!(!job.build || bad.is_empty(), "not built and verified: {}", bad.join(", "));
    Ok(())
}

/// A build that fails the second time leaves it open.
fn differ(job: &outcome::Job, recipe: &Recipe) -> Option<Vec<String>> {
    outcome::differ(job, recipe).unwrap_or_else(|error| {
        say(&format!("{}: {error:#}", recipe.suite.name));
        None
    })
}
