//! What a terminal is given.

use std::process::{Command, Output};

/// Brawn's own styles. What tests put into names is none of these.
const STYLES: [&str; 6] = ["\x1b[0m", "\x1b[1m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m"];

/// Runs a command as on a terminal with colours, and checks that all it wrote can be shown: no control characters and no
/// characters that reorder text but line breaks, and none of these begins a line that others made up.
pub fn check(command: &mut Command) -> Output {
    let output = command.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1").output().unwrap();
    for (stream, bytes) in [("standard output", &output.stdout), ("standard error", &output.stderr)] {
        let text = std::str::from_utf8(bytes);
        let text = text.unwrap_or_else(|error| panic!("{command:?}: {stream}: {error}: {bytes:?}"));
        let plain = STYLES.iter().fold(text.to_owned(), |text, style| text.replace(style, ""));
        if let Some(c) = plain.chars().find(|c| *c != '\n' && steers(*c)) {
            panic!("{command:?}: {stream} holds {c:?}:\n{text:?}");
        }
        let forged = plain.lines().find(|line| {
            let line = line.trim_start();
            ["error", "hint", "warning", "caused by"]
                .iter()
                .any(|word| line.starts_with(&format!("{word}: forged")))
        });
        assert!(forged.is_none(), "{command:?}: {stream} holds a forged line: {forged:?}");
    }
    assert!(output.status.code().is_some_and(|code| code != 101), "{command:?} crashed: {output:?}");
    output
}

fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}
