//! `make tune-study`: tunes five real programs, each twice and once exhaustively, checks that the
//! answers repeat, and writes what came out into `docs/tune/`.

pub(crate) mod build;
mod findings;
mod page;
pub(crate) mod programs;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use brawn_measure::Machine;
use brawn_tune::answer::Answer;
use clap::Subcommand;

use self::build::Built;
use self::findings::{About, Duration, Finding, findings, parsed};
use self::programs::{CASES, Case, PROGRAMS, Program, SECOND};
use crate::report;
use crate::workshop::{root, say};

/// The exhaustive run takes so many times as long as each of the others: it is the one that these are held to.
const EXHAUSTIVE: u64 = 2;

/// A step of the study.
#[derive(Subcommand)]
pub enum Step {
    /// Build what is measured
    Build {
        /// The `brawn` to build with
        brawn: PathBuf,
        /// Where the study works
        work: PathBuf,
        /// These programs and cases alone
        only: Vec<String>,
    },
    /// Tune every program twice and once exhaustively
    Run {
        /// The `brawn` to measure with
        brawn: PathBuf,
        /// Where the study works
        work: PathBuf,
        /// Folder for the answers and the page
        out: PathBuf,
        /// Time for each run, in seconds
        seconds: u64,
        /// These programs and cases alone
        only: Vec<String>,
    },
    /// Measure how long an answer takes
    Duration {
        /// The `brawn` to measure with
        brawn: PathBuf,
        /// Where the study works
        work: PathBuf,
        /// Folder for the figure and the page
        out: PathBuf,
    },
    /// Write the page again from the answers that lie there
    Page {
        /// Folder of the answers and the page
        out: PathBuf,
    },
}

/// Takes a step of the study.
pub fn run(step: Step) -> Result<()> {
    match step {
        Step::Build { brawn, work, only } => Study::new(&brawn, &work, &only)?.build(),
        Step::Run { brawn, work, out, seconds, only } => Study::new(&brawn, &work, &only)?.run(&out, seconds),
        Step::Duration { brawn, work, out } => Study::new(&brawn, &work, &[])?.duration(&out),
        Step::Page { out } => page::write(&out),
    }
}

/// The executables that the study is made with, and where it works.
struct Study {
    brawn: PathBuf,
    work: PathBuf,
    programs: Vec<&'static Program>,
    cases: Vec<&'static Case>,
    /// Whether that is all of them.
    whole: bool,
}

impl Study {
    fn new(brawn: &Path, work: &Path, only: &[String]) -> Result<Self> {
        fs_err::create_dir_all(work)?;
        let wanted = |name: &str| only.is_empty() || only.iter().any(|one| one == name);
        let programs: Vec<&Program> = PROGRAMS.iter().filter(|program| wanted(program.name)).collect();
        let cases: Vec<&Case> = CASES.iter().filter(|case| wanted(case.name)).collect();
        let known = programs.len() + cases.len();
        ensure!(only.is_empty() || known == only.len(), "one of {only:?} is no program of the study");
        let [brawn, work] = [brawn, work].map(fs_err::canonicalize);
        Ok(Self { brawn: brawn?, work: work?, programs, cases, whole: only.is_empty() })
    }

    /// Builds what is measured.
    fn build(&self) -> Result<()> {
        build::input(&self.work)?;
        for program in &self.programs {
            build::built(program, &self.brawn, &self.work)?;
        }
        for case in &self.cases {
            build::case(case, &self.brawn, &self.work)?;
        }
        Ok(())
    }

    /// Tunes everything. What fails is told in the end: it takes nothing away from the others.
    fn run(&self, out: &Path, seconds: u64) -> Result<()> {
        let sources = build::input(&self.work)?;
        fs_err::create_dir_all(out)?;
        let about = About::now(Machine::read(), &seconds.to_string(), revision()?);
        if self.whole {
            about.write(out)?;
        }
        let mut failed = Vec::new();
        for program in &self.programs {
            let done = self
                .program(program, &sources, out, seconds)
                .and_then(|()| about.write(&out.join(program.name)));
            failed.extend(done.err().map(|error| format!("{}: {error:#}", program.name)));
        }
        for case in &self.cases {
            let done = self.case(case, &sources, out);
            failed.extend(done.err().map(|error| format!("{}: {error:#}", case.name)));
        }
        page::write(out)?;
        let measured = |finding: &Finding| self.programs.iter().any(|one| one.name == finding.program.name);
        let findings = findings(out)?;
        failed.extend(findings.iter().filter(|finding| measured(finding)).filter_map(Finding::complaint));
        ensure!(failed.is_empty(), "{}", failed.join("\n"));
        Ok(())
    }

    fn program(&self, program: &Program, sources: &Path, out: &Path, seconds: u64) -> Result<()> {
        let Built { executable, glibc } = build::built(program, &self.brawn, &self.work)?;
        let mut options = self.filled(program.options, sources);
        options.extend(["--goal", "time", "--limit", program.limit].map(str::to_owned));
        options.extend(glibc.map(|glibc| format!("--reference=glibc={}", glibc.display())));
        let args = self.filled(program.args, sources);
        let folder = out.join(program.name);
        fs_err::create_dir_all(&folder)?;
        // The page of an older study says nothing about this one.
        let page = folder.join("README.md");
        if page.exists() {
            fs_err::remove_file(page)?;
        }
        let budget = |times: u64| format!("--budget={:.0}s", (times * seconds) as f64 * program.share);
        for run in ["first", "second"] {
            say(&format!("{}: {run} run", program.name));
            let given = [options.clone(), vec![budget(1)]].concat();
            let answer = self.tune(&executable, &given, &args, &folder, run)?;
            // The exhaustive run measures both answers, whatever its own search would have come to.
            options.extend(answer.and_then(|answer| answer.flags).map(|flags| format!("--also={flags}")));
        }
        say(&format!("{}: exhaustive run", program.name));
        options.extend(["--exhaustive".to_owned(), budget(EXHAUSTIVE)]);
        self.tune(&executable, &options, &args, &folder, "exhaustive")?;
        Ok(())
    }

    fn case(&self, case: &Case, sources: &Path, out: &Path) -> Result<()> {
        let executable = build::case(case, &self.brawn, &self.work)?;
        say(&format!("{}: the run", case.name));
        let options = self.filled(case.options, sources);
        self.tune(&executable, &options, &[], &out.join(case.name), "first")?;
        Ok(())
    }

    /// Options or arguments, with their places filled in.
    fn filled(&self, texts: &[&str], sources: &Path) -> Vec<String> {
        let fill = |text: &&str| {
            text.replace("{work}", &self.work.display().to_string())
                .replace("{sources}", &sources.display().to_string())
        };
        texts.iter().map(fill).collect()
    }

    /// How long an answer takes about a program that runs about a second, with nothing but its arguments given.
    fn duration(&self, out: &Path) -> Result<()> {
        build::input(&self.work)?;
        fs_err::create_dir_all(out)?;
        let program = PROGRAMS.iter().find(|program| program.name == SECOND.0).context(SECOND.0)?;
        let Built { executable, glibc } = build::built(program, &self.brawn, &self.work)?;
        let results = self.results(&out.join("duration"), "only")?;
        let reference = glibc.map(|glibc| format!("--reference=glibc={}", glibc.display()));
        let mut command = self.command(&executable, reference.as_slice(), &results);
        command.args(self.filled(SECOND.1, &self.work));
        say(&format!("{}: a run that nothing is said about", program.name));
        let begun = Instant::now();
        let status = command.stdout(Stdio::null()).status()?;
        let seconds = begun.elapsed().as_secs_f64();
        ensure!(status.success(), "brawn tune ended with {status}");
        let answer: Answer = parsed(&results.join("answer.json"))?.context("there is no answer")?;
        let now = answer.profiles.iter().find(|profile| profile.name == answer.now);
        let run_seconds =
            *now.and_then(|now| now.figures.get("time")).context("no one knows how long it ran")?;
        let took = Duration {
            about: About::now(Machine::read(), "", revision()?),
            program: program.name.to_owned(),
            run_seconds,
            seconds,
            overhead: answer.overhead,
            links: answer.links,
        };
        took.write(out)?;
        say(&format!(
            "{seconds:.1} s for a program that runs {run_seconds:.2} s, overhead {:.2} %",
            answer.overhead * 100.0
        ));
        page::write(out)
    }

    /// An empty place for the results of a run.
    fn results(&self, folder: &Path, run: &str) -> Result<PathBuf> {
        let name = folder.file_name().context("a program has a name")?;
        let results = self.work.join("results").join(name).join(run);
        if results.exists() {
            fs_err::remove_dir_all(&results)?;
        }
        Ok(results)
    }

    /// `brawn tune` for an executable, up to its arguments.
    fn command(&self, executable: &Path, options: &[String], results: &Path) -> Command {
        let mut command = build::with_cache(Command::new(&self.brawn), &self.work);
        command.arg("tune").arg("--exe").arg(executable).args(options);
        command.arg("--out").arg(results).arg("--");
        command
    }

    /// One run, of which the answer is kept; the page of the first that has one, too. None where there was no answer.
    fn tune(
        &self,
        executable: &Path,
        options: &[String],
        args: &[String],
        folder: &Path,
        run: &str,
    ) -> Result<Option<Answer>> {
        let results = self.results(folder, run)?;
        fs_err::create_dir_all(folder)?;
        let status = self.command(executable, options, &results).args(args).stdout(Stdio::null()).status()?;
        // No answer on a noisy machine is one that is worth telling.
        ensure!(matches!(status.code(), Some(0 | 8)), "brawn tune ended with {status}");
        let answer = results.join("answer.json");
        let text = if answer.exists() { fs_err::read_to_string(&answer)? } else { "null\n".to_owned() };
        let home = std::env::home_dir().map(|home| home.display().to_string()).unwrap_or_default();
        let public = |text: String| {
            let text = text.replace(&self.work.display().to_string(), "WORK");
            if home.len() > 1 { text.replace(&home, "HOME") } else { text }
        };
        let kept = folder.join(format!("{run}.json"));
        fs_err::write(&kept, public(text))?;
        let page = results.join("tune.md");
        let public_page = folder.join("README.md");
        if page.exists() && (run == "first" || !public_page.exists()) {
            fs_err::write(public_page, public(fs_err::read_to_string(page)?))?;
        }
        parsed(&kept)
    }
}

/// The state of the repository that is measured.
fn revision() -> Result<String> {
    report::revision(&root()).context("git does not know which state of the repository this is")
}
