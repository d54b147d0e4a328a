use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{NOTE_TYPE_HEAPS, NOTE_TYPE_KIT, NOTE_TYPE_LINK, encode_note};
use crate::Error;

/// What went into an executable: written into `libc.a`, hence into everything that is linked with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Note {
    /// Version of the kit, such as `0.1.0`.
    pub kit: String,
    /// The preset that was asked for, if one was.
    pub preset: Option<String>,
    /// The allocator behind `malloc`: `mimalloc`, `stock`, …
    pub malloc: String,
    /// The allocator's own version, if it has one.
    pub malloc_version: Option<String>,
    /// The allocator's settings that differ from its defaults.
    pub knobs: BTreeMap<String, String>,
    /// The libc that the overlay started from, such as `musl 1.2.5`, or `musl` when the version is unknown.
    pub libc: String,
    /// SHA-256 of the `libc.a` that the overlay started from, in hexadecimal.
    pub libc_sha256: String,
    /// Whether the kit's string functions took the place of musl's.
    pub strings: bool,
    /// The other families of functions of which the kit's took the place of musl's.
    #[serde(default)]
    pub functions: Vec<String>,
    /// The one kind of processor that the string functions are for, if they do not look for themselves.
    #[serde(default)]
    pub cpu: Option<String>,
    /// Content identity of the overlay, in hexadecimal.
    pub overlay: String,
    /// What only the link decided.
    #[serde(flatten)]
    pub heaps: HeapFacts,
}

/// What only a link decides about heaps: the last entries of a [`Note`], which is in `libc.a` before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HeapFacts {
    /// Whose `malloc` the program calls, if that is neither the allocator's above nor musl's: [`PROGRAM`], or the name of
    /// an allocator that is known.
    pub malloc_owner: Option<String>,
    /// The heap that libc goes on using for itself beside that: `bump`, musl's smallest, or another name of a heap.
    pub libc_heap: Option<String>,
    /// The allocators that the program's crates bring and whose callers come to the heap behind `malloc` instead.
    pub serves: Vec<String>,
}

/// The owner of a `malloc` that the program defines itself, and that is no allocator known by name.
pub const PROGRAM: &str = "program";

const MALLOC_OWNER: &str = "malloc-owner";
const LIBC_HEAP: &str = "libc-heap";
const SERVES: &str = "serves";

/// The key of [`Note::functions`] in a note.
pub const FUNCTIONS: &str = "functions";

impl HeapFacts {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == HeapFacts::default()
    }

    /// The bytes of a whole note section with these facts in it.
    pub fn encode(&self) -> Vec<u8> {
        encode_note(NOTE_TYPE_HEAPS, text_of(&self.entries()).as_bytes())
    }

    pub(crate) fn entries(&self) -> BTreeMap<String, String> {
        let serves = Some(self.serves.join(" ")).filter(|names| !names.is_empty());
        let values = [
            (MALLOC_OWNER, self.malloc_owner.clone()),
            (LIBC_HEAP, self.libc_heap.clone()),
            (SERVES, serves),
        ];
        values.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }

    pub(crate) fn from_description(description: &[u8]) -> Result<HeapFacts, Error> {
        HeapFacts::take(&mut entries_of(description)?)
    }

    fn take(entries: &mut BTreeMap<String, String>) -> Result<HeapFacts, Error> {
        let mut take = |key: &str| match entries.remove(key) {
            Some(value) if value.trim().is_empty() => Err(damaged(format!("`{key}` is empty"))),
            value => Ok(value),
        };
        let serves = take(SERVES)?.unwrap_or_default();
        Ok(HeapFacts {
            malloc_owner: take(MALLOC_OWNER)?,
            libc_heap: take(LIBC_HEAP)?,
            serves: words(&serves),
        })
    }
}

/// Keys of knobs start with this, so that they cannot collide with the note's own keys.
pub const KNOB: &str = "knob.";

impl Note {
    /// The bytes of a whole note section with this note in it.
    pub fn encode(&self) -> Vec<u8> {
        encode_note(NOTE_TYPE_KIT, text_of(&self.entries()).as_bytes())
    }

    /// The note as it is written: every key with its value, by name.
    pub fn entries(&self) -> BTreeMap<String, String> {
        let strings = if self.strings { "yes" } else { "no" };
        let needed = [
            ("kit", &self.kit),
            ("libc", &self.libc),
            ("libc-sha256", &self.libc_sha256),
            ("malloc", &self.malloc),
            ("overlay", &self.overlay),
            ("strings", &strings.to_owned()),
        ];
        let optional =
            [("cpu", &self.cpu), ("malloc-version", &self.malloc_version), ("preset", &self.preset)];
        let functions = (!self.functions.is_empty()).then(|| self.functions.join(" "));
        let optional = optional.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let named = needed.into_iter().chain(optional).map(|(key, value)| (key.to_owned(), value.clone()));
        let knobs = self.knobs.iter().map(|(name, value)| (format!("{KNOB}{name}"), value.clone()));
        let mut entries: BTreeMap<String, String> = named.chain(knobs).collect();
        entries.extend(self.heaps.entries());
        entries.extend(functions.map(|functions| (FUNCTIONS.to_owned(), functions)));
        entries
    }

    /// Reads the description of a type 1 note. Keys that are not known are skipped; anything that
    /// [`Note::encode`] cannot have written is an error.
    pub(crate) fn from_description(description: &[u8]) -> Result<Note, Error> {
        let mut entries = entries_of(description)?;
        let heaps = HeapFacts::take(&mut entries)?;
        let mut take = |key: &str| entries.remove(key);
        let needed = |key: &str, value: Option<String>| match value {
            Some(value) if !value.is_empty() => Ok(value),
            Some(_) => Err(damaged(format!("`{key}` is empty"))),
            None => Err(damaged(format!("`{key}` is missing"))),
        };
        let hexadecimal = |key: &str, value: Option<String>| {
            let value = needed(key, value)?;
            if is_lower_hex(&value) { Ok(value) } else { Err(damaged(format!("`{key}` is not hexadecimal"))) }
        };
        Ok(Note {
            kit: needed("kit", take("kit"))?,
            preset: take("preset"),
            malloc: needed("malloc", take("malloc"))?,
            malloc_version: take("malloc-version"),
            libc: needed("libc", take("libc"))?,
            libc_sha256: hexadecimal("libc-sha256", take("libc-sha256"))?,
            strings: match needed("strings", take("strings"))?.as_str() {
                "yes" => true,
                "no" => false,
                other => return Err(damaged(format!("`strings` is {other:?}, neither yes nor no"))),
            },
            functions: words(&take(FUNCTIONS).unwrap_or_default()),
            cpu: take("cpu"),
            overlay: hexadecimal("overlay", take("overlay"))?,
            knobs: entries
                .into_iter()
                .filter_map(|(key, value)| Some((key.strip_prefix(KNOB)?.to_owned(), value)))
                .collect(),
            heaps,
        })
    }
}

pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

pub(super) fn text_of(entries: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for (key, value) in entries {
        escape(key, true, &mut text);
        text.push('=');
        escape(value, false, &mut text);
        text.push('\n');
    }
    text
}

/// The entries of a description: lines in the order of their keys.
pub(super) fn entries_of(description: &[u8]) -> Result<BTreeMap<String, String>, Error> {
    let text = std::str::from_utf8(description).map_err(|_| damaged("it is not UTF-8 text"))?;
    let mut entries = BTreeMap::new();
    let mut last = String::new();
    for line in text.split_inclusive('\n') {
        let line = line.strip_suffix('\n').ok_or_else(|| damaged("the last line is cut off"))?;
        let (key, value) = line.split_once('=').ok_or_else(|| damaged(format!("no `=` in {line:?}")))?;
        let (key, value) = (unescape(key)?, unescape(value)?);
        if key <= last {
            return Err(damaged(format!("`{key}` is out of order, or there twice")));
        }
        last.clone_from(&key);
        entries.insert(key, value);
    }
    Ok(entries)
}

/// The identity of a recorded link: lowercase hexadecimal text, never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkId(String);

impl LinkId {
    /// Takes lowercase hexadecimal text.
    ///
    /// # Errors
    /// [`Error::NoteDamaged`] when the text is empty or holds anything else.
    pub fn new(hexadecimal: impl Into<String>) -> Result<LinkId, Error> {
        let text = hexadecimal.into();
        if is_lower_hex(&text) {
            Ok(LinkId(text))
        } else {
            Err(damaged(format!("the link's identity is not lowercase hexadecimal: {text:?}")))
        }
    }

    /// The hexadecimal text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes of a whole note section with this identity in it.
    pub fn encode(&self) -> Vec<u8> {
        encode_note(NOTE_TYPE_LINK, self.0.as_bytes())
    }

    pub(crate) fn from_description(description: &[u8]) -> Result<LinkId, Error> {
        let text =
            std::str::from_utf8(description).map_err(|_| damaged("the link's identity is not text"))?;
        LinkId::new(text)
    }
}

impl fmt::Display for LinkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for LinkId {
    type Error = Error;

    fn try_from(text: String) -> Result<LinkId, Error> {
        LinkId::new(text)
    }
}

impl From<LinkId> for String {
    fn from(id: LinkId) -> String {
        id.0
    }
}

pub(super) fn damaged(reason: impl Into<String>) -> Error {
    Error::NoteDamaged { what: reason.into() }
}

pub(super) fn is_lower_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A line break would end the line and an equals sign the key, so both are written as escapes.
fn escape(text: &str, key: bool, out: &mut String) {
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '=' if key => out.push_str("\\e"),
            _ => out.push(c),
        }
    }
}

fn unescape(text: &str) -> Result<String, Error> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('\\') => '\\',
                Some('n') => '\n',
                Some('e') => '=',
                _ => return Err(damaged(format!("unknown escape in {text:?}"))),
            },
            c => c,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note() -> Note {
        Note {
            kit: "0.1.0".into(),
            preset: Some("balanced".into()),
            malloc: "mimalloc".into(),
            malloc_version: Some("3.3.2".into()),
            knobs: BTreeMap::from([("purge_delay".into(), "0".into()), ("a=b\\".into(), "x=y\nz".into())]),
            libc: "musl 1.2.5".into(),
            libc_sha256: "00ff".into(),
            strings: true,
            functions: Vec::new(),
            cpu: Some("x86-64-v3".into()),
            overlay: "abc123".into(),
            heaps: HeapFacts::default(),
        }
    }

    fn description(encoded: &[u8]) -> &[u8] {
        let length = u32::from_le_bytes(encoded[4..8].try_into().unwrap()) as usize;
        &encoded[20..20 + length]
    }

    #[test]
    fn what_is_written_is_read_back() {
        let encoded = note().encode();
        assert_eq!(encoded.len() % 4, 0);
        assert_eq!(Note::from_description(description(&encoded)), Ok(note()));
        let plain = Note {
            preset: None,
            malloc_version: None,
            knobs: BTreeMap::new(),
            cpu: None,
            strings: false,
            functions: vec!["environment".into(), "sort".into()],
            ..note()
        };
        assert_eq!(Note::from_description(description(&plain.encode())), Ok(plain));
    }

    #[test]
    fn what_a_link_decides_about_heaps_has_a_note_of_its_own() {
        let facts = HeapFacts {
            malloc_owner: Some(PROGRAM.into()),
            libc_heap: Some("bump".into()),
            serves: vec!["jemalloc".into(), "mimalloc".into()],
        };
        let encoded = facts.encode();
        assert_eq!(
            std::str::from_utf8(description(&encoded)).unwrap(),
            "libc-heap=bump\nmalloc-owner=program\nserves=jemalloc mimalloc\n"
        );
        assert_eq!(HeapFacts::from_description(description(&encoded)), Ok(facts.clone()));
        let whole = Note { heaps: facts, ..note() };
        assert_eq!(Note::from_description(description(&whole.encode())), Ok(whole));
        assert!(HeapFacts::default().is_empty());
        assert!(HeapFacts::from_description(b"serves=\n").is_err());
        assert_eq!(HeapFacts::from_description(b"later=x\n"), Ok(HeapFacts::default()));
    }

    #[test]
    fn the_text_is_sorted_lines_that_a_person_can_read() {
        let encoded = Note { knobs: BTreeMap::new(), ..note() }.encode();
        assert_eq!(
            std::str::from_utf8(description(&encoded)).unwrap(),
            "cpu=x86-64-v3\nkit=0.1.0\nlibc=musl 1.2.5\nlibc-sha256=00ff\nmalloc=mimalloc\nmalloc-version=3.3.2\n\
             overlay=abc123\npreset=balanced\nstrings=yes\n"
        );
    }

    #[test]
    fn unknown_keys_are_skipped_and_damage_is_not() {
        let good = "kit=1\nlibc=musl\nlibc-sha256=0a\nmalloc=stock\noverlay=0b\nstrings=no\n";
        assert!(Note::from_description(good.as_bytes()).is_ok());
        let later = good.replace("strings", "renewed-in-2.0=x\nstrings");
        assert!(Note::from_description(later.as_bytes()).is_ok());
        for bad in [
            good.trim_end().to_owned(),
            good.replace("kit=1\n", ""),
            good.replace("kit=1", "kit="),
            good.replace("kit=1", "kit"),
            good.replace("kit=1", "kit=\\q"),
            good.replace("=0a", "=0A"),
            good.replace("=no", "=maybe"),
            good.replace("kit=1\n", "kit=1\nkit=1\n"),
            good.replace("kit=1\n", "") + "kit=1\n",
            good.replace('\n', "\0"),
            String::new(),
        ] {
            assert!(
                matches!(Note::from_description(bad.as_bytes()), Err(Error::NoteDamaged { .. })),
                "{bad:?}"
            );
        }
        assert!(Note::from_description(b"kit=\xff\n").is_err());
    }

    #[test]
    fn a_link_id_is_lowercase_hexadecimal() {
        assert_eq!(LinkId::new("0123abc").unwrap().as_str(), "0123abc");
        for bad in ["", "ABC", "0x1", "12 "] {
            assert!(LinkId::new(bad).is_err(), "{bad:?}");
        }
    }
}
