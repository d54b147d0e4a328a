//! `brawn tune … -- ARGS`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use brawn_base::Code;
use brawn_measure::{Conditions, Reader, Service, Variant};
use brawn_tune::answer::Answer;
use brawn_tune::candidate::Candidate;
use brawn_tune::explain::{Profile, words};
use brawn_tune::job::{Job, ready, workloads};
use brawn_tune::load::read_metrics;
use brawn_tune::race::Role;
use brawn_tune::runner::Runner;
use brawn_tune::setting::Setting;
use brawn_tune::state::State;
use brawn_tune::tune::{Plan, Search, Step};
use brawn_tune::{Error, Goal, Stage as _, apply, document, trace};
use clap::Parser;

use super::Arguments;
use super::arguments::Kept;
use super::clock::Clock;
use super::progress::Progress;
use super::subject::{self, Subject};
use crate::cli::{Options, usage};
use crate::commands::called::whole;
use crate::exit::Result;
use crate::{output, uses};

/// The folder of the candidates' executables in that of a run.
const PROGRAMS: &str = "programs";
/// Said where the budget ended a run that explains the answer.
const UNEXPLAINED: &str = "what the program allocates, or which system calls it makes, was not counted to the end: the budget was \
                           used up (--budget)";

/// `brawn tune`
pub fn run(options: Options, given: Arguments) -> Result<ExitCode> {
    let (arguments, options, mut state, out) = begin(given, options)?;
    refuse(&arguments, &options);
    let interrupt = crate::commands::interrupt()?;
    let job = job(&arguments, interrupt)?;
    let progress = Progress::new(arguments.budget.as_secs(), options.verbose > 0, options.quiet);
    let programs = std::path::absolute(out.join(PROGRAMS))?;
    let subject = subject::find(&arguments, &options, &programs, &progress)?;
    if options.dry_run {
        for candidate in &subject.candidates {
            outln!("{}", candidate.name);
        }
        return Ok(ExitCode::SUCCESS);
    }
    fs_err::create_dir_all(&out)?;
    state.same_subject(&out, &subject.digest)?;
    let plan = Plan {
        goal: arguments.goal,
        budget: arguments.budget,
        precision: arguments.precision / 100.0,
        workloads: job.workloads.len(),
        knobs: !arguments.no_knobs && arguments.exe.len() < 2,
        exhaustive: arguments.exhaustive,
        asked: subject.asked.clone(),
    };
    let mut run = Run { arguments, options, job, plan, state, out, progress, subject };
    let ended = run.measure();
    run.progress.finish();
    if !run.arguments.keep {
        // What cannot be removed is in no one's way.
        let _ = fs_err::remove_dir_all(&programs);
    }
    run.finish(ended)
}

/// The arguments, the state of the run that is gone on with or a new one, and the folder of the results.
fn begin(given: Arguments, before: Options) -> Result<(Arguments, Options, State, PathBuf)> {
    let here = std::env::current_dir()?;
    if let Some(out) = given.resume.clone() {
        let state = State::load(&out)?;
        if state.folder != here {
            usage(format!("this run was begun in {}: go there to go on with it", state.folder.display()));
        }
        let others = beside_resume(given_words());
        if !others.is_empty() && others != state.command {
            usage(format!(
                "--resume goes on with the arguments that the run was begun with: leave out `{}`, or begin anew without --resume",
                others.join(" ")
            ));
        }
        let words = std::iter::once("brawn tune".to_owned()).chain(state.command.iter().cloned());
        let Kept { mut arguments, options } = Kept::parse_from(words);
        arguments.apply |= given.apply;
        return Ok((arguments, options.over(before), state, out));
    }
    let command: Vec<String> = given_words().collect();
    if !command.iter().any(|word| word == "--") {
        usage("the program's arguments are missing: brawn tune [OPTIONS] -- ARGS (without any, end with --)");
    }
    let seed = given.seed.unwrap_or_else(brawn_bench::runner::new_seed);
    let out = given.out.clone().unwrap_or_else(|| {
        super::super::bench::free_folder(&format!("brawn-tune-{}", brawn_measure::date::today()))
    });
    Ok((given, before, State::new(command, here, seed), out))
}

/// What follows the command's name.
fn given_words() -> impl Iterator<Item = String> {
    let words = std::env::args_os().skip_while(|word| word != "tune").skip(1);
    words.map(|word| word.to_string_lossy().into_owned())
}

/// Those words that a resumed run would have to leave out of account.
fn beside_resume(mut words: impl Iterator<Item = String>) -> Vec<String> {
    let mut others = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--resume" => drop(words.next()),
            "--apply" => {}
            given if given.starts_with("--resume=") => {}
            _ => others.push(word),
        }
    }
    others
}

/// What makes no sense together.
fn refuse(arguments: &Arguments, options: &Options) {
    if arguments.apply && !arguments.exe.is_empty() {
        usage("--apply writes into a package's Cargo.toml; an executable has none: use `brawn relink`");
    }
    if !arguments.exe.is_empty() {
        let reason = "an executable itself says what is used now; --also names another candidate";
        uses::refuse_here("tune", options, uses::LINKING, reason);
    }
    if arguments.exe.len() > 1 && !arguments.also.is_empty() {
        usage(
            "--also is linked for one program; of several executables none is linked again: give it as another --exe",
        );
    }
}

fn job(arguments: &Arguments, interrupt: Arc<AtomicBool>) -> Result<Job> {
    if arguments.goal == Goal::Latency && !arguments.serve {
        return Err(Error::NoFigure {
            goal: "latency",
            what: "the latency in the 99th percentile",
            why: "only a server has",
        }
        .into());
    }
    let folder = arguments.run.dir.as_deref().or(arguments.copy_dir.as_deref()).unwrap_or(Path::new("."));
    let threads: Vec<usize> = arguments.threads.iter().copied().map(usize::from).collect();
    let (cores, quota) = cpus(arguments.cpus)?;
    let served = arguments.ready.clone().filter(|_| arguments.serve);
    let called = Variant {
        args: arguments.args.clone(),
        service: served.as_deref().map(|served| service(arguments, served)).transpose()?,
        reader: served.as_ref().map(|_| read_metrics as Reader),
        ..arguments.run.variant()?
    };
    Ok(Job {
        workloads: workloads(called, &threads),
        ready: served,
        folder: whole(folder, "folder")?,
        fresh_copy: arguments.copy_dir.is_some(),
        setup: arguments.setup.clone(),
        check: arguments.check.clone(),
        output: arguments.run.output.rule(),
        ignored_lines: arguments.run.ignore_lines.clone(),
        run_limit: arguments.run_limit,
        conditions: Conditions {
            memory: arguments.limit,
            cores,
            quota,
            scratch: std::env::temp_dir(),
            interrupt: Some(interrupt),
            ..Conditions::default()
        },
    })
}

/// Whole cores are cores; a fraction is a quota.
fn cpus(wanted: Option<f64>) -> Result<(Vec<usize>, Option<f64>)> {
    let Some(wanted) = wanted else { return Ok((Vec::new(), None)) };
    if wanted.fract() != 0.0 {
        return Ok((Vec::new(), Some(wanted)));
    }
    let allowed = brawn_measure::limits::allowed_cores()?;
    if wanted > allowed.len() as f64 {
        usage(format!("--cpus {wanted}: there are {} here", allowed.len()));
    }
    Ok((allowed.into_iter().take(wanted as usize).collect(), None))
}

/// How a server is driven that is ready when `served` says so.
fn service(arguments: &Arguments, served: &str) -> Result<Service> {
    // What is wrong with it shall be known before anything is built.
    let ready = ready(&served.replace("{port}", "1"))?;
    let client = match (&arguments.load, &arguments.url) {
        (Some(command), _) => Variant::new("client", "/bin/sh").args(["-c", command]),
        (None, Some(url)) => built_in(arguments, url)?,
        (None, None) if served.starts_with("http://") => built_in(arguments, served)?,
        (None, None) => usage("what shall the load ask for? Give --url, or a command with --load"),
    };
    Ok(Service {
        ready_limit: arguments.ready_limit,
        idle: Some(arguments.idle),
        stop: arguments.stop,
        with_children: arguments.with_children,
        ..Service::new(ready, client)
    })
}

fn built_in(arguments: &Arguments, url: &str) -> Result<Variant> {
    if !url.starts_with("http://") {
        usage("the built-in load speaks plain HTTP only: --url http://…, or a command with --load");
    }
    let (connections, seconds) = (arguments.connections, arguments.load_time.as_secs_f64());
    let client = Variant::new("client", super::super::executable()?);
    Ok(client.args(["tune-load", url, &connections.to_string(), &seconds.to_string()]))
}

/// A run under way.
struct Run {
    arguments: Arguments,
    options: Options,
    job: Job,
    plan: Plan,
    state: State,
    out: PathBuf,
    progress: Progress,
    subject: Subject,
}

impl Run {
    /// Searches, and explains what was found.
    fn measure(&mut self) -> Result<Answer, Error> {
        let Run { job, plan, state, out, progress, subject, .. } = self;
        if state.candidates.is_empty() {
            state.candidates = subject.candidates.clone();
        }
        // Executables are not kept in the state: those that were brought along come from the command again.
        for candidate in &mut state.candidates {
            if let Some(fresh) = subject.candidates.iter().find(|fresh| fresh.name == candidate.name) {
                candidate.program = fresh.program.clone();
            }
        }
        progress.say(&format!("seed {}, results go to {}", state.seed, out.display()));
        let Subject { links, notes, .. } = subject;
        let is_package = links.package().is_some();
        let mut stage = Runner::new(job, links)?;
        let mut clock = Clock::new(plan.budget, state.seconds);
        let decision = Search::new(plan, &mut stage, state).run(&mut |step| {
            progress.show(&step);
            match step {
                Step::Block(state) => state.save(out),
                _ => Ok(()),
            }
        })?;
        let mut answer = Answer::of(state, plan.goal, &decision);
        answer.overhead = stage.overhead();
        progress.say("counting system calls, in runs of their own");
        clock.run = state.run_seconds();
        let names = [decision.pick.as_str(), &answer.now, "stock"];
        answer.profiles = profiles(state, &mut stage, names, &clock)?;
        // Beside what is used now; where that is the pick, or fails, beside stock musl.
        if let [pick, other, ..] = answer.profiles.as_slice()
            && pick.name == decision.pick
        {
            answer.words = words(pick, other).into();
        }
        progress.say("counting allocations, in a run of its own");
        let mut counting = Candidate::linked(Role::Reference, Setting::allocator(trace::HEAP));
        let known = counting.setting.as_ref().is_some_and(|setting| setting.choice().is_ok());
        let traced = match clock.time_for_a_run() {
            Some(limit) if known && stage.links.links() && stage.link(&mut counting)?.is_ok() => {
                stage.trace(&counting, limit)?
            }
            _ => None,
        };
        if traced.is_none() && clock.is_spent() {
            notes.push(UNEXPLAINED.into());
        }
        answer = answer.with_trace(traced);
        answer.links = stage.links.made;
        answer.link_seconds = stage.links.seconds;
        answer.notes.append(notes);
        answer.notes.extend(clock.overrun());
        answer.manifest = answer.setting.as_ref().filter(|_| is_package).map(apply::lines);
        Ok(answer)
    }

    fn finish(mut self, ended: Result<Answer, Error>) -> Result<ExitCode> {
        let answer = match ended {
            Ok(answer) => answer,
            Err(error) => return self.failed(error),
        };
        self.write(Some(&answer))?;
        brawn_measure::write_whole(&self.out.join("tune.md"), &answer.markdown())?;
        let json = output::pretty(&answer)?;
        brawn_measure::write_whole(&self.out.join("answer.json"), &format!("{json}\n"))?;
        if self.options.json() {
            output::json_text(&json);
        } else {
            output::document(&answer.text());
        }
        if self.arguments.apply {
            self.apply(&answer)?;
        }
        if !self.options.quiet {
            let page = self.out.join("report.html");
            output::say(&format!("results are in {}; open {}", self.out.display(), page.display()));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn apply(&self, answer: &Answer) -> Result<()> {
        let (Some(setting), Some(package)) = (&answer.setting, self.subject.links.package()) else {
            return Ok(());
        };
        if !answer.advice.is_change() {
            output::say("nothing to apply");
            return Ok(());
        }
        let path = package.join("Cargo.toml");
        match apply::write(package, setting)? {
            true => output::say(&format!("written into {}", path.display())),
            false => output::say(&format!("{} says so already", path.display())),
        }
        // A flag or the environment may say otherwise, and would go on doing so.
        let layer = brawn_link::settings::Layer::default();
        let now = brawn_link::settings::Settings::collect(layer, Some(package))?.choice()?;
        if !brawn_tune::setting::Setting::of(&now).same_as(setting) {
            output::warn("the environment (BRAWN_…) says otherwise, and goes before Cargo.toml");
        }
        Ok(())
    }

    /// What was measured is kept, and said to be.
    fn failed(&mut self, error: Error) -> Result<ExitCode> {
        let measured = self.state.rounds.iter().any(|round| round.lanes.iter().any(|lane| lane.blocks() > 0));
        if measured {
            self.state.save(&self.out)?;
            self.write(None)?;
            let how = match error {
                Error::Interrupted => "interrupted",
                _ => "no answer",
            };
            output::say(&format!("{how}: what was measured is in {}", self.out.display()));
        }
        if matches!(error, Error::Interrupted) {
            if self.out.join(brawn_tune::state::FILE).exists() {
                output::hint(&format!("`brawn tune --resume {}` goes on", self.out.display()));
            }
            return Ok(Code::Interrupted.into());
        }
        Err(error.into())
    }

    fn write(&self, answer: Option<&Answer>) -> Result<()> {
        let words = self.state.command.iter().map(|word| brawn_bench::runner::quoted(word));
        let command: Vec<String> = ["brawn".to_owned(), "tune".to_owned()].into_iter().chain(words).collect();
        let results = document::results(&self.state, &self.plan, &self.job, &command.join(" "), answer);
        Ok(brawn_bench::output::write(&self.out, &results)?)
    }
}

/// What the runs of these candidates did, each once, of those that did not fail.
fn profiles(
    state: &mut State,
    stage: &mut Runner<'_>,
    names: [&str; 3],
    clock: &Clock,
) -> Result<Vec<Profile>, Error> {
    let mut profiles: Vec<Profile> = Vec::new();
    for name in names {
        let lanes = state.rounds.iter().rev().filter_map(|round| round.lane(name));
        let lane = lanes.into_iter().find(|lane| lane.blocks() > 0 && lane.failure().is_none()).cloned();
        let candidate = state.candidates.iter_mut().find(|candidate| candidate.name == name);
        let (Some(lane), Some(candidate)) = (lane, candidate) else { continue };
        if profiles.iter().any(|profile| profile.name == name) {
            continue;
        }
        if candidate.program.is_none() && stage.link(candidate)?.is_err() {
            continue;
        }
        let calls = match clock.time_for_a_run() {
            Some(limit) => stage.system_calls(candidate, limit)?,
            None => None,
        };
        profiles.push(Profile::of(&lane, calls.as_ref()));
    }
    Ok(profiles)
}
