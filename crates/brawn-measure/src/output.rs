//! Comparing what variants print.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use crate::Error;

/// How the outputs of two variants must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Output {
    /// Line by line, in the same order.
    #[default]
    Exact,
    /// As a set of lines: for programs whose threads print in any order.
    SortedLines,
    /// Not at all: for programs that print what they measured, and check their own answer.
    Unchecked,
}

/// How many lines of each output are shown when they differ.
const SHOWN: usize = 3;

/// What the first run printed, for comparing what others print.
#[derive(Debug)]
pub struct Reference {
    variant: String,
    rule: Output,
    ignored: Option<String>,
    digest: [u8; 32],
    bytes: File,
}

impl Reference {
    /// The output of `variant`, an open file. Lines that hold the text `ignored` are left out.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn new(variant: &str, rule: Output, ignored: Option<&str>, bytes: File) -> Result<Self, Error> {
        let mut reference = Self {
            variant: variant.to_owned(),
            rule,
            ignored: ignored.map(str::to_owned),
            digest: [0; 32],
            bytes,
        };
        reference.digest = digest(&reference.lines(&reference.bytes)?);
        Ok(reference)
    }

    /// Compares what another variant printed.
    ///
    /// # Errors
    /// [`Error::OutputDiffers`] with the first line that differs, [`Error::File`].
    pub fn compare(&self, variant: &str, bytes: File) -> Result<(), Error> {
        if self.rule == Output::Unchecked {
            return Ok(());
        }
        let found = self.lines(&bytes)?;
        if digest(&found) == self.digest {
            return Ok(());
        }
        let expected = self.lines(&self.bytes)?;
        let line = expected.iter().zip(&found).take_while(|(left, right)| left == right).count();
        let text = |lines: &[Vec<u8>]| -> Vec<String> {
            let shown = lines.iter().skip(line).take(SHOWN);
            shown.map(|line| String::from_utf8_lossy(line).chars().take(200).collect()).collect()
        };
        Err(Error::OutputDiffers {
            reference: self.variant.clone(),
            variant: variant.to_owned(),
            line: line + 1,
            expected: text(&expected),
            found: text(&found),
        })
    }

    /// The lines that are compared, in the order in which they are.
    fn lines(&self, mut file: &File) -> Result<Vec<Vec<u8>>, Error> {
        file.seek(SeekFrom::Start(0))?;
        let mut lines = BufReader::new(file).split(b'\n').collect::<Result<Vec<_>, _>>()?;
        if let Some(ignored) = &self.ignored {
            lines.retain(|line| memchr::memmem::find(line, ignored.as_bytes()).is_none());
        }
        if self.rule == Output::SortedLines {
            lines.sort_unstable();
        }
        Ok(lines)
    }
}

fn digest(lines: &[Vec<u8>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line);
        hash.update(b"\n");
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    fn holding(output: Output, text: &str) -> Reference {
        Reference::new("a", output, Some("elapsed"), file(text)).unwrap()
    }

    #[test]
    fn the_first_different_line_is_named() {
        let reference = holding(Output::Exact, "one\ntwo\nthree\n");
        reference.compare("b", file("one\ntwo\nthree\n")).unwrap();
        let error = reference.compare("b", file("one\n2\nthree\n")).unwrap_err().to_string();
        assert_eq!(
            error,
            "variants `a` and `b` print different output, first at line 2\n\
             \x20 a | two\n  a | three\n  b | 2\n  b | three"
        );
        let error = reference.compare("b", file("one\ntwo\n")).unwrap_err().to_string();
        assert_eq!(
            error,
            "variants `a` and `b` print different output, first at line 3\n\
             \x20 a | three\n  b | (nothing more)"
        );
    }

    #[test]
    fn programs_that_check_themselves_may_print_what_they_like() {
        holding(Output::Unchecked, "1 s\n").compare("b", file("2 s\n")).unwrap();
    }

    #[test]
    fn sorted_lines_forgive_order_and_nothing_else() {
        let reference = holding(Output::SortedLines, "one\ntwo\n");
        reference.compare("b", file("two\none\n")).unwrap();
        assert!(reference.compare("b", file("two\ntwo\n")).is_err());
        assert!(reference.compare("b", file("one\ntwo\ntwo\n")).is_err());
        reference.compare("b", file("two\nelapsed 7 s\none\n")).unwrap();
        let exact = holding(Output::Exact, "one\ntwo\n");
        assert!(exact.compare("b", file("two\none\n")).is_err());
    }
}
