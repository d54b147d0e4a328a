//! Development tool behind `make tune-study`: tunes five real programs, each twice and once exhaustively, checks that the
//! answers repeat, and writes what came out into `docs/tune/`.

mod build;
mod findings;
mod page;
mod programs;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use brawn_bench::Machine;

use brawn_tune::answer::Answer;

use crate::build::Built;
use crate::findings::{About, read};
use crate::programs::{CASES, Case, PROGRAMS, Program};

const USAGE: &str = "usage: brawn-tune-study build BRAWN WORK [PROGRAM…]\n       brawn-tune-study run BRAWN WORK OUT BUDGET \
                     [PROGRAM…]\n       brawn-tune-study page OUT";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["build", brawn, work, only @ ..] => Study::new(brawn, work, only).and_then(|study| study.build()),
        ["run", brawn, work, out, budget, only @ ..] => {
            Study::new(brawn, work, only).and_then(|study| study.run(Path::new(out), budget))
        }
        ["page", out] => page::write(Path::new(out)),
        _ => Err(anyhow::anyhow!(USAGE)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  caused by: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}

/// The executables that the study is made with, and where it works.
struct Study {
    brawn: PathBuf,
    work: PathBuf,
    programs: Vec<&'static Program>,
    cases: Vec<&'static Case>,
}

impl Study {
    fn new(brawn: &str, work: &str, only: &[&str]) -> Result<Self> {
        fs_err::create_dir_all(work)?;
        let wanted = |name: &str| only.is_empty() || only.contains(&name);
        let programs: Vec<&Program> = PROGRAMS.iter().filter(|program| wanted(program.name)).collect();
        let cases: Vec<&Case> = CASES.iter().filter(|case| wanted(case.name)).collect();
        let known = programs.len() + cases.len();
        ensure!(only.is_empty() || known == only.len(), "one of {only:?} is no program of the study");
        Ok(Self { brawn: fs_err::canonicalize(brawn)?, work: fs_err::canonicalize(work)?, programs, cases })
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

    fn run(&self, out: &Path, budget: &str) -> Result<()> {
        let sources = build::input(&self.work)?;
        fs_err::create_dir_all(out)?;
        About::now(Machine::read(), budget, revision()?).write(out)?;
        let fill = |text: &&str| {
            text.replace("{work}", &self.work.display().to_string())
                .replace("{sources}", &sources.display().to_string())
        };
        for program in &self.programs {
            let Built { executable, glibc } = build::built(program, &self.brawn, &self.work)?;
            let mut options: Vec<String> = program.options.iter().map(fill).collect();
            options
                .extend(["--goal", "time", "--limit", program.limit, "--budget", budget].map(str::to_owned));
            options.extend(glibc.map(|glibc| format!("--reference=glibc={}", glibc.display())));
            let args: Vec<String> = program.args.iter().map(fill).collect();
            let folder = out.join(program.name);
            for run in ["first", "second"] {
                say(&format!("{}: {run} run", program.name));
                let answer = self.tune(&executable, &options, &args, &folder, run)?;
                // The exhaustive run measures both answers, whatever its own search would have come to.
                options.extend(answer.and_then(|answer| answer.flags).map(|flags| format!("--also={flags}")));
            }
            say(&format!("{}: exhaustive run", program.name));
            options.push("--exhaustive".to_owned());
            self.tune(&executable, &options, &args, &folder, "exhaustive")?;
        }
        for case in &self.cases {
            let executable = build::case(case, &self.brawn, &self.work)?;
            say(&format!("{}: the run", case.name));
            let options: Vec<String> = case.options.iter().map(fill).collect();
            self.tune(&executable, &options, &[], &out.join(case.name), "first")?;
        }
        page::write(out)
    }

    /// One run, of which the answer is kept; the first one's page, too. None where there was no answer.
    fn tune(
        &self,
        executable: &Path,
        options: &[String],
        args: &[String],
        folder: &Path,
        run: &str,
    ) -> Result<Option<Answer>> {
        let name = folder.file_name().context("a program has a name")?;
        let results = self.work.join("results").join(name).join(run);
        if results.exists() {
            fs_err::remove_dir_all(&results)?;
        }
        fs_err::create_dir_all(folder)?;
        let mut command = build::with_cache(Command::new(&self.brawn), &self.work);
        command.arg("tune").arg("--exe").arg(executable).args(options);
        command.arg("--out").arg(&results).arg("--").args(args);
        let status = command.stdout(Stdio::null()).status()?;
        // No answer on a noisy machine is one that is worth telling.
        ensure!(matches!(status.code(), Some(0 | 8)), "{}: brawn tune ended with {status}", name.display());
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
        if run == "first" && page.exists() {
            fs_err::write(folder.join("README.md"), public(fs_err::read_to_string(page)?))?;
        }
        read(&kept)
    }
}

/// The state of the repository that is measured.
fn revision() -> Result<String> {
    let output = Command::new("git")
        .args(["-C", env!("CARGO_MANIFEST_DIR"), "describe", "--always", "--dirty", "--abbrev=12"])
        .output()
        .context("cannot run git")?;
    if !output.status.success() {
        bail!("git does not know which state of the repository this is");
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn say(text: &str) {
    eprintln!("==> {text}");
}
