use std::ffi::OsString;
use std::process::ExitCode;

use brawn_base::text::shown;
use brawn_link::cc::Language;

use crate::cli::{Options, usage};
use crate::exit::Result;
use crate::{exit, output};

/// `brawn cc ARGS` and `brawn c++ ARGS`
pub fn run(language: Language, options: Options, args: Vec<OsString>) -> Result<ExitCode> {
    refuse_own_options(language, &args);
    let done = brawn_link::cc::run(language, args, options.layer())?;
    for warning in done.linked.iter().flat_map(|linked| &linked.warnings) {
        output::warning(&format!("brawn {}", language.command()), warning);
    }
    if let Some(library) = done.shared_library.filter(|_| !options.quiet) {
        output::say(&format!(
            "{} is a shared library: it has functions of Brawn's for itself, as far as --musl leaves them, and the heap of \
             the program that loads it, which has to be dynamic",
            shown(&library)
        ));
    }
    Ok(exit::code_of_status(done.status))
}

/// The same under the name of a compiler for one target.
pub fn run_for(
    language: Language,
    triple: String,
    args: impl IntoIterator<Item = OsString>,
) -> Result<ExitCode> {
    let options = Options { target: Some(triple), ..Options::default() };
    run(language, options, args.into_iter().collect())
}

/// Brawn's own options, which no compiler has.
const OWN: &[&str] = &["--preset", "--malloc", "--knob", "--cpu", "--musl"];

/// The same without a value.
const OWN_FLAGS: &[&str] = &["--no-strings", "--strict", "--allow-second-heap", "--one-heap"];

/// What follows the command is the compiler's: an option of Brawn's among it would only be refused by the compiler, in words
/// that do not help.
fn refuse_own_options(language: Language, args: &[OsString]) {
    let own = |arg: &OsString| {
        let name = arg.to_str()?.split('=').next()?;
        OWN.iter().chain(OWN_FLAGS).any(|own| *own == name).then(|| name.to_owned())
    };
    if let Some(name) = args.iter().find_map(own) {
        let value = if OWN_FLAGS.contains(&name.as_str()) { "" } else { " …" };
        let command = language.command();
        usage(format!("{name} goes before the command: brawn {name}{value} {command} …"));
    }
}
