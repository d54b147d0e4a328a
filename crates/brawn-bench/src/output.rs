//! Comparing what variants print.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Error;

/// How the outputs of two variants must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// To the byte.
    Exact,
    /// As a set of lines: for programs whose threads print in any order.
    SortedLines,
}

/// What the first run of a session printed.
pub(crate) struct Reference {
    variant: String,
    rule: Output,
    digest: [u8; 32],
    bytes: File,
}

impl Reference {
    pub(crate) fn new(variant: &str, rule: Output, mut bytes: File) -> Result<Self, Error> {
        let digest = digest(&mut bytes, rule)?;
        Ok(Self { variant: variant.to_owned(), rule, digest, bytes })
    }

    /// # Errors
    /// [`Error::OutputDiffers`] with the first line that differs.
    pub(crate) fn compare(&mut self, variant: &str, mut bytes: File) -> Result<(), Error> {
        if digest(&mut bytes, self.rule)? == self.digest {
            return Ok(());
        }
        let expected = lines(&mut self.bytes, self.rule)?;
        let found = lines(&mut bytes, self.rule)?;
        let line = expected.iter().zip(&found).take_while(|(left, right)| left == right).count();
        let text = |lines: &[Vec<u8>]| {
            lines
                .get(line)
                .map(|line| String::from_utf8_lossy(line).chars().take(200).collect())
                .unwrap_or_default()
        };
        Err(Error::OutputDiffers {
            reference: self.variant.clone(),
            variant: variant.to_owned(),
            line: line + 1,
            expected: text(&expected),
            found: text(&found),
        })
    }
}

fn digest(file: &mut File, rule: Output) -> Result<[u8; 32], Error> {
    let mut hash = Sha256::new();
    match rule {
        Output::Exact => {
            file.seek(SeekFrom::Start(0))?;
            let mut buffer = vec![0; 64 * 1024];
            loop {
                let count = file.read(&mut buffer)?;
                if count == 0 {
                    break;
                }
                hash.update(&buffer[..count]);
            }
        }
        Output::SortedLines => lines(file, rule)?.iter().for_each(|line| {
            hash.update(line);
            hash.update(b"\n");
        }),
    }
    Ok(hash.finalize().into())
}

fn lines(file: &mut File, rule: Output) -> Result<Vec<Vec<u8>>, Error> {
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::new(file).split(b'\n').collect::<Result<Vec<_>, _>>()?;
    if rule == Output::SortedLines {
        lines.sort_unstable();
    }
    Ok(lines)
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

    #[test]
    fn the_first_different_line_is_named() {
        let mut reference = Reference::new("a", Output::Exact, file("one\ntwo\nthree\n")).unwrap();
        reference.compare("b", file("one\ntwo\nthree\n")).unwrap();
        let error = reference.compare("b", file("one\n2\nthree\n")).unwrap_err().to_string();
        assert_eq!(
            error,
            "variants `a` and `b` print different output, first at line 2: \"two\" against \"2\""
        );
        let error = reference.compare("b", file("one\ntwo\n")).unwrap_err().to_string();
        assert_eq!(
            error,
            "variants `a` and `b` print different output, first at line 3: \"three\" against \"\""
        );
    }

    #[test]
    fn sorted_lines_forgive_order_and_nothing_else() {
        let mut reference = Reference::new("a", Output::SortedLines, file("one\ntwo\n")).unwrap();
        reference.compare("b", file("two\none\n")).unwrap();
        assert!(reference.compare("b", file("two\ntwo\n")).is_err());
        assert!(reference.compare("b", file("one\ntwo\ntwo\n")).is_err());
        let mut exact = Reference::new("a", Output::Exact, file("one\ntwo\n")).unwrap();
        assert!(exact.compare("b", file("two\none\n")).is_err());
    }
}
