use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::text::{damaged, entries_of, is_lower_hex, text_of, words};
use super::{NOTE_TYPE_GRAFT, encode_note};
use crate::Error;

/// What became of an executable that got functions of the kit when it was finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Graft {
    /// Version of the kit, such as `0.1.0`.
    pub kit: String,
    /// SHA-256 of the file as it was, in hexadecimal.
    pub original: String,
    /// The functions of libc whose beginnings lead to those of the kit, sorted.
    pub functions: Vec<String>,
    /// The families that these belong to, sorted.
    pub families: Vec<String>,
    /// The file as it was, from its first byte to its last.
    #[serde(skip)]
    pub pieces: Vec<Piece>,
}

/// A part of the file as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// So many bytes of the new file from this offset on.
    Kept {
        /// Where they are in the new file.
        start: u64,
        /// How many, in bytes.
        length: u64,
    },
    /// Bytes that the new file has nowhere else.
    Lost(Vec<u8>),
}

impl Piece {
    /// Bytes of the original.
    pub fn length(&self) -> u64 {
        match self {
            Piece::Kept { length, .. } => *length,
            Piece::Lost(bytes) => bytes.len() as u64,
        }
    }

    // Numbers have one width, so that a note has its size before what it tells has its place.
    fn text(&self) -> String {
        match self {
            Piece::Kept { start, length } => format!("{start:016x}+{length:016x}"),
            Piece::Lost(bytes) => brawn_base::text::hex(bytes),
        }
    }

    fn of(text: &str) -> Option<Piece> {
        let number = |digits: &str| (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok())?;
        if !text.bytes().all(|byte| byte == b'+' || byte.is_ascii_hexdigit()) {
            return None;
        }
        match text.split_once('+') {
            Some((start, length)) => Some(Piece::Kept { start: number(start)?, length: number(length)? }),
            None if text.len().is_multiple_of(2) => {
                let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
                Some(Piece::Lost((0..text.len()).step_by(2).map(byte).collect::<Option<_>>()?))
            }
            None => None,
        }
    }
}

impl Graft {
    /// The family of the heap.
    pub const HEAP: &str = "heap";

    /// Whether the program got another heap.
    pub fn has_heap(&self) -> bool {
        self.families.iter().any(|family| family == Graft::HEAP)
    }

    /// The bytes of a whole note section with this in it.
    pub fn encode(&self) -> Vec<u8> {
        encode_note(NOTE_TYPE_GRAFT, text_of(&self.entries()).as_bytes())
    }

    pub(super) fn entries(&self) -> BTreeMap<String, String> {
        let pieces: Vec<String> = self.pieces.iter().map(Piece::text).collect();
        let entries = [
            ("families", self.families.join(" ")),
            ("functions", self.functions.join(" ")),
            ("kit", self.kit.clone()),
            ("original", self.original.clone()),
            ("pieces", pieces.join(" ")),
        ];
        entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    pub(super) fn from_description(description: &[u8]) -> Result<Graft, Error> {
        let mut entries = entries_of(description)?;
        let mut take = |key: &str| entries.remove(key).ok_or_else(|| damaged(format!("`{key}` is missing")));
        let original = take("original")?;
        if !is_lower_hex(&original) {
            return Err(damaged("`original` is not hexadecimal"));
        }
        let pieces = take("pieces")?;
        let pieces = pieces.split(' ').map(Piece::of).collect::<Option<Vec<_>>>();
        Ok(Graft {
            kit: take("kit")?,
            original,
            functions: words(&take("functions")?),
            families: words(&take("families")?),
            pieces: pieces.ok_or_else(|| damaged("`pieces` cannot be read"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_its_size_does_not_hang_on_places() {
        let mut graft = Graft {
            kit: "0.1.0".into(),
            original: "00ff".into(),
            functions: vec!["memcpy".into(), "strlen".into()],
            families: vec!["strings".into()],
            pieces: vec![Piece::Kept { start: 0, length: 0 }, Piece::Lost(vec![0, 255])],
        };
        let size = graft.encode().len();
        graft.pieces[0] = Piece::Kept { start: u64::MAX, length: 1 << 40 };
        assert_eq!(graft.encode().len(), size);
        let text = text_of(&graft.entries());
        assert_eq!(Graft::from_description(text.as_bytes()), Ok(graft));
        for bad in [text.replace("00ff ", ""), text.replace(" 00ff", " 0ff"), text.replace('+', "-")] {
            let read = Graft::from_description(bad.as_bytes());
            assert!(bad == text || matches!(read, Err(Error::NoteDamaged { .. })), "{bad}");
        }
    }
}
