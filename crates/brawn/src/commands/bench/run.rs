//! `brawn bench SUITE…`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brawn_base::Code;
use brawn_bench::builds::{self, Build};
use brawn_bench::runner::{self, Early, Ended, Job, Step, quoted};
use brawn_bench::{Flavour, Workshop};
use brawn_measure::Conditions;
use brawn_measure::export::Format;
use clap::Args;

use super::progress::Progress;
use crate::cli::{Options, usage};
use crate::commands::called::{Called, OutputRule};
use crate::commands::tune::units::positive;
use crate::exit::{Context as _, Result};
use crate::output;

#[derive(Args)]
pub struct Run {
    /// Suites: `quick`, `all`, or names; before `--`, builds of a program of your own, the baseline first: [NAME=]FILE
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
    /// What to compare, the baseline first [default: glibc,stock and every preset]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    variants: Vec<String>,
    /// Time for each case [default: 10; for quick as much as keeps the whole under 3 minutes]
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    time: Option<f64>,
    /// Stop a case earlier when every ratio is known to so many percent [default: 2; for quick 5]
    #[arg(long, value_name = "PERCENT", value_parser = positive)]
    precision: Option<f64>,
    /// Fewest runs of each variant that count, in each case [default: 5, fewer where a run is long]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=300))]
    blocks: Option<u16>,
    /// Thread counts, instead of each suite's own
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Vec<u16>,
    /// Cores that the programs are held to
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    cores: Vec<usize>,
    /// CPU time that a program may use, in cores
    #[arg(long, value_name = "CORES", value_parser = positive)]
    quota: Option<f64>,
    /// Only cases whose name holds this text
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
    /// Seed of an earlier run, to repeat its order
    #[arg(long)]
    seed: Option<u64>,
    /// Folder for results.json, results.csv, results.md and report.html [default: brawn-bench-DATE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder in which programs are built and kept [default: bench in Brawn's cache]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// How to print the results: text, markdown, csv, json, bencher or html
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = super::report::format)]
    format: Format,
    /// Do not measure this machine's noise first
    #[arg(long)]
    no_noise: bool,
    /// List the suites, what they need, and whether it is here
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    called: Called,
    /// The arguments of your own program
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

/// Runs suites.
pub fn run(options: Options, arguments: Run) -> Result<ExitCode> {
    let mut progress = Progress::new(options.verbose > 0, options.quiet);
    let root = match &arguments.work {
        Some(folder) => folder.clone(),
        None => Workshop::default_root()?,
    };
    let workshop = Workshop::open(&root, &super::super::executable()?)?.on_progress(progress.speaker());
    if arguments.list {
        super::list::print(&workshop, options.json());
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.suites.is_empty() {
        usage("which suites? For example: brawn bench quick. `brawn bench --list` shows all");
    }
    let own = std::env::args_os().any(|word| word == "--");
    if let Some(path) = arguments.suites.iter().find(|name| !own && name.contains('/')) {
        usage(format!(
            "{path} is no suite. Builds of your own program stand before `--`, its arguments behind: brawn bench \
             ./before ./after -- ARGS (without any, end with --)"
        ));
    }
    refuse(&arguments, own);
    let builds = if own { Build::list(&arguments.suites)? } else { Vec::new() };
    let job = job(&arguments, own)?;
    if options.dry_run {
        let suites = job.suites.iter().map(|suite| suite.name);
        for name in suites.chain(builds.iter().map(|build| build.name.as_str())) {
            outln!("{name}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let out = match &arguments.out {
        Some(folder) => folder.clone(),
        None => free_folder(&format!("brawn-bench-{}", brawn_measure::date::today())),
    };
    let is_new = !out.exists();
    fs_err::create_dir_all(&out)?;
    progress.say(&format!("seed {}, results go to {}", job.seed, out.display()));
    let on = |step: Step<'_>| {
        progress.show(&step);
        if let Step::Done(results) = step {
            brawn_bench::output::write(&out, results)?;
        }
        Ok(())
    };
    let ended = if own {
        let mut like = arguments.called.variant()?;
        like.args.clone_from(&arguments.args);
        let mut case = builds::case(&builds, &like);
        case.session.output = arguments.called.output.rule();
        case.session.ignored_lines.clone_from(&arguments.called.ignore_lines);
        builds::run(&job, &builds, case, workshop.root(), on)
    } else {
        runner::run(&job, &workshop, on)
    };
    progress.finish();
    if is_new {
        // Empty, if nothing was measured; results keep it.
        let _ = fs_err::remove_dir(&out);
    }
    finish(&options, &arguments, &job, &out, ended)
}

/// Refuses what says nothing about what is run.
fn refuse(arguments: &Run, own: bool) {
    let called = &arguments.called;
    let of_suites = [
        ("--variants", !arguments.variants.is_empty()),
        ("--threads", !arguments.threads.is_empty()),
        ("--case", arguments.case.is_some()),
    ];
    let of_builds = [
        ("--dir", called.dir.is_some()),
        ("--stdin", called.stdin.is_some()),
        ("--status", called.status != 0),
        ("--output", called.output != OutputRule::default()),
        ("--ignore-lines", called.ignore_lines.is_some()),
    ];
    let given = |options: &[(&'static str, bool)]| {
        options.iter().find(|(_, given)| *given).map(|(option, _)| *option)
    };
    match (own, given(&of_suites), given(&of_builds)) {
        (true, Some(option), _) => {
            usage(format!("{option} is for suites: builds are run as `--` says, once a block"))
        }
        (false, _, Some(option)) => usage(format!(
            "{option} is for builds of your own program: brawn bench {option} … ./before ./after -- ARGS"
        )),
        _ => {}
    }
}

/// The words of a command without the folder that programs are built in: it changes no figure, and where it was is
/// no one's business who reads the results.
fn without_work(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut is_path = false;
    for word in words {
        let is_option = word == "--work";
        if !is_option && !is_path && !word.starts_with("--work=") {
            kept.push(word);
        }
        is_path = is_option;
    }
    kept
}

fn job(arguments: &Run, own: bool) -> Result<Job> {
    let (suites, quick) = match own {
        true => (Vec::new(), false),
        false => brawn_bench::suites(&arguments.suites).map_err(with_commands)?,
    };
    let flavours = if own {
        Vec::new()
    } else if arguments.variants.is_empty() {
        Flavour::defaults()
    } else {
        Flavour::list(arguments.variants.iter().map(String::as_str))?
    };
    let seed = arguments.seed.unwrap_or_else(brawn_bench::runner::new_seed);
    let conditions = Conditions {
        cores: arguments.cores.clone(),
        quota: arguments.quota,
        interrupt: Some(crate::commands::interrupt()?),
        ..Conditions::default()
    };
    let command: Vec<String> = std::iter::once("brawn".to_owned())
        .chain(without_work(std::env::args().skip(1)).iter().map(|word| quoted(word)))
        .collect();
    let names: Vec<&str> = flavours.iter().map(|flavour| flavour.name.as_str()).collect();
    Ok(Job {
        case_command: format!("brawn bench {{suite}} --variants {}", names.join(",")),
        suites,
        flavours,
        options: brawn_bench::Options {
            quick,
            threads: arguments.threads.iter().copied().map(usize::from).collect(),
            case: arguments.case.clone(),
            ..brawn_bench::Options::default()
        },
        seconds: arguments.time,
        precision: arguments.precision.map(|percent| percent / 100.0),
        blocks: arguments.blocks.map(usize::from),
        seed,
        noise: !arguments.no_noise,
        command: command.join(" "),
        conditions,
    })
}

/// Prints the results, and says how to go on when they are not whole.
fn finish(options: &Options, arguments: &Run, job: &Job, out: &Path, ended: Ended) -> Result<ExitCode> {
    let Ended { results, early } = ended;
    if let Some(Early::Failed { place: None, error }) = early {
        return Err((*error).into());
    }
    let measured = results.suites.iter().any(|suite| !suite.cases.is_empty());
    if measured {
        let format = if options.json() { Format::Json } else { arguments.format };
        let text = format.render(&results);
        match format {
            Format::Json => output::json_text(&text),
            _ => output::document(&text),
        }
    }
    if let Some(Early::Failed { place: Some(place), error }) = early {
        let kept = if measured {
            format!(" (what was measured before is in {})", out.display())
        } else {
            String::new()
        };
        return Err(*error).context(|| format!("{place}: the run ends here{kept}"));
    }
    if let Some(Early::Interrupted) = early {
        output::say(&match measured {
            true => format!("interrupted: what was measured is in {}", out.display()),
            false => "interrupted before anything was measured".to_owned(),
        });
        let rest: Vec<&str> = job
            .suites
            .iter()
            .map(|suite| suite.name)
            .filter(|name| !results.suites.iter().any(|done| done.name == *name && !done.cases.is_empty()))
            .collect();
        output::hint(&format!(
            "`{}` measures all again with the same seed{}",
            again(job),
            if rest.is_empty() { String::new() } else { format!("; not begun: {}", rest.join(" ")) }
        ));
        return Ok(Code::Interrupted.into());
    }
    if !options.quiet {
        output::say(&format!("results are in {}; open {}", out.display(), out.join("report.html").display()));
    }
    let skipped = results.suites.iter().filter(|suite| suite.skipped.is_some()).count();
    Ok(if skipped > 0 && skipped == results.suites.len() { Code::Missing.into() } else { ExitCode::SUCCESS })
}

/// A word that is no suite may be meant for a command.
fn with_commands(error: brawn_bench::Error) -> brawn_bench::Error {
    match error {
        brawn_bench::Error::UnknownName { kind, given, mut known } => {
            known.extend(["compare", "report"].map(str::to_owned));
            brawn_bench::Error::UnknownName { kind, given, known }
        }
        error => error,
    }
}

/// The command, with the seed.
fn again(job: &Job) -> String {
    if job.command.contains("--seed") {
        job.command.clone()
    } else {
        format!("{} --seed {}", job.command, job.seed)
    }
}

/// A folder's name that is not taken: the name itself, or with a number.
pub fn free_folder(name: &str) -> PathBuf {
    let numbered = (2..).map(|number| PathBuf::from(format!("{name}-{number}")));
    std::iter::once(PathBuf::from(name)).chain(numbered).find(|path| !path.exists()).expect("numbers go on")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_folder_of_programs_is_not_told() {
        let words = ["bench", "quick", "--work", "/home/me", "--time", "3", "--work=/tmp", "--out", "x"];
        let kept = super::without_work(words.map(str::to_owned).into_iter());
        assert_eq!(kept, ["bench", "quick", "--time", "3", "--out", "x"]);
    }
}
