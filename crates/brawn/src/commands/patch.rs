use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brawn_base::text::{exact, shown};
use brawn_elf::Arch;
use brawn_libc::patch::{Outcome, is_patched};
use brawn_link::cc::{Backend, Language};
use brawn_link::toolchain::{Rust, arch_of, musl_arch};
use clap::Args;
use serde_json::json;

use super::choice;
use crate::cli::{Options, existing, usage};
use crate::exit::Result;
use crate::output;

#[derive(Args)]
#[group(skip)]
pub struct Arguments {
    /// A libc.a, or a folder that holds one; `restore` takes executables that `graft` wrote as well
    #[arg(value_name = "PATH", value_parser = existing)]
    paths: Vec<PathBuf>,
    /// The Rust toolchain's, for every musl target that is installed, or for --target alone
    #[arg(long)]
    rustup: bool,
    /// The C compiler's, or that of the system below --root
    #[arg(long)]
    system: bool,
    /// The folder in which the system lies, for images that are being made
    #[arg(long, value_name = "DIR", requires = "system", value_parser = existing)]
    root: Option<PathBuf>,
}

/// `brawn patch`
pub fn patch(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let mut targets = targets(&options, arguments)?;
    let choice = choice(&options)?;
    // Of all targets of a toolchain, those that there is a kit for.
    let fits = |(_, arch): &Target| arch.is_none_or(|arch| choice.fits(arch).is_ok());
    if options.target.is_none() && targets.iter().any(fits) {
        targets.retain(fits);
    }
    each(&options, targets, |path, arch| brawn_libc::patch::patch(path, arch, &choice, options.dry_run))
}

/// `brawn restore`
pub fn restore(options: Options, mut arguments: Arguments) -> Result<ExitCode> {
    let is_elf = |path: &PathBuf| {
        path.is_file()
            && brawn_base::file::read_if(path, 0, |_| false).is_ok_and(|head| head.starts_with(b"\x7fELF"))
    };
    let executables: Vec<PathBuf> = arguments.paths.extract_if(.., |path| is_elf(path)).collect();
    for path in &executables {
        super::graft::restore(&options, path)?;
    }
    if !executables.is_empty() && arguments.paths.is_empty() && !arguments.rustup && !arguments.system {
        return Ok(ExitCode::SUCCESS);
    }
    let mut targets = targets(&options, arguments)?;
    // Of all targets of a toolchain, those that were patched.
    if targets.iter().any(|(path, _)| is_patched(path)) {
        targets.retain(|(path, _)| is_patched(path));
    }
    each(&options, targets, |path, _| brawn_libc::patch::restore(path, options.dry_run))
}

type Target = (PathBuf, Option<Arch>);

fn each(
    options: &Options,
    targets: Vec<Target>,
    act: impl Fn(&std::path::Path, Option<Arch>) -> Result<Outcome, brawn_libc::Error>,
) -> Result<ExitCode> {
    for (path, arch) in targets {
        let outcome = act(&path, arch)?;
        if options.json() {
            let path = exact(&path);
            output::json_text(
                &json!({ "path": path, "dry-run": options.dry_run, "result": outcome }).to_string(),
            );
        } else if !options.quiet {
            outln!("{}: {}", shown(&path), describe(&outcome, options.dry_run));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(outcome: &Outcome, dry_run: bool) -> String {
    let would = if dry_run { "would be " } else { "" };
    match outcome {
        Outcome::Patched { overlay } => format!("{would}patched, {}", super::libc::summary(overlay)),
        Outcome::Unchanged { overlay } => format!("patched already, {}", super::libc::summary(overlay)),
        Outcome::Restored { sha256 } => format!("{would}restored, sha256 {sha256}"),
    }
}

fn targets(options: &Options, arguments: Arguments) -> Result<Vec<Target>> {
    let arch = options.target.as_deref().map(musl_arch).transpose()?;
    let mut targets: Vec<Target> = Vec::new();
    for path in arguments.paths {
        targets.push((if path.is_dir() { path.join("libc.a") } else { path }, arch));
    }
    if arguments.rustup {
        let rust = Rust::find()?;
        let arches = arch.map_or_else(|| rust.musl_targets(), |arch| vec![arch]);
        if arches.is_empty() {
            // Names the target that should be there.
            rust.self_contained(Arch::host().unwrap_or(Arch::X86_64))?;
        }
        for arch in arches {
            targets.push((rust.self_contained(arch)?.join("libc.a"), Some(arch)));
        }
    }
    if let Some(root) = arguments.root {
        for path in libcs_below(&root, arch)? {
            targets.push((path, arch));
        }
    } else if arguments.system {
        let arch = arch_of(options.target.as_deref())?;
        targets.push((Backend::find(arch, Language::C)?.system_libc()?, Some(arch)));
    }
    if targets.is_empty() {
        usage("which libc.a? Give its path, --rustup or --system");
    }
    Ok(targets)
}

/// Every musl `libc.a` of the system that lies in `root`. What a symbolic link leads out of it is not the system's.
fn libcs_below(root: &Path, arch: Option<Arch>) -> Result<Vec<PathBuf>> {
    let root = fs_err::canonicalize(root)?;
    let arches = arch.map_or_else(|| Arch::ALL.to_vec(), |arch| vec![arch]);
    // Alpine, Chimera, Void; Debian; cross toolchains of these and of musl-cross-make.
    let mut places = vec![PathBuf::from("usr/lib"), "lib".into(), "usr/local/lib".into()];
    for arch in arches {
        places.extend(
            [format!("usr/lib/{arch}-linux-musl"), format!("usr/{arch}-linux-musl/lib")].map(PathBuf::from),
        );
        places.extend([
            format!("usr/{arch}-linux-musl/usr/lib").into(),
            format!("opt/{arch}-linux-musl/{arch}-linux-musl/lib").into(),
        ]);
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for place in &places {
        let Ok(path) = fs_err::canonicalize(root.join(place).join("libc.a")) else { continue };
        if path.starts_with(&root) && !found.contains(&path) && brawn_link::cc::is_musl(&path) {
            found.push(path);
        }
    }
    if found.is_empty() {
        let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        return Err(brawn_link::Error::Unsupported {
            what: format!("no libc.a of musl below {}: looked in {}", root.display(), places.join(", ")),
            hint: "install musl's development package there (musl-dev on Alpine), or give the path of the libc.a".into(),
        }
        .into());
    }
    Ok(found)
}
