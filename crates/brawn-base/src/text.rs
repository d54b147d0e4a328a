//! Text from outside, made visible.
//!
//! File names, strings of an ELF file, answers of a registry and what another program wrote can hold anything: escape
//! sequences that steer a terminal, line breaks that forge a message, characters that reverse what follows. Here they
//! become what a reader can see: `\x1b`, `\n`, `\u{202e}`. Other Unicode stays as it is.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::{self, Display, Write};
use std::os::unix::ffi::OsStrExt as _;

/// What becomes of line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines<'a> {
    /// They are escaped as well: the text is one line.
    One,
    /// They stay: the text is a document of several lines.
    Many,
    /// They stay, and this begins every line but the first, so that none passes for a message of its own.
    After(&'a str),
}

/// Whether a character does something to a terminal or to the order of what stands around it, instead of being
/// something that a reader sees.
pub fn is_hidden(c: char) -> bool {
    let invisible = matches!(c,
        // Marks, embeddings, overrides and isolates of bidirectional text.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Separators of lines and paragraphs, the mark of a byte order, annotations, tags.
        | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || invisible
}

/// A name from outside as one line: a path, an argument, a string. What is no UTF-8 shows as `\xff`.
pub fn shown<T: AsRef<OsStr> + ?Sized>(text: &T) -> Shown<'_> {
    bytes(text.as_ref().as_bytes())
}

/// Bytes from outside that should be text, as one line.
pub fn bytes(bytes: &[u8]) -> Shown<'_> {
    Shown { bytes, lines: Lines::One }
}

/// Text of several lines from outside, such as what another program wrote.
pub fn lines<'a>(bytes: &'a [u8], lines: Lines<'a>) -> Shown<'a> {
    Shown { bytes, lines }
}

/// Text from outside that can be printed: see [`shown`].
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    bytes: &'a [u8],
    lines: Lines<'a>,
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut to = Escaped::new(&mut *f, self.lines);
        for chunk in self.bytes.utf8_chunks() {
            to.write_str(chunk.valid())?;
            for byte in chunk.invalid() {
                write!(to, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// A writer that makes everything visible that is written through it.
#[derive(Debug)]
pub struct Escaped<'a, W> {
    to: W,
    lines: Lines<'a>,
}

impl<'a, W: Write> Escaped<'a, W> {
    /// Writes to `to`.
    pub fn new(to: W, lines: Lines<'a>) -> Self {
        Escaped { to, lines }
    }
}

impl<W: Write> Write for Escaped<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(is_hidden) {
            self.to.write_str(&rest[..at])?;
            let c = rest[at..].chars().next().unwrap_or_default();
            rest = &rest[at + c.len_utf8()..];
            match (c, self.lines) {
                ('\n', Lines::Many) => self.to.write_char('\n')?,
                ('\n', Lines::After(prefix)) => write!(self.to, "\n{prefix}")?,
                ('\n', Lines::One) => self.to.write_str("\\n")?,
                ('\r', _) => self.to.write_str("\\r")?,
                ('\t', _) => self.to.write_str("\\t")?,
                (c, _) if u32::from(c) < 0x100 => write!(self.to, "\\x{:02x}", u32::from(c))?,
                (c, _) => write!(self.to, "\\u{{{:x}}}", u32::from(c))?,
            }
        }
        self.to.write_str(rest)
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A path for a document of data such as JSON: as it is, but for bytes that are no UTF-8, which show as `\xff`.
pub fn exact<T: AsRef<OsStr> + ?Sized>(text: &T) -> Cow<'_, str> {
    let text = text.as_ref();
    match text.to_str() {
        Some(text) => Cow::Borrowed(text),
        None => {
            let visible = |byte: &u8| format!("\\x{byte:02x}");
            let chunks = text.as_bytes().utf8_chunks();
            let parts = chunks.map(|chunk| {
                chunk.valid().to_owned() + &chunk.invalid().iter().map(visible).collect::<String>()
            });
            Cow::Owned(parts.collect())
        }
    }
}

/// A JSON document with the escapes that its writer leaves out: of DEL, of control characters beyond ASCII, and of what
/// changes the order of text. It means the same: such characters stand inside of strings only.
pub fn json(document: &str) -> String {
    let mut text = String::with_capacity(document.len());
    for c in document.chars() {
        if is_hidden(c) && !matches!(c, '\n' | '\r' | '\t') {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// The last lines of a text, so many at most.
pub fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// What a program wrote, behind a sentence about how it failed; nothing where it wrote nothing.
pub fn wrote(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("; it wrote:\n{text}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_reader_must_see_is_visible() {
        assert_eq!(shown("a\x1b[31m\r\n\t\x07\x7f").to_string(), r"a\x1b[31m\r\n\t\x07\x7f");
        assert_eq!(
            shown("\u{9b}2J\u{202e}fdp.exe\u{2066}\u{2028}").to_string(),
            r"\x9b2J\u{202e}fdp.exe\u{2066}\u{2028}"
        );
        assert_eq!(bytes(b"\xff\xc3\xa4\xc3").to_string(), r"\xffä\xc3");
    }

    #[test]
    fn other_text_stays() {
        for text in ["/usr/lib/libc.a", "Grüße, 世界", "👩\u{200d}💻", "مرحبا", r"back\slash"] {
            assert_eq!(shown(text).to_string(), text);
        }
    }

    #[test]
    fn lines_stay_lines_where_they_may() {
        let said = "one\nerror: forged\x1b";
        assert_eq!(lines(said.as_bytes(), Lines::Many).to_string(), "one\nerror: forged\\x1b");
        assert_eq!(lines(said.as_bytes(), Lines::After("  | ")).to_string(), "one\n  | error: forged\\x1b");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(bytes: Vec<u8>) {
            prop_assert!(!super::bytes(&bytes).to_string().contains(is_hidden));
        }

        #[test]
        fn nothing_hidden_is_left_of_text(text: String) {
            prop_assert!(!shown(&text).to_string().contains(is_hidden));
        }
    }

    #[test]
    fn json_keeps_its_meaning() {
        let escaped = json("[\"\u{7f}\u{85}\u{202e}\u{e0041}\",\n 1]");
        assert_eq!(escaped, "[\"\\u007f\\u0085\\u202e\\udb40\\udc41\",\n 1]");
    }
}
