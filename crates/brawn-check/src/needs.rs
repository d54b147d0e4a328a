//! What an executable shows of its needs, without running it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use brawn_elf::inspection::Kind;
use brawn_elf::obfuscated::reveal;
use brawn_elf::{Arch, Evidence, EvidenceKind, Image, Inspection, constant_data};
use serde::{Deserialize, Serialize};

use crate::clues::{FUNCTIONS, TEXTS};
use crate::{Content, Need, Provider, Strength};

/// What an executable shows of its needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Needs {
    /// What is inside it otherwise.
    pub inspection: Inspection,
    /// Its needs, in the order of [`Need::ALL`], each once.
    pub found: Vec<Found>,
}

/// A need, and how it shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Found {
    /// What is needed.
    pub need: Need,
    /// How much the evidence says.
    pub strength: Strength,
    /// The evidence, the strongest first; never empty.
    #[cfg_attr(test, schemars(with = "Vec<crate::schema::Evidence>"))]
    pub evidence: Vec<Evidence>,
}

/// No more pieces of evidence than this are kept for one need.
const MOST_EVIDENCE: usize = 6;

/// Looks for everything that an executable shows of its needs: texts in its constant data, and functions by name where
/// it has symbols.
///
/// # Errors
/// Those of [`brawn_elf::inspect()`].
pub fn needs(executable: &[u8]) -> Result<Needs, brawn_elf::Error> {
    let inspection = brawn_elf::inspect(executable)?;
    let image = Image::parse(executable)?;
    let mut found: BTreeMap<Need, BTreeSet<(Strength, EvidenceOrder)>> = BTreeMap::new();
    for clue in texts(&image) {
        let Some(need) = clue.need else { continue };
        let text =
            String::from_utf8_lossy(&reveal(clue.obfuscated)).split('\0').next().unwrap_or("").to_owned();
        let detail = match clue.why {
            "" => text,
            why => format!("{text}: {why}"),
        };
        // The time package of Go holds the folder in every program.
        let strength = match need {
            Need::Zones if inspection.go.is_some() => Strength::Possible,
            _ => clue.strength,
        };
        found.entry(need).or_default().insert((strength, EvidenceOrder(0, detail)));
    }
    for (need, strength, names) in functions(&image, inspection.kind) {
        let detail = names.join(", ");
        found.entry(need).or_default().insert((strength, EvidenceOrder(1, detail)));
    }
    let found = found.into_iter().map(|(need, clues)| Found {
        need,
        strength: clues.first().expect("no need without a clue").0,
        evidence: clues.into_iter().take(MOST_EVIDENCE).map(|(_, clue)| clue.evidence()).collect(),
    });
    Ok(Needs { found: found.collect(), inspection })
}

impl Needs {
    /// The evidence for one need.
    pub fn of(&self, need: Need) -> Option<&Found> {
        self.found.iter().find(|found| found.need == need)
    }

    /// The parts that an image of this executable should have: those for which the code is there, and which no container
    /// runtime brings.
    pub fn contents(&self) -> BTreeSet<Content> {
        let likely = self.found.iter().filter(|found| found.strength == Strength::Likely);
        likely
            .filter_map(|found| match found.need.provider() {
                Provider::Image(content) => Some(content),
                Provider::Runtime(_) | Provider::None => None,
            })
            .collect()
    }

    /// Whether the kernel runs it without any other file.
    pub fn is_static(&self) -> bool {
        self.inspection.kind.is_static()
    }

    /// The architecture, if Brawn knows it.
    pub fn arch(&self) -> Option<Arch> {
        Arch::from_name(&self.inspection.format.arch)
    }
}

/// Evidence in the order in which it is shown.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct EvidenceOrder(u8, String);

impl EvidenceOrder {
    fn evidence(self) -> Evidence {
        let kind = if self.0 == 0 { EvidenceKind::Strings } else { EvidenceKind::Symbols };
        Evidence { kind, detail: self.1 }
    }
}

static SEARCHER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasickBuilder::new()
        .match_kind(MatchKind::LeftmostLongest)
        .build(TEXTS.iter().map(|text| reveal(text.obfuscated)))
        .expect("a few short patterns")
});

/// The clues whose texts are there, each once.
fn texts(image: &Image<'_>) -> Vec<&'static crate::clues::Text> {
    let mut seen = vec![false; TEXTS.len()];
    for range in constant_data(image) {
        let data = &image.data[range];
        let mut from = 0;
        while let Some(hit) = SEARCHER.find(&data[from..]) {
            seen[hit.pattern().as_usize()] = true;
            from += hit.end();
        }
    }
    TEXTS.iter().zip(seen).filter_map(|(text, seen)| seen.then_some(text)).collect()
}

/// The functions of each row that are there.
fn functions(image: &Image<'_>, kind: Kind) -> Vec<(Need, Strength, Vec<String>)> {
    // A static executable has what it calls; a dynamic one asks for it.
    let (symbols, defined) =
        if kind.is_static() { (image.symbols(), true) } else { (image.dynamic_symbols(), false) };
    let names: BTreeSet<&[u8]> = symbols
        .unwrap_or_default()
        .iter()
        .filter(|symbol| (symbol.section != 0) == defined && !symbol.file)
        // A local function of the program's own may have any name.
        .filter(|symbol| !symbol.local)
        .map(|symbol| symbol.name)
        .collect();
    let present = |row: &crate::clues::Function| -> Vec<String> {
        let there = row.names.iter().filter(|name| names.contains(name.as_bytes()));
        there.map(|name| (*name).to_owned()).collect()
    };
    let rows = FUNCTIONS.iter().map(|row| (row.need, row.strength, present(row)));
    rows.filter(|(_, _, names)| !names.is_empty()).collect()
}
