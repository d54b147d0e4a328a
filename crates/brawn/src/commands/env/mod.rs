//! `brawn env`: what other build systems must know, in the form that each reads.

mod build;
mod shell;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::Code;
use brawn_base::text::{exact, is_hidden};
use brawn_elf::Arch;
use brawn_link::cargo::Invocation;
use brawn_link::cc::{self, Language};
use brawn_link::toolchain::on_path;
use brawn_link::vars;
use clap::{Args, ValueEnum};

use self::build::Toolchain;
use super::executable;
use crate::cli::{Options, usage};
use crate::exit::{Failure, Result};
use crate::output;

#[derive(Args)]
pub struct Arguments {
    /// Also CC, CXX and pkg-config's search, for make, autotools and their like
    #[arg(long, display_order = 100)]
    make: bool,
    /// Print a CMake toolchain file instead (for -DCMAKE_TOOLCHAIN_FILE=…)
    #[arg(long, display_order = 101, conflicts_with_all = ["message_format", "make"])]
    cmake: bool,
    /// The form in which it is told
    #[arg(long, value_name = "FORM", value_enum, display_order = 102, conflicts_with_all = ["message_format", "cmake"])]
    format: Option<Form>,
}

/// Who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A POSIX shell: eval "$(brawn env)"
    Sh,
    /// fish: brawn env --format fish | source
    Fish,
    /// CMake: a toolchain file
    Cmake,
    /// CMake: a CMakeUserPresets.json
    CmakePresets,
    /// Meson: a cross file
    Meson,
    /// Programs
    Json,
    /// A step of GitHub Actions: brawn env --format github >> "$GITHUB_ENV"
    Github,
}

impl Arguments {
    fn form(&self, options: &Options) -> Form {
        let form = match (self.format, self.cmake, options.json()) {
            (Some(form), ..) => form,
            (None, true, _) => Form::Cmake,
            (None, false, true) => Form::Json,
            (None, false, false) => Form::Sh,
        };
        if self.make && [Form::Cmake, Form::CmakePresets, Form::Meson].contains(&form) {
            usage("--make adds variables, and this form has none");
        }
        form
    }
}

/// `brawn env`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let form = arguments.form(&options);
    let executable = executable()?;
    let mut args = Vec::new();
    if let Some(triple) = &options.target {
        args.push(format!("--target={triple}"));
    }
    let invocation = Invocation::new("build", args, options.layer(), &executable)?;
    let mut variables: Vec<(String, OsString)> = invocation.environment().to_vec();
    let triple = invocation.triple().to_owned();
    if !variables.iter().any(|(name, _)| name == "CARGO_BUILD_TARGET") {
        variables.push(("CARGO_BUILD_TARGET".into(), triple.clone().into()));
    }
    let cache = brawn_link::seam::cache()?;
    let c = cc::install(&cache, Language::C, &triple, &executable)?;
    let cxx = cc::install(&cache, Language::Cxx, &triple, &executable)?;
    let folders = pkg_config_folders(invocation.arch());
    let toolchain = || {
        let settings: Vec<(String, OsString)> =
            variables.iter().filter(|(name, _)| name.starts_with("BRAWN_")).cloned().collect();
        let runs_here = Arch::host() == Some(invocation.arch());
        Toolchain::new(&triple, [&c, &cxx], &settings, folders.clone(), runs_here)
    };
    match form {
        Form::Cmake => output::document(&toolchain()?.cmake()),
        Form::CmakePresets => output::json_text(&toolchain()?.presets()?),
        Form::Meson => output::document(&toolchain()?.meson()),
        Form::Sh | Form::Fish | Form::Json | Form::Github => {
            let variables = all(variables, &triple, [c, cxx], folders, arguments.make);
            return print(form, &variables);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The variables of cargo, with those of the compilers and of pkg-config.
fn all(
    mut variables: Vec<(String, OsString)>,
    triple: &str,
    [c, cxx]: [PathBuf; 2],
    folders: Option<String>,
    make: bool,
) -> Vec<(String, OsString)> {
    let underscored = triple.replace('-', "_");
    // `CC` itself would reach build scripts that compile for this machine, and so does what stands here for them.
    for (name, path, own) in [("CC", c, "cc"), ("CXX", cxx, "c++")] {
        let scoped = format!("{name}_{underscored}");
        if !variables.iter().any(|(name, _)| *name == scoped) && vars::get(&scoped).is_none() {
            variables.push((scoped, path.clone().into()));
        }
        let host = format!("HOST_{name}");
        if vars::get(&host).is_none() && on_path(own).is_some() {
            variables.push((host, own.into()));
        }
        if make {
            variables.push((name.to_owned(), path.into()));
        }
    }
    if let Some(folders) = folders {
        variables.push((format!("PKG_CONFIG_LIBDIR_{underscored}"), folders.clone().into()));
        if make {
            variables.push(("PKG_CONFIG_LIBDIR".into(), folders.into()));
        }
    }
    variables.sort();
    variables
}

fn print(form: Form, variables: &[(String, OsString)]) -> Result<ExitCode> {
    match form {
        Form::Json => {
            let map: serde_json::Map<_, _> =
                variables.iter().map(|(name, value)| (name.clone(), exact(value).into())).collect();
            output::json(&map)?;
        }
        Form::Fish => output::document(&shell::fish(variables)),
        Form::Github => {
            let failed = |message: String| Err(Failure::new(Code::Failed, message));
            let text = match shell::github(variables) {
                Ok(text) => text,
                Err(name) => return failed(format!("{name} is not UTF-8, as GITHUB_ENV must be")),
            };
            if std::io::stdout().is_terminal() && text.chars().any(|c| c != '\n' && is_hidden(c)) {
                return failed(
                    "a value cannot be shown on a terminal: append it, >> \"$GITHUB_ENV\"".to_owned(),
                );
            }
            output::own(&text);
        }
        _ => output::document(&shell::posix(variables)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Where pkg-config looks for packages that were made for musl, unless the user has said it: its own folders hold those of
/// this machine's libc. Where that is musl there is nothing to say.
fn pkg_config_folders(arch: Arch) -> Option<String> {
    if vars::get("PKG_CONFIG_LIBDIR").is_some() || cc::is_this_machines(arch) {
        return None;
    }
    let folders = ["/usr/local/lib", "/usr/lib"].map(|lib| format!("{lib}/{arch}-linux-musl/pkgconfig"));
    Some(folders.join(":"))
}
