//! Variables in the words of shells and of services.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use brawn_base::text::is_hidden;

/// Lines that a POSIX shell reads.
pub fn posix(variables: &[(String, OsString)]) -> String {
    let lines = variables.iter().map(|(name, value)| format!("export {name}={}\n", quote(value)));
    lines.collect()
}

/// Lines that fish reads.
pub fn fish(variables: &[(String, OsString)]) -> String {
    let lines = variables.iter().map(|(name, value)| format!("set -gx {name} {}\n", fish_word(value)));
    lines.collect()
}

/// What a step appends to the file that `GITHUB_ENV` names: the values as they are. An error holds the name of the one that
/// is not UTF-8, as that file is.
pub fn github(variables: &[(String, OsString)]) -> Result<String, String> {
    let texts = variables.iter().map(|(name, value)| Ok((name, value.to_str().ok_or_else(|| name.clone())?)));
    let texts: Vec<(&String, &str)> = texts.collect::<Result<_, String>>()?;
    let mut end = String::from("BRAWN");
    // The line that ends a value must be no line of it.
    while texts.iter().any(|(_, value)| value.contains(&end)) {
        end.push('_');
    }
    Ok(texts.into_iter().map(|(name, value)| format!("{name}<<{end}\n{value}\n{end}\n")).collect())
}

/// A word as fish reads it back, to the byte. What a terminal must not be shown stands between quotes, as a number.
fn fish_word(text: &OsStr) -> String {
    match text.to_str() {
        Some(text) if !text.contains(is_hidden) => {
            format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
        }
        _ => text.as_bytes().iter().map(|byte| format!(r"\X{byte:02x}")).collect(),
    }
}

/// A word as a POSIX shell reads it back, to the byte; no value ends in a line break. What a terminal must not be shown is
/// written in octal.
fn quote(text: &OsStr) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match text.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) if !text.contains(is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let octal = |byte: &u8| match *byte {
                byte if byte.is_ascii_alphanumeric() || b"/._+=:,@".contains(&byte) => {
                    char::from(byte).to_string()
                }
                byte => format!(r"\{byte:03o}"),
            };
            format!(r#""$(printf '{}')""#, text.as_bytes().iter().map(octal).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;

    #[test]
    fn values_survive_the_shell() {
        let quote = |text: &str| super::quote(OsStr::new(text));
        assert_eq!(quote("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("-C\u{1f}x"), r#""$(printf '\055C\037x')""#);
    }

    #[test]
    fn fish_is_told_in_its_own_words() {
        let variables =
            [("A".to_owned(), OsStr::new(r"it's \ $x").to_owned()), ("B".to_owned(), "-C\u{1f}".into())];
        assert_eq!(super::fish(&variables), "set -gx A 'it\\'s \\\\ $x'\nset -gx B \\X2d\\X43\\X1f\n");
    }

    #[test]
    fn no_value_ends_itself_early() {
        let variables = [("A".to_owned(), "x\nBRAWN\nB=1".into()), ("C".to_owned(), "-O2\u{1f}-g".into())];
        let text = super::github(&variables).unwrap();
        assert_eq!(text, "A<<BRAWN_\nx\nBRAWN\nB=1\nBRAWN_\nC<<BRAWN_\n-O2\u{1f}-g\nBRAWN_\n");
        let bytes = [("A".to_owned(), OsStr::from_bytes(b"\xff").to_owned())];
        assert_eq!(super::github(&bytes), Err("A".to_owned()));
    }

    #[test]
    fn a_shell_reads_back_every_byte() {
        let all: Vec<u8> = (1..=255).collect();
        for bytes in
            [&all[..], b"-Clink-arg=-s\x1f-Ctarget-cpu=x", b"100% it's\x1b", "\u{202e}x\ny".as_bytes()]
        {
            let word = super::quote(OsStr::from_bytes(bytes));
            assert!(!word.contains(brawn_base::text::is_hidden), "{word}");
            let script = format!("printf %s {word}");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(output.stdout, bytes, "{word}");
        }
    }
}
