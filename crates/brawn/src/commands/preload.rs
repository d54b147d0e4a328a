use std::path::PathBuf;
use std::process::ExitCode;

use brawn_base::text::{exact, shown};
use brawn_elf::Arch;
use brawn_libc::Choice;
use brawn_link::toolchain::arch_of;
use brawn_preload::{Libc, Library, program};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::choice;
use crate::cli::Options;
use crate::exit::Result;
use crate::output;

#[derive(Args)]
#[command(after_help = allocators())]
pub struct Arguments {
    /// Where the library goes [default: libbrawn-NAME.so in the current folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The libc of the programs that it is for [default: that of this system's shell]
    #[arg(long, value_name = "NAME", value_enum)]
    libc: Option<LibcName>,
}

/// A libc, for `--libc`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LibcName {
    /// Without the string functions.
    Glibc,
    /// With them.
    Musl,
}

/// `brawn preload`
pub fn run(options: Options, arguments: Arguments) -> Result<ExitCode> {
    let choice = choice(&options)?;
    let libc = match arguments.libc {
        Some(LibcName::Glibc) => Libc::Glibc,
        Some(LibcName::Musl) => Libc::Musl,
        None => program::libc_of_system()?,
    };
    let arch = arch_of(options.target.as_deref())?;
    let library = Library::new(&choice, libc, arch)?;
    let path = arguments.output.unwrap_or_else(|| PathBuf::from(&library.file_name));
    if !options.dry_run {
        library.write(&path)?;
    }
    if options.json() {
        let document = json!({
            "path": exact(&path),
            "malloc": choice.malloc.name(),
            "malloc_version": choice.malloc.version(),
            "knobs": choice.knobs,
            "libc": libc.to_string(),
            "arch": arch.name(),
            "strings": library.strings,
            "size": library.bytes.len(),
        });
        output::json(&document)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !options.dry_run {
        outln!("{}", shown(&path));
    }
    if !options.quiet {
        output::say(&summary(&choice, &library, arch));
    }
    Ok(ExitCode::SUCCESS)
}

/// `mimalloc 3.6.0 and string functions for musl on x86_64, 167 KiB`
fn summary(choice: &Choice, library: &Library, arch: Arch) -> String {
    let version = choice.malloc.version().map(|version| format!(" {version}")).unwrap_or_default();
    format!(
        "{}{version}{} for {} on {}, {}",
        choice.malloc.name(),
        if library.strings { " and string functions" } else { "" },
        library.libc,
        arch.name(),
        output::size(library.bytes.len() as u64),
    )
}

/// The list of allocators for the help of `preload` and `run`.
pub fn allocators() -> String {
    let mut text = String::from("Allocators:\n");
    for name in brawn_kit::library_names() {
        if let Some(allocator) = brawn_kit::allocator(name) {
            text.push_str(&format!(
                "  {:17} {} ({})\n",
                allocator.name, allocator.summary, allocator.version
            ));
        }
    }
    text
}
