//! `brawn man`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use brawn_base::text::shown;
use clap::Args;
use clap_mangen::Man;

use crate::cli::{self, Options};
use crate::exit::Result;
use crate::{output, uses};

#[derive(Args)]
pub struct Arguments {
    /// The command, such as `image` or `bench compare`; without one, the page of brawn itself
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write every page into this folder, as NAME.1
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

/// `brawn man`
pub fn run(root: clap::Command, options: Options, arguments: Arguments) -> Result<ExitCode> {
    if arguments.output.is_none() {
        uses::refuse_here("man", &options, &[uses::DRY_RUN], "only --output writes anything");
    }
    let mut root = root.disable_help_subcommand(true);
    // Gives the commands their full names: `brawn-bench-compare`.
    root.build();
    match &arguments.output {
        Some(folder) => write_all(&root, folder, &options)?,
        None => {
            let page = page(find(&root, &arguments.command))?;
            output::own(&String::from_utf8_lossy(&page));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn find<'a>(root: &'a clap::Command, path: &[String]) -> &'a clap::Command {
    let mut command = root;
    for name in path {
        command = command
            .find_subcommand(name)
            .unwrap_or_else(|| cli::usage(format!("{} has no command '{name}'", full_name(command))));
    }
    command
}

/// `brawn bench compare`
fn full_name(command: &clap::Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let brawn = concat!("brawn ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(brawn).manual("Brawn's commands").render(&mut text)?;
    Ok(text)
}

fn write_all(command: &clap::Command, folder: &Path, options: &Options) -> Result<()> {
    if !options.dry_run {
        fs_err::create_dir_all(folder)?;
    }
    let mut waiting = vec![command];
    while let Some(command) = waiting.pop() {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let path = folder.join(format!("{name}.1"));
        if options.dry_run {
            output::say(&format!("would write {}", path.display()));
        } else {
            fs_err::write(&path, page(command)?)?;
        }
        waiting.extend(command.get_subcommands().filter(|inner| !inner.is_hide_set()));
    }
    if !options.dry_run {
        outln!("{}", shown(folder));
    }
    Ok(())
}
