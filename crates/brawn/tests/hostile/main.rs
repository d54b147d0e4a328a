//! Inputs that would harm whoever gives them to a command: names and contents that steer a terminal, and files that never end.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod elf;
mod files;
mod names;
mod seen;

use common::{Bench, ok};

/// The commands that the program lists, so that none is forgotten here.
fn commands() -> Vec<String> {
    let help = ok(&mut Bench::new().brawn(&["--help"]));
    let line = |line: &str| {
        let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '-']))?.split(' ').next()?;
        Some(name.to_owned())
    };
    let shown = help.split_once("Exit codes:").expect("the list ends").0.lines().filter_map(line);
    shown.filter(|name| name != "help").collect()
}

/// Every command has a row in this table of another test.
fn assert_all_have_rows<T>(rows: &[(&str, T)]) {
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        assert!(
            rows.iter().any(|(name, _)| *name == command),
            "`brawn {command}` is new: add a row with the ways in which it takes names and files"
        );
    }
}
