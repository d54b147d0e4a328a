//! What became of one program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use brawn_bench::runner::{self, Early, Ended, Job as Bench, Step};
use brawn_bench::{Flavour, Options, Workshop};
use brawn_libc::sha256_hex;
use brawn_measure::results::{Cell, Results};
use brawn_measure::{Conditions, Output, Summary, Variant};
use serde::{Deserialize, Serialize};

use super::inputs;
use super::list::{Listed, Recipe};
use super::own_tests::Tested;
use super::variants::{DEFAULT, VARIANTS};
use crate::report::revision;
use crate::workshop::{root, say};

/// How programs are built and measured.
pub struct Job {
    pub brawn: PathBuf,
    pub work: PathBuf,
    /// Time for each program.
    pub seconds: f64,
    /// Whether to build and check only.
    pub build: bool,
}

/// What became of one program: a file in `docs/hundred/results/`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    pub name: String,
    /// Digest of the recipe.
    pub recipe: String,
    /// The day, in UTC, as `YYYY-MM-DD`.
    pub date: String,
    /// The state of the repository.
    pub revision: Option<String>,
    /// Seconds until all variants were there: short where they were before.
    pub built_in: f64,
    /// Why there is no program, if there is none.
    pub failed: Option<String>,
    /// What `brawn verify` says of Brawn's default, one line a finding; empty where it accepts it.
    pub verify: Vec<String>,
    /// Sizes of the executables in bytes, by variant.
    pub sizes: BTreeMap<String, u64>,
    /// The heaps in Brawn's default.
    pub heaps: Vec<String>,
    /// SHA-256 of what it prints, as the recipe compares it; none where it does not.
    pub output: Option<String>,
    /// The variants that differ when they are built a second time; none where that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differ: Option<Vec<String>>,
    /// What its own tests said; none where they were not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tested>,
    pub results: Option<Results>,
}

impl Outcome {
    fn path(out: &Path, name: &str) -> PathBuf {
        out.join("results").join(format!("{name}.json"))
    }

    /// The one that was written last.
    pub fn read(out: &Path, name: &str) -> Result<Option<Outcome>> {
        let path = Outcome::path(out, name);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs_err::read_to_string(&path)?;
        Ok(Some(serde_json::from_str(&text).with_context(|| format!("{} is no outcome", path.display()))?))
    }

    pub fn write(&self, out: &Path) -> Result<()> {
        let path = Outcome::path(out, &self.name);
        fs_err::create_dir_all(path.parent().context("a file in a folder")?)?;
        Ok(brawn_base::temporary::write(&path, (serde_json::to_string(self)? + "\n").as_bytes(), 0o644)?)
    }

    /// In a few words.
    pub fn state(&self) -> String {
        if let Some(failed) = &self.failed {
            return failed.lines().next().unwrap_or_default().to_owned();
        }
        let ratio = |kind: &str| {
            let cell = self.cell(DEFAULT, kind).and_then(|cell| cell.ratio);
            cell.map_or("unknown".into(), |ratio| format!("{:.3}x", ratio.median))
        };
        let verified = if self.verify.is_empty() { "verified" } else { "refused by verify" };
        format!("{verified}, time {}, memory {}", ratio("time"), ratio("peak memory"))
    }

    /// Whether Brawn's default had another heap than it has now when this was measured. A program without a heap of C has none
    /// to tell.
    pub fn is_of_another_heap(&self) -> bool {
        let now = brawn_libc::Choice::default().malloc.name();
        let kits = || brawn_kit::allocators().iter().map(|allocator| allocator.name);
        let has = |name: &str| self.heaps.iter().any(|heap| heap.split_whitespace().next() == Some(name));
        !has(now) && kits().any(has)
    }

    /// A variant's figure of this name.
    pub fn cell(&self, variant: &str, row: &str) -> Option<Cell> {
        let case = self.results.as_ref()?.suites.first()?.cases.first()?;
        let row = case.rows.iter().find(|one| one.name == row)?;
        row.cells.iter().find(|cell| cell.variant == variant).cloned()
    }

    /// A variant's figure over glibc's.
    pub fn ratio(&self, variant: &str, row: &str) -> Option<Summary> {
        self.cell(variant, row)?.ratio
    }
}

/// Builds, checks and measures.
///
/// # Errors
/// [`Early`] when it was interrupted, or the work failed that a program was to do.
pub fn of(job: &Job, listed: &Listed, recipe: &Recipe) -> Result<Outcome, Early> {
    let fail = |error: anyhow::Error| Early::Failed {
        place: None,
        error: Box::new(std::io::Error::other(format!("{error:#}")).into()),
    };
    let workshop = Workshop::open(&job.work, &job.brawn)?.on_progress(say);
    inputs::make(workshop.root()).map_err(fail)?;
    let bench = plan(job, recipe)?;
    let begun = Instant::now();
    let mut built_in = None;
    let Ended { mut results, early } = runner::run(&bench, &workshop, |step| {
        if let Step::Case { .. } = step {
            built_in.get_or_insert(begun.elapsed().as_secs_f64());
        }
        Ok(())
    });
    let case = results.suites.first().and_then(|suite| suite.cases.first());
    let failed = match (early, case) {
        (Some(Early::Interrupted), _) => return Err(Early::Interrupted),
        (Some(Early::Failed { error, .. }), _) => {
            let causes = std::iter::successors(std::error::Error::source(&*error), |cause| cause.source());
            let lines: Vec<String> =
                [error.to_string()].into_iter().chain(causes.map(ToString::to_string)).collect();
            Some(lines.join("\n"))
        }
        (None, None) => {
            let suite = results.suites.first();
            let skipped =
                suite.and_then(|suite| suite.skipped.as_ref()).map(|skipped| skipped.reason.clone());
            Some(skipped.unwrap_or_else(|| "no variant could be built".to_owned()))
        }
        (None, Some(_)) => None,
    };
    let mut outcome = Outcome {
        name: listed.name.clone(),
        recipe: recipe.digest.clone(),
        date: results.date.clone(),
        revision: revision(&root()),
        built_in: built_in.unwrap_or_else(|| begun.elapsed().as_secs_f64()),
        failed,
        verify: Vec::new(),
        sizes: BTreeMap::new(),
        heaps: Vec::new(),
        output: None,
        differ: None,
        tests: None,
        results: None,
    };
    if outcome.failed.is_none() {
        look(&mut outcome, job, &bench, &workshop, recipe).map_err(fail)?;
        for suite in &mut results.suites {
            suite.about.clone_from(&recipe.about);
        }
        outcome.results = Some(results);
    }
    public(&outcome, workshop.root()).map_err(fail)
}

/// Builds all variants from nothing again, in the same place, and tells which are not the same to the byte; none where it cannot
/// be built.
pub fn differ(job: &Job, recipe: &Recipe) -> Result<Option<Vec<String>>> {
    let bench = plan(job, recipe).map_err(|_| anyhow::anyhow!("there is no such variant"))?;
    let workshop = Workshop::open(&job.work, &job.brawn)?.on_progress(say);
    let context =
        brawn_bench::Context { workshop: &workshop, flavours: &bench.flavours, options: &bench.options };
    let programs = || -> Result<Vec<(String, String)>> {
        let prepared = bench.suites[0].prepare(&context)?;
        let Some(case) = prepared.cases.first() else { return Ok(Vec::new()) };
        let digest =
            |variant: &Variant| Ok((variant.name.clone(), sha256_hex(&fs_err::read(&variant.program)?)));
        case.variants.iter().map(digest).collect()
    };
    let first = programs()?;
    if first.is_empty() {
        return Ok(None);
    }
    let folder = workshop.root().join("programs").join(recipe.suite.name);
    let aside = folder.with_file_name(format!("{}.first", recipe.suite.name));
    if aside.exists() {
        fs_err::remove_dir_all(&aside)?;
    }
    fs_err::rename(&folder, &aside)?;
    let second = programs()?;
    fs_err::remove_dir_all(aside)?;
    let differ: Vec<String> =
        first.iter().filter(|one| !second.contains(one)).map(|(name, _)| name.clone()).collect();
    say(&format!("{}: built twice, {} of {} variants differ", recipe.suite.name, differ.len(), first.len()));
    Ok(Some(differ))
}

fn plan(job: &Job, recipe: &Recipe) -> Result<Bench, Early> {
    Ok(Bench {
        suites: vec![recipe.suite],
        flavours: Flavour::list(VARIANTS)?,
        options: Options::default(),
        seconds: Some(if job.build { 0.0 } else { job.seconds }),
        precision: Some(0.01),
        blocks: job.build.then_some(1),
        seed: runner::new_seed(),
        noise: false,
        command: format!("xtask hundred run {}", recipe.suite.name),
        case_command: "xtask hundred run {suite}".to_owned(),
        conditions: Conditions::default(),
    })
}

/// What is inside, and what it prints.
fn look(outcome: &mut Outcome, job: &Job, bench: &Bench, workshop: &Workshop, recipe: &Recipe) -> Result<()> {
    let context = brawn_bench::Context { workshop, flavours: &bench.flavours, options: &bench.options };
    let prepared = bench.suites[0].prepare(&context)?;
    let case = prepared.cases.first().context("no case")?;
    for variant in &case.variants {
        outcome.sizes.insert(variant.name.clone(), fs_err::metadata(&variant.program)?.len());
    }
    let ours =
        case.variants.iter().find(|variant| variant.name == DEFAULT).context("no variant of Brawn's")?;
    let inspection = brawn_elf::inspect(&brawn_base::file::elf(&ours.program)?)?;
    outcome.heaps = inspection.allocators.iter().map(ToString::to_string).collect();
    let verified = Command::new(&job.brawn).arg("verify").arg(&ours.program).output()?;
    if !verified.status.success() {
        let text = [verified.stdout, verified.stderr].concat();
        outcome.verify = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
    }
    outcome.output = printed(&case.variants[0], case.session.output)?;
    if let (Some(expected), Some(output)) = (&recipe.expected, &outcome.output) {
        ensure!(expected == output, "it prints {output}, and the recipe expects {expected}");
    }
    Ok(())
}

/// The digest of what a program prints, as its case compares it.
fn printed(variant: &Variant, rule: Output) -> Result<Option<String>> {
    if variant.service.is_some() || rule == Output::Unchecked {
        return Ok(None);
    }
    let mut command = variant.command();
    command.stdin(match &variant.stdin {
        Some(path) => Stdio::from(fs_err::File::open(path)?.into_file()),
        None => Stdio::null(),
    });
    let output = command.stderr(Stdio::null()).output()?;
    let mut bytes = output.stdout;
    if rule == Output::SortedLines {
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        lines.sort_unstable();
        bytes = lines.join(&b'\n');
    }
    Ok(Some(sha256_hex(&bytes)))
}

/// The same without paths that are no one's business.
fn public(outcome: &Outcome, work: &Path) -> Result<Outcome> {
    let mut text = serde_json::to_string(outcome)?;
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    let repository = fs_err::canonicalize(root())?;
    let private = [(work.to_owned(), "WORK"), (repository, ".")].into_iter();
    for (path, word) in private.chain(home.map(|home| (home, "HOME"))) {
        text = text.replace(&path.display().to_string(), word);
    }
    Ok(serde_json::from_str(&text)?)
}
