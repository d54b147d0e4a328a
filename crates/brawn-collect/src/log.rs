//! Blocks out of logs: cut, garbled, repeated, mixed with other output, with lines that a container runtime split or put
//! something before. What has the right digest is a block; nothing else is.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, BufRead, Read as _};

use serde::{Deserialize, Serialize};

use crate::block::{self, BEGIN, Block, DATA, END, LINE};
use crate::frame;

/// What all marks begin with.
const MARK: &str = "brawn-block-";
/// Longest piece of a log that is looked at at once, in bytes; a line is far shorter, however a runtime escapes it.
const LONGEST: u64 = 128 << 10;

/// A block that a log has only a part of.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Lost {
    /// Its pool; none where the line that tells is lost as well.
    pub pool: Option<String>,
    /// Its index, likewise.
    pub index: Option<u32>,
    /// Its attempt, likewise.
    pub attempt: Option<u32>,
    /// What is missing or wrong.
    pub reason: String,
    /// The digest that its lines have.
    pub digest: String,
}

/// What logs held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Whole blocks, each once.
    pub blocks: Vec<Block>,
    /// The others, of which no whole copy was found.
    pub lost: Vec<Lost>,
}

/// Finds all blocks of a log.
pub fn read_all(log: &[u8]) -> Found {
    let mut reader = Reader::default();
    reader.read(log).expect("memory can be read");
    reader.finish()
}

/// A block's name: fleet, pool, index, attempt.
type Name = (String, String, u32, u32);

/// What is known of a block that is not whole yet.
#[derive(Debug, Default)]
struct Partial {
    name: Option<Name>,
    count: u32,
    parts: BTreeMap<u32, String>,
    /// Why it is none, though all of it is there.
    wrong: Option<String>,
}

/// A line whose text has not the right sum: what follows may be the rest of it.
#[derive(Debug)]
struct Open {
    digest: String,
    number: u32,
    count: u32,
    sum: String,
    /// The text so far: of the line alone; with all lines after it; with these as they are, without a frame.
    texts: [String; 3],
}

/// Reads logs, one after the other or mixed. It holds what is not whole yet, and what it found.
#[derive(Debug, Default)]
pub struct Reader {
    blocks: Vec<Block>,
    whole: HashSet<String>,
    partial: HashMap<String, Partial>,
    open: Option<Open>,
}

impl Reader {
    /// Reads a log to its end. What was read before an error counts.
    ///
    /// # Errors
    /// Those of the log.
    pub fn read(&mut self, mut log: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        while log.by_ref().take(LONGEST).read_until(b'\n', &mut line)? > 0 {
            self.line(&line);
            line.clear();
        }
        self.open = None;
        Ok(())
    }

    /// Takes a line, with or without its end.
    pub fn line(&mut self, line: &[u8]) {
        let text = frame::content(line);
        // What a program said may look like a mark, so the rest of a line comes first.
        if self.continues(&text) {
            return;
        }
        let mut is_mark = false;
        let mut rest = &*text;
        while let Some(at) = rest.find(MARK) {
            let used = self.mark(&rest[at..]);
            is_mark |= used.is_some();
            rest = &rest[at + used.unwrap_or(MARK.len())..];
        }
        if !is_mark && let Some(Open { texts: [_, all, plain], .. }) = &mut self.open {
            for (all, text) in [(all, frame::without_time(&text)), (plain, &*text)] {
                if all.len() + text.len() <= LINE {
                    all.push_str(text);
                }
            }
        }
    }

    /// Takes a mark at the beginning of a text; how much of it that was, where it was one.
    fn mark(&mut self, text: &str) -> Option<usize> {
        let (word, rest) = text.split_once(' ')?;
        let before = word.len() + 1;
        match word {
            BEGIN => {
                let mut words = rest.split(' ');
                let (fleet, pool) = (words.next()?, words.next()?);
                let (index, attempt) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                let digest = words.next().and_then(hexadecimal::<64>)?;
                let name = Some((fleet.to_owned(), pool.to_owned(), index, attempt));
                self.open = None;
                self.partial(digest).name = name;
                Some(before)
            }
            // A block may be known by it alone.
            END => {
                let digest = hexadecimal::<64>(rest)?;
                self.open = None;
                self.partial(digest);
                Some(before)
            }
            DATA => {
                let mut words = rest.splitn(5, ' ');
                let digest = words.next().and_then(hexadecimal::<64>)?.to_owned();
                let (number, count) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                let sum = words.next().and_then(hexadecimal::<8>)?.to_owned();
                let text = words.next()?;
                let before = before + rest.len() - text.len();
                // The end of the line may be lost, and the next one stand in it.
                let ends = [Some(text.len()), text.find(MARK)].into_iter().flatten();
                let is_whole = |end: &usize| *end <= LINE && block::sum(&text[..*end]) == sum;
                self.open = None;
                if let Some(end) = ends.into_iter().find(is_whole) {
                    self.part(&digest, number, count, &text[..end]);
                    return Some(before + end);
                }
                self.partial(&digest).count = count;
                let texts = [(); 3].map(|()| text.to_owned());
                self.open = Some(Open { digest, number, count, sum, texts }).filter(|_| text.len() < LINE);
                Some(before)
            }
            _ => None,
        }
    }

    /// Whether a line is the rest of one that was cut. What someone else said may stand in between.
    fn continues(&mut self, text: &str) -> bool {
        let Some(open) = &self.open else { return false };
        for before in &open.texts {
            for text in [frame::without_time(text), text] {
                let whole = format!("{before}{text}");
                if whole.len() <= LINE && block::sum(&whole) == open.sum {
                    let Open { digest, number, count, .. } = self.open.take().expect("it is open");
                    self.part(&digest, number, count, &whole);
                    return true;
                }
            }
        }
        false
    }

    /// What is known of the block with this digest. Of one that is whole it is thrown away in the end.
    fn partial(&mut self, digest: &str) -> &mut Partial {
        self.partial.entry(digest.to_owned()).or_default()
    }

    fn part(&mut self, digest: &str, number: u32, count: u32, text: &str) {
        if self.whole.contains(digest) {
            return;
        }
        let partial = self.partial(digest);
        partial.count = count;
        partial.parts.entry(number).or_insert_with(|| text.to_owned());
        if u32::try_from(partial.parts.len()).is_ok_and(|parts| parts < count) {
            return;
        }
        let json: String = partial.parts.values().map(String::as_str).collect();
        match check(&json, digest, partial.name.as_ref()) {
            Ok(block) => {
                partial.parts.clear();
                self.whole.insert(digest.to_owned());
                self.blocks.push(block);
            }
            Err(wrong) => partial.wrong = Some(wrong),
        }
    }

    /// What was found, and what was lost.
    pub fn finish(self) -> Found {
        let name = |block: &Block| {
            let Block { fleet, pool, index, attempt, .. } = block;
            (fleet.clone(), pool.clone(), *index, *attempt)
        };
        let known: BTreeSet<Name> = self.blocks.iter().map(name).collect();
        let partial = self.partial.into_iter().filter(|(digest, partial)| {
            let other_copy = partial.name.as_ref().is_some_and(|name| known.contains(name));
            !self.whole.contains(digest) && !other_copy
        });
        let mut lost: Vec<Lost> = partial.map(|(digest, partial)| lost(digest, partial)).collect();
        lost.sort();
        Found { blocks: self.blocks, lost }
    }
}

fn lost(digest: String, partial: Partial) -> Lost {
    let reason = match (partial.wrong, partial.parts.len()) {
        (Some(wrong), _) => wrong,
        (None, 0) if partial.count == 0 => "nothing of it is left but its name".to_owned(),
        (None, have) => format!("{have} of its {} lines are whole", partial.count),
    };
    let (pool, index, attempt) = match partial.name {
        Some((_, pool, index, attempt)) => (Some(pool), Some(index), Some(attempt)),
        None => (None, None, None),
    };
    Lost { pool, index, attempt, reason, digest }
}

/// The block, if the text is the one that was written, and the one that its first line told of.
fn check(json: &str, digest: &str, name: Option<&Name>) -> Result<Block, String> {
    if block::digest(json) != digest {
        return Err("its digest is not that of its text".into());
    }
    let block: Block = serde_json::from_str(json).map_err(|error| format!("it is no block: {error}"))?;
    let same = name.is_none_or(|(fleet, pool, index, attempt)| {
        (&block.fleet, &block.pool, block.index, block.attempt) == (fleet, pool, *index, *attempt)
    });
    if same { Ok(block) } else { Err("its first line names another block".into()) }
}

/// The hexadecimal digits that a text begins with, if there are so many.
fn hexadecimal<const COUNT: usize>(text: &str) -> Option<&str> {
    let digits = text.get(..COUNT)?;
    digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)).then_some(digits)
}
