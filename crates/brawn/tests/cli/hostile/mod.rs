//! Inputs that would harm anyone who gives them to a command: names and contents that steer a terminal, and files that never end.

mod answers;
mod elf;
mod files;
mod fleet;
mod names;
mod seen;

use crate::common::{Sandbox, commands};

/// Every command has a row in this table of another test.
fn assert_all_have_rows<T>(rows: &[(&str, T)]) {
    let commands = commands(&Sandbox::new());
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        assert!(
            rows.iter().any(|(name, _)| *name == command),
            "`brawn {command}` is new: add a row with the ways in which it takes names and files"
        );
    }
}
