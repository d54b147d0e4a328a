//! What is tuned: a package, which is built once; an executable that Brawn linked; or executables as they are.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use brawn_base::Code;
use brawn_bench::builds::named;
use brawn_link::cargo::Invocation;
use brawn_link::settings::Settings;
use brawn_link::toolchain::Rust;
use brawn_tune::candidate::Candidate;
use brawn_tune::links::{Links, carried, digest};
use brawn_tune::race::Role;
use brawn_tune::setting::Setting;
use brawn_tune::{Error, space};
use clap::Parser;

use super::Arguments;
use super::arguments::Also;
use super::progress::Progress;
use crate::cli::{Options, usage};
use crate::commands::authorise;
use crate::commands::called::whole;
use crate::exit::{Context as _, Failure, Result};
use crate::uses;

/// The candidates to begin with, what is used now first, and how more are linked.
pub struct Subject {
    pub candidates: Vec<Candidate>,
    pub links: Links,
    /// Tells whether another run is about the same program.
    pub digest: String,
    /// Names of the candidates that were asked for.
    pub asked: Vec<String>,
    /// What the reader must know.
    pub notes: Vec<String>,
}

/// Finds out what is tuned, and builds it.
pub fn find(
    arguments: &Arguments,
    options: &Options,
    programs: &Path,
    progress: &Progress,
) -> Result<Subject> {
    // Before a package is built: what is wrong with these is known at once.
    let also: Vec<Setting> = arguments.also.iter().map(|text| also(text)).collect::<Result<_>>()?;
    let references: Vec<(String, PathBuf)> =
        arguments.reference.iter().map(|text| executable(text)).collect::<Result<_>>()?;
    let mut subject = match arguments.exe.as_slice() {
        [] => package(arguments, options, programs, progress)?,
        [one] => linked(one, arguments, programs)?,
        several => executables(several)?,
    };
    for setting in also {
        let same = |known: &&Candidate| known.setting.as_ref().is_some_and(|known| known.same_as(&setting));
        let known = subject.candidates.iter().find(same).map(|known| known.name.clone());
        subject.asked.push(known.unwrap_or_else(|| {
            subject.candidates.push(Candidate::linked(Role::Candidate, setting.clone()));
            setting.name()
        }));
    }
    for (name, path) in references {
        add(&mut subject.candidates, Candidate::executable(name, Role::Reference, path));
    }
    Ok(subject)
}

/// The setting behind options in one text.
fn also(text: &str) -> Result<Setting> {
    let wrong = |what: &str| -> ! { usage(format!("--also '{text}': {what}")) };
    let options = match Also::try_parse_from(text.split_whitespace()) {
        Ok(Also { options }) => {
            let unused = [uses::TARGET, uses::GATE, uses::ONE_HEAP, uses::FORMAT, uses::DRY_RUN];
            uses::refuse_here("tune --also", &options, &unused, "it names what is linked in");
            options
        }
        Err(error) => {
            wrong(error.to_string().trim_start_matches("error: ").lines().next().unwrap_or_default())
        }
    };
    if options.preset.is_some() && options.malloc.is_some() {
        wrong("either a preset or an allocator");
    }
    // By these options alone: what a manifest or the environment says is about what is used now.
    let choice = Settings::of_manifest(options.layer(), Path::new("--also"), "")?.choice()?;
    Ok(Setting::of(&choice))
}

/// A candidate more, by a name that no other has.
fn add(candidates: &mut Vec<Candidate>, candidate: Candidate) {
    let name = &candidate.name;
    if candidates.iter().any(|other| other.name == *name) {
        usage(format!("two executables are called '{name}': give them names, NAME=FILE"));
    }
    candidates.push(candidate);
}

fn package(
    arguments: &Arguments,
    options: &Options,
    programs: &Path,
    progress: &Progress,
) -> Result<Subject> {
    let args = cargo_arguments(arguments);
    progress.say("building once, with the link recorded");
    let invocation = Invocation::new("build", args.clone(), options.layer(), &super::super::executable()?)?;
    let built = invocation.build(|_| {})?.map_err(|status| Error::Cargo { status })?;
    let paths: Vec<PathBuf> = built.into_iter().map(|built| built.path).collect();
    let path = only(paths)?;
    let links = links(&path, arguments, programs)?;
    let choice = Settings::collect(options.layer(), links.package())?.choice()?;
    let mut candidates = linked_candidates(&Setting::of(&choice));
    let mut notes = Vec::new();
    if !arguments.no_glibc {
        progress.say("building for glibc to compare with, which is a compilation of its own (--no-glibc leaves it out)");
        match glibc(&args) {
            Ok(program) => candidates.push(Candidate::executable("glibc", Role::Reference, program)),
            Err(error) => notes.push(format!("glibc is left out: {error}")),
        }
    }
    Ok(Subject { candidates, links, digest: digest([path.as_path()])?, asked: Vec::new(), notes })
}

/// The recorded link of the executable at `path`.
fn links(path: &Path, arguments: &Arguments, programs: &Path) -> Result<Links> {
    let cache = brawn_link::seam::cache()?;
    let recorded = brawn_link::replay::find(&cache, path)?;
    authorise(&recorded, arguments.trust_record)?;
    Ok(Links::of(cache, recorded, path, programs.to_owned())?)
}

/// An executable with a record, from `brawn cc` or from cargo.
fn linked(given: &str, arguments: &Arguments, programs: &Path) -> Result<Subject> {
    let path = whole(Path::new(named(given).1), "executable")?;
    let links = links(&path, arguments, programs)?;
    let now = match carried(&path)? {
        Some(setting) => setting,
        None => Setting::of(&Settings::collect(Default::default(), links.package())?.choice()?),
    };
    Ok(Subject {
        candidates: linked_candidates(&now),
        links,
        digest: digest([path.as_path()])?,
        asked: Vec::new(),
        notes: Vec::new(),
    })
}

/// Executables of any kind: the first is what is used now.
fn executables(given: &[String]) -> Result<Subject> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut paths = Vec::new();
    for (index, text) in given.iter().enumerate() {
        let (name, path) = executable(text)?;
        let role = if index == 0 { Role::Now } else { Role::Candidate };
        add(&mut candidates, Candidate::executable(name, role, &path));
        paths.push(path);
    }
    Ok(Subject {
        candidates,
        links: Links::none(),
        digest: digest(paths.iter().map(PathBuf::as_path))?,
        asked: Vec::new(),
        notes: Vec::new(),
    })
}

/// Every allocator and preset, what is used now first. Hardening is kept, so a hardened program is only compared with
/// stock musl.
fn linked_candidates(now: &Setting) -> Vec<Candidate> {
    let role = |index: usize, setting: &Setting| match index {
        0 => Role::Now,
        _ if now.is_hardened() && !setting.is_hardened() => Role::Reference,
        _ => Role::Candidate,
    };
    let settings = space::settings(now);
    settings
        .into_iter()
        .enumerate()
        .map(|(index, setting)| Candidate::linked(role(index, &setting), setting))
        .collect()
}

/// An executable's name, which is that of its file unless one was given, and its path.
fn executable(text: &str) -> Result<(String, PathBuf)> {
    let (name, path) = named(text);
    let path = whole(Path::new(path), "executable")?;
    let of_file = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name.map_or_else(of_file, str::to_owned), path))
}

fn cargo_arguments(arguments: &Arguments) -> Vec<String> {
    let mut args = vec!["--profile".to_owned(), arguments.profile.clone()];
    let manifest = arguments.manifest_path.as_ref().map(|path| path.display().to_string());
    let pairs = [
        ("--package", &arguments.package),
        ("--bin", &arguments.bin),
        ("--example", &arguments.example),
        ("--features", &arguments.features),
        ("--manifest-path", &manifest),
    ];
    for (name, value) in pairs {
        if let Some(value) = value {
            args.extend([name.to_owned(), value.clone()]);
        }
    }
    args.extend(arguments.cargo_arg.iter().cloned());
    args
}

/// The one executable among those that were built.
fn only(mut paths: Vec<PathBuf>) -> Result<PathBuf, Error> {
    paths.sort();
    paths.dedup();
    match paths.len() {
        0 => Err(Error::NoExecutable),
        1 => Ok(paths.remove(0)),
        _ => {
            let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Err(Error::ManyExecutables { names: paths.iter().map(name).collect() })
        }
    }
}

/// The same executable, built by plain cargo for this machine's own target.
fn glibc(args: &[String]) -> Result<PathBuf> {
    let host = Rust::find()?.host;
    let failed = |message: String| Err(Failure::new(Code::Failed, message));
    if !host.ends_with("-linux-gnu") {
        return failed(format!("this machine's Rust is for {host}"));
    }
    let cargo = brawn_link::vars::get("CARGO").unwrap_or_else(|| "cargo".into());
    let mut child = Command::new(cargo)
        .arg("build")
        .args(args)
        .args(["--target", &host, "--message-format=json-render-diagnostics"])
        .env_remove("CARGO_BUILD_TARGET")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context(|| "cannot run cargo")?;
    // Read beside standard output, so that neither pipe fills up.
    let stderr = child.stderr.take().expect("standard error is piped");
    let said = std::thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
    let mut paths = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("standard output is piped")).lines() {
        let message: serde_json::Value = serde_json::from_str(&line?).unwrap_or_default();
        if let Some(path) = message["executable"].as_str() {
            paths.push(PathBuf::from(path));
        }
    }
    let status = child.wait()?;
    let said = said.join().unwrap_or_default();
    let last = said.lines().rev().find(|line| line.starts_with("error")).unwrap_or("cargo failed");
    if !status.success() {
        return failed(last.to_owned());
    }
    Ok(only(paths)?)
}
