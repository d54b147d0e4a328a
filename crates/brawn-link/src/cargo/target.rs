//! What cargo has to know of a target: its linker, its compilers, its archiver and what runs its executables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use brawn_elf::Arch;
use brawn_libc::Cache;
use cargo_config2::Config;

use super::arguments::option;
use crate::cc::{Backend, Language};
use crate::configured::configured_linker;
use crate::error::upper;
use crate::settings::Settings;
use crate::toolchain::{Rust, cargo, musl_arch, on_path, query};
use crate::{Error, archiver, seam, vars};

/// Flag, environment and files of Brawn; then cargo's own configuration, if it names a musl target; then this machine.
pub(super) fn default_arch(settings: &Settings, config: &Config, rust: &Rust) -> Result<Arch, Error> {
    if let Some(triple) = settings.target() {
        return musl_arch(triple);
    }
    let configured = config.build.target.iter().flatten().find_map(|target| musl_arch(target.triple()).ok());
    configured
        .or_else(|| Arch::from_triple(&rust.host))
        .ok_or_else(|| Error::Target { triple: rust.host.clone() })
}

pub(super) fn prepare_target(
    arch: Arch,
    rust: &Rust,
    config: &Config,
    executable: &Path,
    cache: &Cache,
    environment: &mut Vec<(String, OsString)>,
) -> Result<(), Error> {
    let triple = rust.triple(arch);
    if !rust.sysroot.join("lib/rustlib").join(&triple).join("lib").exists() {
        return Err(Error::NoRustTarget { sysroot: rust.sysroot.clone(), triple });
    }
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
    let seam = seam::install(cache, &triple, &linker, executable)?;
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
            let compiler = crate::cc::install(cache, language, &triple, executable)?;
            environment.push((format!("{variable}_{underscored}"), compiler.into()));
        }
    }
    let theirs =
        ["AR".to_owned(), "TARGET_AR".to_owned(), format!("AR_{triple}"), format!("AR_{underscored}")];
    if theirs.iter().all(|name| vars::get(name).is_none())
        && let Some(archiver) = archiver::find(cache, &triple, executable)?
    {
        environment.push((format!("AR_{underscored}"), archiver.into()));
    }
    if Arch::from_triple(&rust.host) != Some(arch) && config.runner(&*triple)?.is_none() {
        let emulators = [format!("qemu-{arch}-static"), format!("qemu-{arch}")];
        if let Some(path) = emulators.iter().find_map(|name| on_path(name)) {
            environment.push((format!("CARGO_TARGET_{}_RUNNER", upper(&triple)), path.into()));
        }
    }
    Ok(())
}

/// The command with which cargo would run executables for a target, word by word.
pub(super) fn runner_of(
    triple: &str,
    config: &Config,
    environment: &[(String, OsString)],
) -> Result<Vec<String>, Error> {
    let variable = format!("CARGO_TARGET_{}_RUNNER", upper(triple));
    if let Some((_, emulator)) = environment.iter().find(|(name, _)| *name == variable) {
        return Ok(vec![emulator.to_string_lossy().into_owned()]);
    }
    let runner = config.runner(triple)?;
    let words = |runner: cargo_config2::PathAndArgs| {
        let args = runner.args.into_iter().map(|word| word.to_string_lossy().into_owned());
        std::iter::once(runner.path.display().to_string()).chain(args).collect()
    };
    Ok(runner.map(words).unwrap_or_default())
}

/// The folder under which cargo's outputs will be, if the command is about a workspace.
pub(super) fn target_dir(args: &[String], config: &Config) -> Option<PathBuf> {
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
