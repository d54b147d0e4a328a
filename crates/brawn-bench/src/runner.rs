//! Runs suites: prepares all of them, then measures case by case.

use std::path::Path;
use std::time::Duration;

use brawn_measure::results::{CaseResult, Noise, Results, Settings, Skipped, SuiteResult, VariantInfo};
use brawn_measure::{Conditions, Progress, Session, Variant};

use crate::case::{Case, Context, MAX_BLOCKS, MIN_BLOCKS, Options};
use crate::suite::Suite;
use crate::{Error, Flavour, Workshop, workloads};

/// What to run.
pub struct Job {
    /// The suites, in order.
    pub suites: Vec<&'static Suite>,
    /// The variants, the baseline first.
    pub flavours: Vec<Flavour>,
    /// What the user said about what to measure.
    pub options: Options,
    /// Time for each case, in seconds; none to choose: [`SECONDS`], and for `quick` as much as keeps the whole short.
    pub seconds: Option<f64>,
    /// Relative half-width of the ratios' intervals that is narrow enough; none to choose: [`PRECISION`], or
    /// [`QUICK_PRECISION`].
    pub precision: Option<f64>,
    /// Fewest counted blocks; none for each case's own.
    pub blocks: Option<usize>,
    /// Where every random order comes from.
    pub seed: u64,
    /// Whether to find out first how noisy this machine is.
    pub noise: bool,
    /// The exact command, for the results.
    pub command: String,
    /// The command up to the suite's name, from which the command of a single case is made.
    pub case_command: String,
    /// What the programs are held to. Its interrupt ends the run; what was measured is kept.
    pub conditions: Conditions,
}

/// Time for each case, in seconds, unless the user gives another.
pub const SECONDS: f64 = 10.0;

/// The precision of ratios, unless the user gives another: two percent.
pub const PRECISION: f64 = 0.02;

/// The same for `quick`: five percent.
pub const QUICK_PRECISION: f64 = 0.05;

/// Time for measuring all cases of `quick`, in seconds: what is left of three minutes after building.
const QUICK_SECONDS: f64 = 120.0;

impl Job {
    fn precision(&self) -> f64 {
        self.precision.unwrap_or(if self.options.quick { QUICK_PRECISION } else { PRECISION })
    }

    /// The command that measures one case again: builds of the user's own have only one.
    fn command_of(&self, suite: &str, case: &str) -> String {
        match self.suites.is_empty() {
            true => self.command.clone(),
            false => format!("{} --case {}", self.case_command.replace("{suite}", suite), quoted(case)),
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            budget_seconds: self.seconds.unwrap_or(SECONDS),
            precision: self.precision(),
            min_blocks: self.blocks.unwrap_or(MIN_BLOCKS),
            max_blocks: MAX_BLOCKS,
            cores: self.conditions.cores.clone(),
            quota: self.conditions.quota,
        }
    }
}

/// What happens during a run, for the code that shows it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The programs of this suite are being built.
    Preparing(&'a str),
    /// This suite is skipped: something is missing.
    Skipping(&'a str, &'a Skipped),
    /// The machine's noise is being measured.
    Noise,
    /// Something that the reader must know, with what to do about it.
    Warning(&'a str),
    /// A case begins.
    Case {
        /// The suite's name.
        suite: &'a str,
        /// The case's name.
        case: &'a str,
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// A variant is about to run.
    Run(Progress<'a>),
    /// A case is done: the results are worth writing.
    Done(&'a Results),
}

/// What is told of each step. An error ends the run: a full disk, when it writes results.
pub(crate) type On<'a> = dyn FnMut(Step<'_>) -> Result<(), Error> + 'a;

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// What was measured, whatever happened.
    pub results: Results,
    /// Why it ended early.
    pub early: Option<Early>,
}

/// Why a run ended early.
#[derive(Debug)]
pub enum Early {
    /// It was told to.
    Interrupted,
    /// Something failed while suites were prepared or measured.
    Failed {
        /// The suite and the case, as far as it is about one.
        place: Option<String>,
        /// What went wrong.
        error: Box<Error>,
    },
}

impl From<Error> for Early {
    fn from(error: Error) -> Early {
        Early::Failed { place: None, error: error.into() }
    }
}

impl Early {
    fn at<E: Into<Error>>(place: impl Into<String>) -> impl FnOnce(E) -> Early {
        move |error| Early::Failed { place: Some(place.into()), error: Box::new(error.into()) }
    }
}

/// Runs `job`, whose programs are built in `workshop`.
pub fn run(job: &Job, workshop: &Workshop, mut on: impl FnMut(Step<'_>) -> Result<(), Error>) -> Ended {
    let mut results = empty(job, workshop);
    let early = measure_all(job, workshop, &mut results, &mut on).err();
    Ended { results, early }
}

fn measure_all(job: &Job, workshop: &Workshop, results: &mut Results, on: &mut On<'_>) -> Result<(), Early> {
    let planned = plan(job, workshop, results, on)?;
    let noise = || {
        let programs =
            workshop.rust_program("threads", workloads::text("threads/threads.rs"), &job.flavours[..1])?;
        // One thread, for some 20 ms: as the shorter of the suites' runs.
        Ok(Variant::new("noise", &programs.each[0].1).args(["1", "1000000"]))
    };
    measure_cases(job, workshop.root(), planned, noise, results, on)
}

/// Measures the cases, each with the place of its suite in the results; before that, how far apart this machine finds two
/// copies of one program. Programs are in `root`, or may be copied there.
pub(crate) fn measure_cases(
    job: &Job,
    root: &Path,
    planned: Vec<(usize, Case)>,
    of_noise: impl FnOnce() -> Result<Variant, Error>,
    results: &mut Results,
    on: &mut On<'_>,
) -> Result<(), Early> {
    let seconds = seconds(job, planned.iter().map(|(_, case)| case.share).sum());
    results.settings.budget_seconds = seconds;
    if job.noise && !planned.is_empty() {
        on(Step::Noise)?;
        match of_noise().and_then(|variant| noise(job, &variant, root)) {
            Ok(found) => {
                if let Some(advice) = brawn_measure::noise::advice(&found, job.precision()) {
                    on(Step::Warning(&advice))?;
                }
                results.noise = Some(found);
            }
            Err(_) if job.conditions.is_interrupted() => return Err(Early::Interrupted),
            Err(error) => on(Step::Warning(&format!("this machine's noise is not known: {error}")))?,
        }
    }
    let of = planned.len();
    for (index, (place, case)) in planned.into_iter().enumerate() {
        let suite = results.suites[place].name.clone();
        on(Step::Case { suite: &suite, case: &case.name, number: index + 1, of })?;
        let (result, complete) = measure(job, root, &suite, case, seconds, on)?;
        if !result.rows.is_empty() || complete {
            results.suites[place].cases.push(result);
        }
        let interrupted = !complete || job.conditions.is_interrupted();
        results.complete = !interrupted && index + 1 == of;
        on(Step::Done(results))?;
        if interrupted {
            return Err(Early::Interrupted);
        }
    }
    if of == 0 {
        results.complete = true;
        on(Step::Done(results))?;
    }
    Ok(())
}

/// Builds everything before anything is measured: what cannot be built is known at once. Gives the cases, each with the place
/// of its suite in the results.
fn plan(
    job: &Job,
    workshop: &Workshop,
    results: &mut Results,
    on: &mut On<'_>,
) -> Result<Vec<(usize, Case)>, Early> {
    let context = Context { workshop, flavours: &job.flavours, options: &job.options };
    let mut planned = Vec::new();
    let mut names = Vec::new();
    for suite in &job.suites {
        on(Step::Preparing(suite.name))?;
        let mut result = SuiteResult {
            name: suite.name.to_owned(),
            title: suite.title.clone(),
            about: suite.about.clone(),
            ..SuiteResult::default()
        };
        match suite.check(workshop).and_then(|()| suite.prepare(&context)) {
            Ok(prepared) => {
                result.notes = prepared.notes;
                results.versions.extend(prepared.versions);
                names.extend(prepared.unwanted);
                let place = results.suites.len();
                let cases = chosen(prepared.cases, job.options.case.as_deref(), &mut names);
                planned.extend(cases.into_iter().map(|case| (place, case)));
            }
            Err(_) if job.conditions.is_interrupted() => return Err(Early::Interrupted),
            Err(Error::Absent { reason, hint }) => {
                let skipped = Skipped { reason, hint };
                on(Step::Skipping(suite.name, &skipped))?;
                result.skipped = Some(skipped);
            }
            Err(error) => return Err(Early::at(suite.name)(error)),
        }
        results.suites.push(result);
    }
    if let Some(given) = job.options.case.as_ref().filter(|_| planned.is_empty() && !names.is_empty()) {
        return Err(Error::UnknownName { kind: "case", given: given.clone(), known: names }.into());
    }
    Ok(planned)
}

/// The cases that were asked for: the one of exactly that name, or all whose names hold the text. Adds all names to
/// `names`.
fn chosen(cases: Vec<Case>, text: Option<&str>, names: &mut Vec<String>) -> Vec<Case> {
    names.extend(cases.iter().map(|case| case.name.clone()));
    let Some(text) = text else { return cases };
    let exact = cases.iter().any(|case| case.name == text);
    cases
        .into_iter()
        .filter(|case| if exact { case.name == text } else { case.name.contains(text) })
        .collect()
}

/// Time for measuring the machine's noise, in seconds.
const NOISE_SECONDS: f64 = 4.0;

/// How far apart this machine finds two copies of one program, which are put into `root`.
fn noise(job: &Job, variant: &Variant, root: &Path) -> Result<Noise, Error> {
    let session = under(job, Session::adaptive(Duration::from_secs_f64(NOISE_SECONDS), 0.005));
    Ok(brawn_measure::noise::measure(variant, root, &session)?)
}

/// A session under the conditions of the job.
fn under(job: &Job, session: Session) -> Session {
    let Conditions { cores, quota, interrupt, .. } = job.conditions.clone();
    let conditions = Conditions { cores, quota, interrupt, ..session.conditions };
    Session { seed: job.seed, conditions, ..session }
}

/// A seed for a run that was given none.
pub fn new_seed() -> u64 {
    Session::new(1).seed
}

/// Seconds for a case that takes one share of `shares`.
fn seconds(job: &Job, shares: f64) -> f64 {
    match job.seconds {
        Some(seconds) => seconds,
        None if job.options.quick => (QUICK_SECONDS / shares.max(1.0)).min(SECONDS),
        None => SECONDS,
    }
}

/// One case: its result, and whether it is whole.
fn measure(
    job: &Job,
    root: &Path,
    suite: &str,
    case: Case,
    seconds: f64,
    on: &mut On<'_>,
) -> Result<(CaseResult, bool), Early> {
    let mut session = under(job, case.session);
    session.budget = Some(Duration::from_secs_f64(seconds * case.share));
    if seconds == 0.0 {
        session.warmup_blocks = 0; // Who gives no time wants to know whether it runs and answers alike, and no times.
    }
    session.precision = Some(job.precision());
    session.min_blocks = job.blocks.unwrap_or(session.min_blocks).min(session.blocks);
    // What shows progress may fail, and then the run shall end; the session knows only its own errors.
    let mut shown = Ok(());
    let outcome = session.run_with(&case.variants, |progress| {
        if shown.is_ok() {
            shown = on(Step::Run(progress));
        }
    });
    shown?;
    let outcome = outcome.map_err(Early::at(format!("{suite}, {}", case.name)))?;
    let command = job.command_of(suite, &case.name);
    let mut result = outcome.case(&case.name, command, &case.rows);
    // Where the workshop and the user's folder are is no one's business.
    let private =
        [(root.join("programs").display().to_string() + "/", ""), (root.display().to_string(), "WORK")];
    let home = std::env::home_dir().map(|home| (home.display().to_string(), "HOME"));
    for runs in &mut result.runs {
        for argument in &mut runs.argv {
            for (path, word) in private.iter().chain(&home) {
                if !path.is_empty() && path != "/" {
                    *argument = argument.replace(path.as_str(), word);
                }
            }
        }
    }
    Ok((result, outcome.complete()))
}

fn empty(job: &Job, workshop: &Workshop) -> Results {
    let (glibc, musl) = (workshop.glibc_version(), workshop.musl_version());
    let info =
        |flavour: &Flavour| VariantInfo::new(&flavour.name, flavour.title(glibc.as_deref(), musl.as_deref()));
    Results {
        versions: workshop.versions(),
        variants: job.flavours.iter().map(info).collect(),
        ..Results::new(&job.command, job.seed, job.settings())
    }
}

/// A word as a POSIX shell reads it back.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(quick: bool, seconds: Option<f64>) -> Job {
        Job {
            suites: Vec::new(),
            flavours: Vec::new(),
            options: Options { quick, ..Options::default() },
            seconds,
            precision: None,
            blocks: None,
            seed: 1,
            noise: false,
            command: String::new(),
            case_command: String::new(),
            conditions: Conditions::default(),
        }
    }

    #[test]
    fn quick_shares_its_time_among_all_cases() {
        assert_eq!(seconds(&job(false, None), 40.0), SECONDS);
        assert_eq!(seconds(&job(false, Some(3.0)), 40.0), 3.0);
        assert_eq!(seconds(&job(true, Some(3.0)), 40.0), 3.0);
        assert_eq!(seconds(&job(true, None), 2.0), SECONDS);
        assert_eq!(seconds(&job(true, None), 40.0) * 40.0, QUICK_SECONDS);
    }

    #[test]
    fn a_case_by_its_whole_name_is_that_case_alone() {
        let chosen = |text: Option<&str>| {
            let cases = ["threads=1", "threads=16", "other"].map(|name| Case::new(name, Vec::new()));
            let mut names = Vec::new();
            let cases = chosen(cases.into(), text, &mut names);
            assert_eq!(names.len(), 3);
            cases.into_iter().map(|case| case.name).collect::<Vec<_>>()
        };
        assert_eq!(chosen(Some("threads=1")), ["threads=1"]);
        assert_eq!(chosen(Some("threads")), ["threads=1", "threads=16"]);
        assert_eq!(chosen(None).len(), 3);
        assert!(chosen(Some("x")).is_empty());
    }

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("threads=4"), "threads=4");
        assert_eq!(quoted("bare, 100 starts"), "'bare, 100 starts'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
