//! Which of the [options that mean the same everywhere](crate::cli::Options) each command uses. One that it does not use
//! is left out of its help, and refused.

use std::sync::LazyLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

use crate::cli::Options;

/// What goes into a libc.a.
const CHOICE: &[&str] = &["preset", "malloc", "no_strings", "musl", "cpu", "knobs"];
/// What may be handed over.
pub const GATE: &[&str] = &["strict", "allow_second_heap"];
/// What becomes of the allocators among the libraries of a link.
pub const ONE_HEAP: &[&str] = &["one_heap"];
/// What a finished executable can be given.
const GRAFTED: &[&str] = &["malloc", "no_strings", "musl", "knobs"];
pub const TARGET: &[&str] = &["target"];
pub const FORMAT: &[&str] = &["message_format"];
pub const DRY_RUN: &[&str] = &["dry_run"];
/// All of no use where nothing is linked.
pub const LINKING: &[&[&str]] = &[TARGET, CHOICE, GATE, ONE_HEAP];
const VERBOSE: &[&str] = &["verbose"];
const QUIET: &[&str] = &["quiet"];

/// A command, the options that it uses, and what else answers to those that it does not.
type Row = (&'static str, &'static [&'static [&'static str]], Option<&'static str>);

/// Every command. `--color` is for errors as well, so it is used by all.
const USES: &[Row] = &[
    ("build", &[TARGET, CHOICE, GATE, ONE_HEAP, FORMAT, DRY_RUN, VERBOSE, QUIET], None),
    ("cargo", &[TARGET, CHOICE, GATE, ONE_HEAP, FORMAT, DRY_RUN, VERBOSE, QUIET], None),
    ("cc", &[TARGET, CHOICE, GATE, ONE_HEAP, VERBOSE, QUIET], None),
    ("c++", &[TARGET, CHOICE, GATE, ONE_HEAP, VERBOSE, QUIET], None),
    ("env", &[TARGET, CHOICE, GATE, ONE_HEAP, FORMAT], None),
    ("libc", &[TARGET, CHOICE, FORMAT, DRY_RUN, VERBOSE, QUIET], None),
    ("patch", &[TARGET, CHOICE, FORMAT, DRY_RUN, QUIET], None),
    ("restore", &[TARGET, FORMAT, DRY_RUN, QUIET], None),
    ("relink", &[CHOICE, GATE, FORMAT, DRY_RUN, QUIET], None),
    (
        "graft",
        &[GRAFTED, FORMAT, DRY_RUN, QUIET],
        Some("it puts functions into a finished executable; `brawn build` chooses the rest"),
    ),
    ("preload", &[TARGET, CHOICE, FORMAT, DRY_RUN, QUIET], None),
    ("run", &[CHOICE, DRY_RUN], None),
    ("verify", &[TARGET, CHOICE, GATE, FORMAT, QUIET], None),
    (
        "inspect",
        &[FORMAT],
        Some("it says what is inside; `brawn verify` compares that with what is asked for"),
    ),
    ("check", &[FORMAT, DRY_RUN, VERBOSE, QUIET], None),
    ("doctor", &[FORMAT, QUIET], None),
    ("image", &[TARGET, CHOICE, GATE, FORMAT, DRY_RUN, QUIET], None),
    (
        "bench",
        &[FORMAT, DRY_RUN, VERBOSE, QUIET],
        Some("what is compared is said with --variants, for example --variants glibc,stock,balanced"),
    ),
    ("bench compare", &[FORMAT, QUIET], None),
    ("bench report", &[QUIET], None),
    ("tune", &[TARGET, CHOICE, FORMAT, DRY_RUN, VERBOSE, QUIET], None),
    ("tune-load", &[], None),
    ("fleet", &[], None),
    ("fleet collect", &[FORMAT, QUIET], None),
    ("fleet canary", &[FORMAT], None),
    ("fleet report", &[FORMAT, QUIET], None),
    ("fleet plan", &[FORMAT, DRY_RUN, QUIET], None),
    ("fleet run", &[FORMAT, QUIET], None),
    ("fleet status", &[FORMAT], None),
    ("fleet delete", &[QUIET], None),
    ("fleet block", &[], None),
    ("init", &[CHOICE, FORMAT, DRY_RUN, QUIET], None),
    ("cache", &[FORMAT], None),
    ("cache trim", &[FORMAT, DRY_RUN, QUIET], None),
    ("cache clear", &[FORMAT, DRY_RUN, QUIET], None),
    ("completions", &[], None),
    ("man", &[DRY_RUN], None),
];

/// Adds the options to every command that takes some and whose arguments are its own. Those that a command does not use are
/// no part of its help.
pub fn with_options(command: Command) -> Command {
    fn below(command: Command, path: &str) -> Command {
        command.mut_subcommands(|inner| {
            let path = format!("{path} {}", inner.get_name()).trim_start().to_owned();
            let passes_on = inner.get_arguments().any(Arg::is_trailing_var_arg_set);
            let inner = below(inner, &path);
            if passes_on || !USES.iter().any(|(name, groups, _)| *name == path && !groups.is_empty()) {
                return inner;
            }
            Options::augment_args(inner).mut_args(|arg| {
                let hidden = is_shared(arg.get_id().as_str()) && !is_used(&path, arg.get_id().as_str());
                if hidden { arg.hide(true) } else { arg }
            })
        })
    }
    below(Options::augment_args(command), "")
}

/// Refuses the options that were given, before the command or after it, and that the command does not use.
pub fn check(matches: &ArgMatches) -> Result<(), String> {
    let mut given = Vec::new();
    let mut path = String::new();
    let mut matches = matches;
    loop {
        given.extend(SHARED.iter().filter(|(id, _)| {
            // To ask for one that the command does not know is a fault only where clap is compiled for debugging.
            matches.ids().any(|known| known == id)
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        }));
        let Some((name, inner)) = matches.subcommand() else { break };
        path = format!("{path} {name}").trim_start().to_owned();
        matches = inner;
    }
    refuse(&path, given.into_iter().filter(|(id, _)| !is_used(&path, id)))
}

/// Refuses options of a command that it would use in another case. `reason` says in which.
pub fn refuse_here(path: &str, options: &Options, unused: &[&[&str]], reason: &str) {
    let given = [
        ("target", options.target.is_some()),
        ("preset", options.preset.is_some()),
        ("malloc", options.malloc.is_some()),
        ("no_strings", options.no_strings),
        ("musl", !options.musl.is_empty()),
        ("cpu", options.cpu.is_some()),
        ("knobs", !options.knobs.is_empty()),
        ("strict", options.strict),
        ("allow_second_heap", options.allow_second_heap),
        ("one_heap", options.one_heap),
        ("message_format", options.json()),
        ("dry_run", options.dry_run),
    ];
    let unused = unused.concat();
    let given = |id: &str| unused.contains(&id) && given.contains(&(id, true));
    if let Some((_, long)) = SHARED.iter().find(|(id, _)| given(id)) {
        crate::cli::usage(format!("`brawn {path}` does not use --{long} here: {reason}"));
    }
}

fn refuse<'a>(path: &str, mut unused: impl Iterator<Item = &'a (String, String)>) -> Result<(), String> {
    let Some((_, long)) = unused.next() else { return Ok(()) };
    let instead = USES.iter().find(|(name, ..)| *name == path).and_then(|(_, _, instead)| *instead);
    let instead = instead.map(|text| format!(": {text}")).unwrap_or_default();
    Err(format!("`brawn {path}` does not use --{long}{instead}"))
}

/// Whether a command uses an option, by its identifier.
pub fn is_used(path: &str, id: &str) -> bool {
    id == "color" || USES.iter().any(|(name, groups, _)| *name == path && groups.concat().contains(&id))
}

fn is_shared(id: &str) -> bool {
    SHARED.iter().any(|(shared, _)| shared == id)
}

/// Id and long name of every option that means the same everywhere. Made once: it is asked for each option of each command,
/// and `brawn cc` starts once for each source.
static SHARED: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let command = Options::augment_args(Command::new("options"));
    let named = |arg: &Arg| Some((arg.get_id().to_string(), arg.get_long()?.to_owned()));
    command.get_arguments().filter_map(named).collect()
});

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    /// The commands that do something, by their paths.
    fn commands() -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting: Vec<(String, Command)> = vec![(String::new(), Cli::command())];
        while let Some((path, command)) = waiting.pop() {
            let inner =
                |inner: &Command| (format!("{path} {}", inner.get_name()).trim().to_owned(), inner.clone());
            waiting.extend(command.get_subcommands().map(inner));
            found.extend(Some(path).filter(|path| !path.is_empty()));
        }
        found
    }

    #[test]
    fn every_command_has_its_row_and_every_row_its_command() {
        let mut rows: Vec<&str> = USES.iter().map(|(name, ..)| *name).collect();
        let mut commands = commands();
        rows.sort_unstable();
        commands.sort();
        assert_eq!(rows, commands);
        for (name, groups, _) in USES {
            for id in groups.concat() {
                assert!(is_shared(id), "{name}: {id}");
            }
        }
    }
}
