use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use brawn_link::toolchain::on_path;
use brawn_preload::{Library, Program};
use clap::Args;

use super::choice;
use crate::cli::Options;
use crate::exit::{Context as _, Result};
use crate::output;

#[derive(Args)]
#[command(after_help = super::preload::allocators())]
pub struct Arguments {
    /// The allocator that the program loads before its libc; the same as --malloc
    #[arg(long, value_name = "NAME", conflicts_with_all = ["malloc", "preset"])]
    preload: Option<String>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// What the loaders of both libcs read.
const VARIABLE: &str = "LD_PRELOAD";

/// `brawn run`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let options = match arguments.preload {
        None => options,
        malloc => Options { malloc, ..Options::default() }.over(options),
    };
    let choice = choice(&options)?;
    let name = &arguments.program[0];
    let path = name.to_str().and_then(on_path);
    let path = path
        .ok_or_else(|| brawn_preload::Error::NotFound { program: Path::new(name).display().to_string() })?;
    let program = Program::look(&path)?;
    let library = Library::new(&choice, program.libc, program.arch)?;
    let library = library.placed(&brawn_link::seam::cache()?.part(brawn_libc::cache::PRELOADS))?;
    let mut preloaded = library.into_os_string();
    // Those that were to be loaded before come behind: of two heaps the first one wins.
    if let Some(others) = std::env::var_os(VARIABLE).filter(|others| !others.is_empty()) {
        preloaded.push(":");
        preloaded.push(others);
    }
    if options.dry_run {
        output::say(&format!("{VARIABLE}={} {}", Path::new(&preloaded).display(), path.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let error = Command::new(&path).arg0(name).args(&arguments.program[1..]).env(VARIABLE, preloaded).exec();
    Err(error).context(|| format!("cannot run {}", path.display()))
}
