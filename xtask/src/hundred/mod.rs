//! A hundred programs that others wrote, by the rule of docs/hundred/rule.md: each built for glibc and by Brawn, checked, and
//! run on the same work as every variant.

mod inputs;
mod list;
mod outcome;
mod page;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use brawn_bench::runner::Early;
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
        /// Build and check only: results of another day stay
        #[arg(long)]
        build: bool,
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
        Step::Run { brawn, out, work, time, again, build, names } => {
            let job = outcome::Job { brawn: fs_err::canonicalize(brawn)?, work, seconds: time, build };
            measure(&job, &out, again, &names)?;
            page::write(&out)
        }
        Step::Page { out } => page::write(&out),
    }
}

fn measure(job: &outcome::Job, out: &Path, again: bool, names: &[String]) -> Result<()> {
    let list = list::read(&list::folder())?;
    for name in names {
        ensure!(list.iter().any(|one| one.name == *name), "{name} is not in the list");
    }
    let wanted = |listed: &&Listed| names.is_empty() || names.contains(&listed.name);
    for listed in list.iter().filter(wanted) {
        let Some(recipe) = Recipe::read(&list::folder(), &listed.name)? else {
            ensure!(names.is_empty(), "{} has no recipe yet", listed.name);
            continue;
        };
        let before = Outcome::read(out, &listed.name)?;
        if !again && before.is_some_and(|outcome| outcome.recipe == recipe.digest) {
            continue;
        }
        say(&format!("{}: {}", listed.name, recipe.about));
        match outcome::of(job, listed, &recipe) {
            Ok(outcome) if job.build => say(&format!("{}: {}", listed.name, outcome.state())),
            Ok(outcome) => {
                say(&format!("{}: {}", listed.name, outcome.state()));
                outcome.write(out)?;
            }
            Err(Early::Interrupted) => return Ok(()),
            Err(Early::Failed { error, .. }) => say(&format!("{}: {error}", listed.name)),
        }
    }
    Ok(())
}
