use std::path::Path;
use std::process::ExitCode;

use brawn_base::text::shown;
use brawn_image::{Executable, Package, Settings};
use brawn_link::cargo::Invocation;

use super::{Arguments, platforms};
use crate::cli::Options;
use crate::commands::executable;
use crate::exit::Result;
use crate::{exit, output};

/// Options of `cargo build` that `cargo metadata` takes as well, with whether a value follows.
const SHARED: &[(&str, bool)] = &[
    ("--features", true),
    ("-F", true),
    ("--all-features", false),
    ("--no-default-features", false),
    ("--locked", false),
    ("--offline", false),
    ("--frozen", false),
];

/// The package in this folder, or the one that was named.
pub fn find(arguments: &Arguments) -> Result<Package> {
    let mut shared = Vec::new();
    let mut words = arguments.cargo.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        let Some((_, value)) = SHARED.iter().find(|(known, _)| *known == name) else { continue };
        shared.push(word.clone());
        if *value && !word.contains('=') {
            shared.extend(words.next().cloned());
        }
    }
    Ok(Package::find(Path::new("."), arguments.package.as_deref(), shared)?)
}

/// Builds the package's executable for every platform that is asked for. The inner error is cargo's exit code.
pub fn build(
    package: &Package,
    arguments: &Arguments,
    settings: &Settings,
    options: &Options,
) -> Result<Result<Vec<Executable>, ExitCode>> {
    let binary = package.binary(arguments.bin.as_deref())?;
    let flags = Some(&arguments.platform).filter(|named| !named.is_empty());
    let platforms = platforms(flags.unwrap_or(&settings.platforms), options)?;
    let mut args =
        vec!["--package".to_owned(), package.name().to_owned(), "--bin".to_owned(), binary.clone()];
    for platform in &platforms {
        args.extend(["--target".to_owned(), platform.arch.musl_triple().to_owned()]);
    }
    let profile = |word: &String| word.starts_with("--profile") || word == "--release" || word == "-r";
    if !arguments.cargo.iter().any(profile) {
        args.push("--release".to_owned());
    }
    if options.quiet {
        args.push("--quiet".to_owned());
    }
    args.extend(arguments.cargo.iter().cloned());
    let invocation = Invocation::new("build", args, options.layer(), &executable()?)?;
    let built = match invocation.build(|_| {})? {
        Ok(built) => built,
        Err(status) => return Ok(Err(exit::code_of_status(status))),
    };
    let mut executables = Vec::new();
    for built in built {
        for warning in &built.linked.warnings {
            output::warning(&shown(&built.path).to_string(), warning);
        }
        executables.push(Executable::read(&built.path, Some(arguments.name.as_deref().unwrap_or(&binary)))?);
    }
    Ok(Ok(executables))
}
