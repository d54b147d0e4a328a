//! Running cargo with the seam in place.

mod arguments;
mod former;
mod target;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use arguments::{before_separator, option, options, remove_option};
use brawn_elf::Arch;
use brawn_libc::Cache;
use cargo_config2::Config;
use serde::Deserialize;
use target::{default_arch, prepare_target, runner_of, target_dir};

use crate::error::upper;
use crate::link::{Linked, Verified};
use crate::linkers::Linkers;
use crate::record::Store;
use crate::report::{self, Answer, Listener};
use crate::runner::Runner;
use crate::settings::{Layer, Settings};
use crate::toolchain::{Rust, cargo, musl_arch, query};
use crate::{Error, replay, seam, vars};

/// A call of cargo that is about to be made.
pub struct Invocation {
    subcommand: String,
    args: Vec<String>,
    flags: Layer,
    arches: Vec<Arch>,
    triples: Vec<String>,
    environment: Vec<(String, OsString)>,
    remove: Vec<&'static str>,
    target_dir: Option<PathBuf>,
    runners: Vec<Runner>,
    cache: Cache,
    /// What links say that fail, which cargo's own words would bury.
    report: tempfile::NamedTempFile,
    relinked: OnceLock<Vec<PathBuf>>,
}

/// An executable that cargo built, or found up to date.
#[derive(Clone, Debug)]
pub struct Built {
    /// Where it is.
    pub path: PathBuf,
    /// Whether cargo found everything up to date, so that nothing was compiled for it.
    pub fresh: bool,
    /// Whether Brawn linked it again, with another overlay than the one it was built with.
    pub relinked: bool,
    /// What was laid over its libc, and what is worth changing.
    pub linked: Linked,
}

impl Invocation {
    /// Prepares `cargo <subcommand> <args>`. `executable` is the running `brawn`, which will stand behind the seam.
    pub fn new(
        subcommand: &str,
        args: Vec<String>,
        flags: Layer,
        executable: &Path,
    ) -> Result<Invocation, Error> {
        let rust = Rust::find()?;
        let cargo_args = before_separator(&args);
        let package = option(cargo_args, "--manifest-path")
            .and_then(|path| Some(Path::new(&path).parent()?.to_owned()))
            .unwrap_or_else(|| ".".into());
        let config = Config::load_with_cwd(std::env::current_dir()?)?;
        let settings = Settings::collect(flags.clone(), package_folder(&package).as_deref())?;
        // Wrong names are refused here, once, and not by each link.
        let choice = settings.choice()?;

        let named = options(cargo_args, "--target");
        let arches = if named.is_empty() {
            vec![default_arch(&settings, &config, &rust)?]
        } else {
            named.iter().map(|triple| musl_arch(triple)).collect::<Result<_, _>>()?
        };
        arches.iter().try_for_each(|arch| choice.fits(*arch))?;
        let mut environment = Vec::new();
        let (set, remove) = flags.environment();
        environment.extend(set.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        if named.is_empty() {
            environment.push(("CARGO_BUILD_TARGET".to_owned(), rust.triple(arches[0]).into()));
        }
        let cache = seam::cache()?;
        let mut runners = Vec::new();
        for &arch in &arches {
            prepare_target(arch, &rust, &config, executable, &cache, &mut environment)?;
            let triple = rust.triple(arch);
            let behind = runner_of(&triple, &config, &environment)?;
            runners.extend(Runner::install(&cache, &triple, behind, executable)?);
        }
        let target_dir = target_dir(cargo_args, &config);
        Ok(Invocation {
            subcommand: subcommand.to_owned(),
            args,
            flags,
            triples: arches.iter().map(|arch| rust.triple(*arch)).collect(),
            arches,
            environment,
            remove,
            target_dir,
            runners,
            cache,
            report: tempfile::Builder::new().prefix("brawn-report-").tempfile()?,
            relinked: OnceLock::new(),
        })
    }

    /// The first target, as this toolchain calls it.
    pub fn triple(&self) -> &str {
        &self.triples[0]
    }

    /// The first target's architecture.
    pub fn arch(&self) -> Arch {
        self.arches[0]
    }

    /// The command line, for people.
    pub fn display(&self) -> String {
        crate::toolchain::display(&self.command(&self.args))
    }

    /// The environment that makes a plain `cargo` do what `brawn cargo` does.
    pub fn environment(&self) -> &[(String, OsString)] {
        &self.environment
    }

    /// Executables of former commands below the target folder that were linked again before cargo ran, because they carried
    /// something else than what is asked for now. They are not the files that were tested then.
    pub fn relinked(&self) -> &[PathBuf] {
        self.relinked.get().map_or(&[], Vec::as_slice)
    }

    /// What the link that failed had to say: its error and hint, lines of text.
    pub fn report(&self) -> Option<String> {
        brawn_base::file::text(self.report.path()).ok().filter(|text| !text.is_empty())
    }

    /// What to do about a build that failed without a link, where cargo has been asked for a shared library alone: rustc makes
    /// none for a musl that is linked in.
    pub fn hint(&self) -> Option<String> {
        let config = Config::load_with_cwd(std::env::current_dir().ok()?).ok()?;
        let flags = config.rustflags(self.triple()).ok()?.unwrap_or_default().flags;
        if flags.iter().any(|flag| flag.contains("-crt-static")) {
            return None;
        }
        let mut metadata = Command::new(cargo());
        metadata.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]);
        if let Some(path) = option(before_separator(&self.args), "--manifest-path") {
            metadata.args(["--manifest-path", &path]);
        }
        let metadata: Metadata = serde_json::from_str(&query(&mut metadata).ok()?).ok()?;
        let mut targets = metadata.packages.iter().flat_map(|package| &package.targets);
        targets.any(|target| target.crate_types == ["cdylib"]).then(|| {
            format!(
                "a cdylib is for programs that load musl at run time: export CARGO_TARGET_{}_RUSTFLAGS='-C \
                 target-feature=-crt-static' (maturin sets it by itself)",
                upper(self.triple())
            )
        })
    }

    /// Runs cargo to its end. `said` is called once for each executable that it links or runs, before that runs; one that
    /// does not pass verification does not run.
    pub fn run(&self, mut said: impl FnMut(Result<Built, Error>) + Send) -> Result<ExitStatus, Error> {
        self.bring_up_to_date()?;
        let listener = Listener::new()?;
        Cache::note_added();
        let mut command = self.command(&self.args);
        command.env(vars::SOCKET, listener.name());
        command.envs(self.runners.iter().map(Runner::variable));
        let mut known = Known::default();
        std::thread::scope(|scope| {
            scope.spawn(|| listener.serve(|message| self.answer(message, &mut known, &mut said)));
            let status = command.status().map_err(|source| Error::Spawn { program: cargo(), source });
            listener.stop();
            status
        })
    }

    /// Looks at an executable that was linked or is about to run, and says what is found, once.
    fn answer(
        &self,
        message: report::Message,
        known: &mut Known,
        said: &mut impl FnMut(Result<Built, Error>),
    ) -> Answer {
        let report::Message { path, runs_for } = message;
        let runner = self.runners.iter().find(|runner| Some(&runner.triple) == runs_for.as_ref());
        let mut answer =
            Answer { refused: false, with: runner.map(|runner| runner.behind.clone()).unwrap_or_default() };
        // rustdoc links an executable for each example, or one for many, and removes it: one line is for all that are alike.
        if is_example(&path) {
            if runs_for.is_none() && path.exists() {
                let built = self.finish(path, false);
                if built.as_ref().map_or(true, |built| known.examples.insert(built.linked.heaps.clone())) {
                    said(built);
                }
            }
            return answer;
        }
        // A file has two names in cargo's folder.
        let file = fs_err::metadata(&path).ok().map(|data| (data.dev(), data.ino()));
        if file.is_none_or(|file| !known.files.insert(file)) {
            return answer;
        }
        let built = self.finish(path, runs_for.is_some());
        answer.refused = built.is_err();
        said(built);
        answer
    }

    /// Runs `cargo build` and gives every executable that it built or found up to date, verified. `message` is
    /// called with each line that cargo writes to standard output, if the user asked for JSON.
    pub fn build(&self, mut message: impl FnMut(&str)) -> Result<Result<Vec<Built>, ExitStatus>, Error> {
        self.bring_up_to_date()?;
        Cache::note_added();
        let format = option(before_separator(&self.args), "--message-format");
        let json = format.as_deref().is_some_and(|format| format.contains("json"));
        let mut args = self.args.clone();
        if !json {
            remove_option(&mut args, "--message-format");
            let ours = match format.as_deref() {
                Some("short") => "--message-format=json-render-diagnostics,json-diagnostic-short",
                _ => "--message-format=json-render-diagnostics",
            };
            args.insert(0, ours.to_owned());
        }
        let mut child = self
            .command(&args)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| Error::Spawn { program: cargo(), source })?;
        let mut found: Vec<(PathBuf, bool)> = Vec::new();
        for line in BufReader::new(child.stdout.take().expect("stdout is piped")).lines() {
            let line = line?;
            if json {
                message(&line);
            }
            if let Ok(Message { reason, executable: Some(path), fresh }) = serde_json::from_str(&line)
                && reason == "compiler-artifact"
            {
                found.push((path, fresh));
            }
        }
        let status = child.wait()?;
        if !status.success() {
            return Ok(Err(status));
        }
        found.into_iter().map(|(path, fresh)| self.finish(path, fresh)).collect::<Result<_, _>>().map(Ok)
    }

    /// Makes sure that an executable carries what was asked for.
    fn finish(&self, path: PathBuf, fresh: bool) -> Result<Built, Error> {
        let bytes = brawn_base::file::elf(&path)?;
        let notes = brawn_elf::read_notes(&bytes).ok();
        let id = notes.as_ref().and_then(|notes| notes.link_id.clone());
        let store = Store::new(self.cache.root());
        let record = store.find(&path, id.as_ref()).and_then(|folder| Ok((store.read(&folder)?, folder)));
        let Ok((record, folder)) = record else {
            return Err(self.without_record(path, &bytes));
        };
        let settings = self.settings(record.package.as_deref())?;
        let (choice, gate) = (settings.choice()?, settings.gate());
        let overlay = crate::base::overlay(&self.cache, &record.base, record.arch, &choice)?;
        let carries = notes.and_then(|notes| notes.note);
        if carries.as_ref().map(|note| note.overlay.as_str()) == Some(&overlay.manifest.id) {
            let Verified { warnings, heaps, .. } = crate::link::verify(&path, &overlay, gate)?;
            let relinked = self.relinked().contains(&path);
            return Ok(Built { path, fresh, relinked, linked: Linked { overlay, warnings, heaps } });
        }
        let may = Linkers::default().check(&record);
        match may.and_then(|()| replay::replay(&self.cache, &folder, &record, &choice, gate, &path)) {
            Ok(linked) => Ok(Built { path, fresh, relinked: true, linked }),
            Err(Error::InputChanged { .. } | Error::Trimmed { .. }) => Err(Error::Stale {
                path,
                carries: carries
                    .map_or_else(|| "no note".into(), |note| describe(&note.preset, &note.malloc)),
                wanted: describe(&overlay.manifest.preset, &overlay.manifest.malloc),
            }),
            Err(error) => Err(error),
        }
    }

    /// An executable that did not go through the seam: verification says what is wrong with it.
    fn without_record(&self, path: PathBuf, bytes: &[u8]) -> Error {
        let report = brawn_elf::verify(bytes, &brawn_elf::Expectation::default());
        if report.is_ok() { Error::NoRecord { path } } else { Error::unverified(&path, report) }
    }

    fn settings(&self, package: Option<&Path>) -> Result<Settings, Error> {
        Settings::collect(self.flags.clone(), package)
    }

    fn command(&self, args: &[String]) -> Command {
        let mut command = Command::new(cargo());
        command.arg(&self.subcommand).args(args).envs(self.environment.iter().cloned());
        command.env(vars::REPORT, self.report.path());
        for name in &self.remove {
            command.env_remove(name);
        }
        command
    }
}

/// What was spoken of already.
#[derive(Default)]
struct Known {
    /// Files, by device and number.
    files: HashSet<(u64, u64)>,
    /// The heaps of examples.
    examples: HashSet<String>,
}

/// Whether an executable is an example of the documentation, which rustdoc links in a folder of its own.
pub fn is_example(path: &Path) -> bool {
    let folder = |name: &str| name.starts_with("rustdoctest");
    path.components().any(|part| part.as_os_str().to_str().is_some_and(folder))
}

fn describe(preset: &Option<String>, malloc: &str) -> String {
    preset.as_ref().map_or_else(|| format!("malloc {malloc}"), |preset| format!("preset {preset} ({malloc})"))
}

/// A part of what `cargo metadata` tells.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    crate_types: Vec<String>,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    #[serde(default)]
    fresh: bool,
}

/// The folder of the package around `folder`, if there is one.
fn package_folder(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().find(|folder| folder.join("Cargo.toml").exists()).map(Path::to_owned)
}
