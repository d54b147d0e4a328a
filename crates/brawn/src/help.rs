//! The command line as people read it: commands in groups, and Brawn's own options for commands whose arguments go to another
//! program. Everything is made from the one definition in [`crate::cli`].

use std::ffi::OsString;

use clap::{Arg, Args as _, Command, CommandFactory as _};

use crate::cli::{Cli, Options};
use crate::commands::take_options;
use crate::uses;

/// Every command, by what it is for.
const GROUPS: &[(&str, &[&str])] = &[
    ("Build", &["init", "build", "cargo", "cc", "c++", "env", "libc", "patch", "restore", "relink", "graft"]),
    ("Look", &["verify", "inspect", "check", "doctor"]),
    ("Measure", &["bench", "tune", "fleet"]),
    ("Ship", &["image", "preload", "run"]),
    ("Brawn itself", &["cache", "completions", "man"]),
];

/// The whole command line.
pub fn command() -> Command {
    let root = uses::with_options(Cli::command());
    let header = root.get_styles().get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{header}Options:{header:#}\n{{options}}{{after-help}}",
        groups(&root),
    );
    let mut root = root.help_template(template);
    for name in ["build", "cargo"] {
        root = root.mut_subcommand(name, |command| {
            command
                .override_usage(format!("brawn {name} [OPTIONS] [CARGO'S ARGUMENTS]"))
                .after_help(of_cargo())
        });
    }
    for name in ["cc", "c++"] {
        root = root.mut_subcommand(name, |command| {
            command
                .override_usage(format!("brawn [OPTIONS] {name} [COMPILER'S ARGUMENTS]"))
                .after_help(of_compiler())
        });
    }
    root
}

fn groups(root: &Command) -> String {
    let header = root.get_styles().get_header();
    let literal = root.get_styles().get_literal();
    let mut text = String::new();
    for (group, names) in GROUPS {
        text.push_str(&format!("{header}{group}:{header:#}\n"));
        for name in *names {
            let about = root.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {literal}{name}{literal:#}{:1$}{about}\n", "", 13 - name.len()));
        }
        text.push('\n');
    }
    text
}

/// The options that [`take_options`] takes out of cargo's arguments.
fn of_cargo() -> String {
    let taken = |option: &Arg| {
        let name = option.get_long().unwrap_or_default();
        let args = [format!("--{name}"), "key=value".to_owned()].map(OsString::from).to_vec();
        !take_options(Options::default(), args).1.contains(&format!("--{name}"))
    };
    format!(
        "Brawn's own options, which may stand among cargo's, before `--`:\n{}\nThose of `brawn --help` may stand before the \
         command. All other arguments are cargo's: `cargo help build` tells them.",
        list(taken)
    )
}

fn of_compiler() -> String {
    format!(
        "Brawn's own options, which stand before the command:\n{}\nAll arguments behind the command are the compiler's, which \
         {} and {} name; `brawn doctor` says which one is found.",
        list(|option| option.get_id() != "color" && uses::is_used("cc", option.get_id().as_str())),
        brawn_link::vars::CC,
        brawn_link::vars::CXX,
    )
}

/// Options with what they do, one in a line.
fn list(wanted: impl Fn(&Arg) -> bool) -> String {
    let options = Options::augment_args(Command::new("options"));
    let mut text = String::new();
    for option in options.get_arguments() {
        let Some(name) = option.get_long().filter(|_| wanted(option)) else { continue };
        let value = option.get_value_names().filter(|_| option.get_action().takes_values());
        let value = value.map(|names| format!(" <{}>", names.join(" "))).unwrap_or_default();
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("  {:24} {help}\n", format!("--{name}{value}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let root = Cli::command();
        let mut shown: Vec<&str> =
            root.get_subcommands().filter(|inner| !inner.is_hide_set()).map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
        command().debug_assert();
    }

    #[test]
    fn commands_of_other_programs_tell_brawns_own_options() {
        let mut root = command();
        let mut help = |name| root.find_subcommand_mut(name).unwrap().render_long_help().to_string();
        for name in ["build", "cargo"] {
            let text = help(name);
            assert!(text.contains("--malloc <NAME>") && text.contains("--knob <KEY=VALUE>"), "{text}");
            assert!(!text.contains("--target <TRIPLE>"), "that is cargo's: {text}");
        }
        for name in ["cc", "c++"] {
            let text = help(name);
            assert!(text.contains("--target <TRIPLE>") && text.contains("brawn [OPTIONS] c"), "{text}");
        }
    }
}
