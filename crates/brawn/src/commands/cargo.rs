use std::ffi::OsString;
use std::process::ExitCode;

use brawn_link::cargo::{Invocation, is_example};

use super::{executable, take_options};
use crate::cli::{Options, usage};
use crate::exit::Result;
use crate::{exit, output};

/// `brawn cargo SUBCOMMAND ARGS`
pub fn run(options: Options, args: Vec<OsString>) -> Result<ExitCode> {
    let (options, mut args) = take_options(options, args);
    if args.is_empty() {
        usage("which cargo subcommand? For example: brawn cargo test --release");
    }
    let subcommand = args.remove(0);
    if subcommand == "build" || subcommand == "b" {
        return super::build::run_parsed(options, args);
    }
    let installs = subcommand == "install";
    let own = args.iter().take_while(|arg| *arg != "--");
    let asks_for_less = own.clone().any(|arg| arg == "-q" || arg == "--quiet");
    let invocation = Invocation::new(&subcommand, args, options.layer(), &executable()?)?;
    if options.dry_run || options.verbose > 0 {
        super::build::describe(&invocation);
    }
    if options.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let say_less = options.quiet || asks_for_less;
    let status = invocation.run(|built| match built {
        Ok(built) => {
            let name = match installs {
                _ if is_example(&built.path) => "examples in the documentation".to_owned(),
                true => super::build::name_installed(&built.path),
                false => super::build::from_here(&built.path),
            };
            super::build::report(&built, &name, options.json(), say_less);
        }
        Err(error) => output::error(&error.into()),
    })?;
    super::build::say_relinked(&invocation, |_| false);
    if !status.success()
        && let Some(report) = invocation.report()
    {
        output::last_word(&report);
    }
    if !status.success() && options.verbose > 0 {
        output::say(&format!("cargo {subcommand} ended with {status}"));
    }
    Ok(exit::code_of_status(status))
}
