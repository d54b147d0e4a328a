//! Running cargo with the seam in place.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use brawn_elf::Arch;
use brawn_libc::{Cache, Choice, Overlay};
use cargo_config2::Config;
use serde::Deserialize;

use crate::cc::{Backend, Language};
use crate::error::upper;
use crate::link::{Linked, Verified};
use crate::linkers::Linkers;
use crate::record::Store;
use crate::report::{self, Answer, Listener};
use crate::runner::Runner;
use crate::settings::{Gate, Layer, Settings};
use crate::toolchain::{Rust, musl_arch, on_path, query};
use crate::{Error, archiver, replay, seam, vars};

/// A call of cargo that is about to be made.
pub struct Invocation {
    subcommand: String,
    args: Vec<String>,
    flags: Layer,
    arches: Vec<Arch>,
    triple: String,
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
        let config = Config::load_with_cwd(std::env::current_dir()?)
            .map_err(|error| Error::CargoConfig(error.into()))?;
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
            environment.push(("CARGO_BUILD_TARGET".to_owned(), triple(arches[0], &rust).into()));
        }
        let cache = seam::cache()?;
        let mut runners = Vec::new();
        for &arch in &arches {
            prepare_target(arch, &rust, &config, executable, &mut environment)?;
            let triple = triple(arch, &rust);
            let behind = runner_of(&triple, &config, &environment)?;
            runners.extend(Runner::install(&cache, &triple, behind, executable)?);
        }
        let target_dir = target_dir(cargo_args, &config);
        Ok(Invocation {
            subcommand: subcommand.to_owned(),
            args,
            flags,
            triple: triple(arches[0], &rust),
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
        &self.triple
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
            Err(Error::InputChanged { .. } | Error::Trimmed(_)) => Err(Error::Stale {
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
        if report.is_ok() { Error::NoRecord(path) } else { Error::unverified(&path, report) }
    }

    fn settings(&self, package: Option<&Path>) -> Result<Settings, Error> {
        Settings::collect(self.flags.clone(), package)
    }

    /// Links executables again that are there from a former build with another overlay. Cargo will call them up to
    /// date, for no source has changed, and run or test them as they are. What cannot be linked again is removed, so
    /// that cargo builds it.
    fn bring_up_to_date(&self) -> Result<(), Error> {
        let Some(dir) = &self.target_dir else { return Ok(()) };
        let hold = self.cache.hold();
        let mut linkers = Linkers::default();
        let mut relinked = Vec::new();
        let store = Store::new(self.cache.root());
        type Key = (PathBuf, Arch, Option<PathBuf>);
        let mut overlays: HashMap<Key, (Choice, Gate, Overlay)> = HashMap::new();
        for folder in store.below(dir) {
            let Ok(record) = store.read(&folder) else { continue };
            if !record.output.exists() || !self.arches.contains(&record.arch) {
                continue;
            }
            let key = (record.base.clone(), record.arch, record.package.clone());
            if !overlays.contains_key(&key) {
                let settings = self.settings(record.package.as_deref())?;
                let (choice, gate) = (settings.choice()?, settings.gate());
                let Ok(overlay) = crate::base::overlay(&self.cache, &record.base, record.arch, &choice)
                else {
                    continue;
                };
                overlays.insert(key.clone(), (choice, gate, overlay));
            }
            let (choice, gate, wanted) = &overlays[&key];
            let removed = |names: Vec<PathBuf>| {
                names.iter().filter(|name| name.exists()).try_for_each(fs_err::remove_file)
            };
            // A replay would leave the crate's allocator out again.
            if !gate.one_heap && !record.serves.is_empty() {
                removed(names_of(&record.output)?)?;
                continue;
            }
            if store.overlay(&folder).as_deref() == Some(&wanted.manifest.id) {
                // What was only warned of before: cargo has to link it again, and that is refused, or has one heap.
                if gate.strict || gate.one_heap {
                    let names = names_of(&record.output)?;
                    if let Err(Error::Unverified { .. }) = crate::link::verify(&record.output, wanted, *gate)
                    {
                        removed(names)?;
                    }
                }
                continue;
            }
            let may = linkers.check(&record);
            let replayed = may
                .and_then(|()| replay::replay(&self.cache, &folder, &record, choice, *gate, &record.output));
            match replayed {
                Ok(_) => relinked.push(uplifted(&record.output)),
                Err(_) => fs_err::remove_file(&record.output)?,
            }
        }
        drop(hold);
        relinked.sort();
        relinked.dedup();
        // One command brings them up to date once.
        let _ = self.relinked.set(relinked);
        Ok(())
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

/// The names of a file that cargo linked: `deps/NAME-HASH` and, in the folder above, `NAME`.
fn names_of(output: &Path) -> Result<Vec<PathBuf>, Error> {
    let identity = |data: std::fs::Metadata| (data.dev(), data.ino());
    let file = identity(fs_err::metadata(output)?);
    let folders = output.ancestors().skip(1).take(2);
    let mut names = Vec::new();
    for folder in folders {
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            if entry.metadata().is_ok_and(|data| identity(data) == file) {
                names.push(entry.path());
            }
        }
    }
    Ok(names)
}

fn describe(preset: &Option<String>, malloc: &str) -> String {
    preset.as_ref().map_or_else(|| format!("malloc {malloc}"), |preset| format!("preset {preset} ({malloc})"))
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    #[serde(default)]
    fresh: bool,
}

/// Where cargo puts a second name for what rustc has written, `debug/app` for `debug/deps/app-0123456789abcdef`; the same path
/// where there is none, as for tests.
fn uplifted(path: &Path) -> PathBuf {
    let second = || {
        let (name, hash) = path.file_name()?.to_str()?.rsplit_once('-')?;
        let hashed = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let folder = path.parent()?;
        let folder = if folder.ends_with("deps") { folder.parent()? } else { folder };
        hashed.then(|| folder.join(name)).filter(|path| path.exists())
    };
    second().unwrap_or_else(|| path.to_owned())
}

/// The cargo that called us as `cargo brawn`, or the one on PATH.
fn cargo() -> String {
    vars::get("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The folder of the package around `folder`, if there is one.
fn package_folder(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().find(|folder| folder.join("Cargo.toml").exists()).map(Path::to_owned)
}

/// Flag, environment and files of Brawn; then cargo's own configuration, if it names a musl target; then this machine.
fn default_arch(settings: &Settings, config: &Config, rust: &Rust) -> Result<Arch, Error> {
    if let Some(triple) = settings.target() {
        return musl_arch(triple);
    }
    let configured = config.build.target.iter().flatten().find_map(|target| musl_arch(target.triple()).ok());
    configured.or_else(|| Arch::from_triple(&rust.host)).ok_or_else(|| Error::Target(rust.host.clone()))
}

/// The triple as this toolchain calls it: Alpine's own Rust has a vendor of its own.
fn triple(arch: Arch, rust: &Rust) -> String {
    if musl_arch(&rust.host).is_ok_and(|host| host == arch) {
        rust.host.clone()
    } else {
        arch.musl_triple().to_owned()
    }
}

fn prepare_target(
    arch: Arch,
    rust: &Rust,
    config: &Config,
    executable: &Path,
    environment: &mut Vec<(String, OsString)>,
) -> Result<(), Error> {
    let triple = triple(arch, rust);
    if !rust.sysroot.join("lib/rustlib").join(&triple).join("lib").exists() {
        return Err(Error::NoRustTarget { sysroot: rust.sysroot.clone(), triple });
    }
    let failed = |error: cargo_config2::Error| Error::CargoConfig(error.into());
    let (linker, flags) = configured_linker(&triple, config)?;
    if let Some(flags) = flags {
        environment.push(("CARGO_ENCODED_RUSTFLAGS".to_owned(), flags.join("\u{1f}").into()));
    }
    let linker = match linker {
        // Our own seam, exported by `brawn env`: it goes where it went before.
        Some(path) if seam::Seam::from_call(&path).is_some() => {
            environment.push((format!("CARGO_TARGET_{}_LINKER", upper(&triple)), path.into()));
            return Ok(());
        }
        Some(path) => path,
        None => seam::default_linker(rust, arch)?,
    };
    let seam = seam::install(&triple, &linker, executable)?;
    environment.push((format!("CARGO_TARGET_{}_LINKER", upper(&triple)), seam.into()));
    // Build scripts that compile C or C++ for the target ask for a compiler in these variables first.
    let underscored = triple.replace('-', "_");
    for (variable, language) in [("CC", Language::C), ("CXX", Language::Cxx)] {
        let theirs = [
            format!("{variable}_{triple}"),
            format!("{variable}_{underscored}"),
            format!("TARGET_{variable}"),
        ];
        // No look for a C++ compiler here: few builds need one, and the look may start Python to ask for zig. Where
        // there is none, `brawn c++` says what to install, and cargo's own default would be glibc's.
        let there = || language == Language::Cxx || Backend::find(arch, language).is_ok();
        if theirs.iter().all(|name| vars::get(name).is_none()) && there() {
            let compiler = crate::cc::install(language, &triple, executable)?;
            environment.push((format!("{variable}_{underscored}"), compiler.into()));
        }
    }
    let theirs =
        ["AR".to_owned(), "TARGET_AR".to_owned(), format!("AR_{triple}"), format!("AR_{underscored}")];
    if theirs.iter().all(|name| vars::get(name).is_none())
        && let Some(archiver) = archiver::find(&triple, executable)?
    {
        environment.push((format!("AR_{underscored}"), archiver.into()));
    }
    if Arch::from_triple(&rust.host) != Some(arch) && config.runner(&*triple).map_err(failed)?.is_none() {
        let emulators = [format!("qemu-{arch}-static"), format!("qemu-{arch}")];
        if let Some(path) = emulators.iter().find_map(|name| on_path(name)) {
            environment.push((format!("CARGO_TARGET_{}_RUNNER", upper(&triple)), path.into()));
        }
    }
    Ok(())
}

/// The command with which cargo would run executables for a target, word by word.
fn runner_of(
    triple: &str,
    config: &Config,
    environment: &[(String, OsString)],
) -> Result<Vec<String>, Error> {
    let variable = format!("CARGO_TARGET_{}_RUNNER", upper(triple));
    if let Some((_, emulator)) = environment.iter().find(|(name, _)| *name == variable) {
        return Ok(vec![emulator.to_string_lossy().into_owned()]);
    }
    let runner = config.runner(triple).map_err(|error| Error::CargoConfig(error.into()))?;
    let words = |runner: cargo_config2::PathAndArgs| {
        let args = runner.args.into_iter().map(|word| word.to_string_lossy().into_owned());
        std::iter::once(runner.path.display().to_string()).chain(args).collect()
    };
    Ok(runner.map(words).unwrap_or_default())
}

/// The linker that cargo's configuration names, with the other flags if it is named among those: there it wins over cargo's
/// own setting, so it has to come out of them.
fn configured_linker(triple: &str, config: &Config) -> Result<(Option<PathBuf>, Option<Vec<String>>), Error> {
    let failed = |error: cargo_config2::Error| Error::CargoConfig(error.into());
    if let Some(flags) = config.rustflags(triple).map_err(failed)?
        && let (rest, Some(named)) = without_linker(flags.flags)
    {
        return Ok((Some(named.into()), Some(rest)));
    }
    Ok((config.linker(triple).map_err(failed)?, None))
}

/// The linkers that cargo may have called for `arch` here: the one that its configuration names, and the default.
pub(crate) fn linkers(arch: Arch) -> Result<Vec<PathBuf>, Error> {
    let rust = Rust::find()?;
    let config =
        Config::load_with_cwd(std::env::current_dir()?).map_err(|error| Error::CargoConfig(error.into()))?;
    let (named, _) = configured_linker(&triple(arch, &rust), &config)?;
    let named = named.map(|path| seam::Seam::from_call(&path).map_or(Ok(path), |seam| seam.linker()));
    Ok(named.transpose()?.into_iter().chain(seam::default_linker(&rust, arch).ok()).collect())
}

/// Takes `-C linker=X` out of a list of rustc flags.
fn without_linker(flags: Vec<String>) -> (Vec<String>, Option<String>) {
    let mut rest = Vec::new();
    let mut linker = None;
    let mut flags = flags.into_iter().peekable();
    while let Some(flag) = flags.next() {
        let is_codegen = flag == "-C" || flag == "--codegen";
        let attached = ["-C", "--codegen="].iter().find_map(|prefix| flag.strip_prefix(prefix));
        let value = if is_codegen { flags.peek().cloned() } else { attached.map(str::to_owned) };
        match value.as_deref().and_then(|value| value.strip_prefix("linker=")) {
            Some(path) => {
                linker = Some(path.to_owned());
                if is_codegen {
                    flags.next();
                }
            }
            None => rest.push(flag),
        }
    }
    (rest, linker)
}

/// The folder under which cargo's outputs will be, if the command is about a workspace.
fn target_dir(args: &[String], config: &Config) -> Option<PathBuf> {
    let dir = option(args, "--target-dir")
        .map(PathBuf::from)
        .or_else(|| config.build.target_dir.clone())
        .or_else(|| {
            let mut locate = Command::new(cargo());
            locate.args(["locate-project", "--workspace", "--message-format", "plain"]);
            if let Some(path) = option(args, "--manifest-path") {
                locate.args(["--manifest-path", &path]);
            }
            let manifest = query(&mut locate).ok()?;
            Some(Path::new(manifest.trim()).parent()?.join("target"))
        })?;
    std::path::absolute(&dir).ok()?.canonicalize().ok()
}

/// Cargo's own arguments: what follows `--` belongs to the program.
fn before_separator(args: &[String]) -> &[String] {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    &args[..end]
}

fn options(args: &[String], name: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == name {
            values.extend(args.next().cloned());
        } else if let Some(value) = arg.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
            values.push(value.to_owned());
        }
    }
    values
}

fn option(args: &[String], name: &str) -> Option<String> {
    options(args, name).pop()
}

fn remove_option(args: &mut Vec<String>, name: &str) {
    let end = before_separator(args).len();
    let mut index = 0;
    let mut cargo_args: Vec<String> = args.drain(..end).collect();
    while index < cargo_args.len() {
        if cargo_args[index] == name {
            cargo_args.drain(index..(index + 2).min(cargo_args.len()));
        } else if cargo_args[index].strip_prefix(name).is_some_and(|rest| rest.starts_with('=')) {
            cargo_args.remove(index);
        } else {
            index += 1;
        }
    }
    args.splice(0..0, cargo_args);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_linker_among_the_flags_is_found_in_every_spelling() {
        for flags in
            ["-C linker=mold -O", "-Clinker=mold -O", "--codegen linker=mold -O", "--codegen=linker=mold -O"]
        {
            assert_eq!(without_linker(list(flags)), (list("-O"), Some("mold".into())), "{flags}");
        }
        let others = "-C linker-flavor=gcc -C link-arg=-s -Clto";
        assert_eq!(without_linker(list(others)), (list(others), None));
    }

    #[test]
    fn options_end_at_the_separator() {
        let args = list("--target a --target=b -- --target c");
        assert_eq!(options(before_separator(&args), "--target"), ["a", "b"]);
    }

    #[test]
    fn removing_an_option_leaves_the_programs_arguments() {
        let mut args = list("--release --message-format short -p x -- --message-format json");
        remove_option(&mut args, "--message-format");
        assert_eq!(args, list("--release -p x -- --message-format json"));
    }
}
