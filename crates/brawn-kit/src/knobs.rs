//! The knobs of allocators, and how they get into an object.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The knobs of an allocator.
#[derive(Debug)]
pub struct Knobs {
    /// What stands before the dot in `--knob jemalloc.narenas=4`.
    pub prefix: &'static str,
    /// Every knob, in the order in which lists show them.
    pub knobs: &'static [Knob],
}

/// A setting of an allocator. Its value is a number of the range, or one of the words.
#[derive(Debug)]
pub struct Knob {
    /// The name after the prefix.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// The numbers that it takes.
    pub range: Option<RangeInclusive<i64>>,
    /// What the numbers count: `ms`, `bytes`; may be empty.
    pub unit: &'static str,
    /// Other values that it takes.
    pub words: &'static [&'static str],
    /// The value that is built into the kit.
    pub default: &'static str,
    /// The value that the allocator has when no one says anything.
    pub upstream: &'static str,
    /// Other values that are worth trying, the likeliest first.
    pub search: &'static [&'static str],
    /// Where the allocator documents it.
    pub source: &'static str,
}

/// The room for knobs in an object, with a NUL byte at the end.
pub const KNOBS_SIZE: usize = 1024;

/// Writes the text of [`Knobs::text`] into the room that begins at `start`.
///
/// # Panics
/// If the text does not fit: no table of the kit comes near that.
pub(crate) fn write(file: &mut [u8], start: usize, text: &str) {
    let room = &mut file[start..start + KNOBS_SIZE];
    room.fill(0);
    room[..KNOBS_SIZE - 1][..text.len()].copy_from_slice(text.as_bytes());
}

impl Knobs {
    /// The knob with this name after the prefix.
    pub fn find(&self, name: &str) -> Option<&'static Knob> {
        self.knobs.iter().find(|knob| knob.name == name)
    }

    /// What an object reads: every knob that differs from the allocator's own default, as `name:value`, with commas
    /// between. `values` has full keys, and may have keys of others, which are left out.
    pub fn text(&self, values: &BTreeMap<String, String>) -> String {
        let chosen = |knob: &Knob| {
            let key = format!("{}.{}", self.prefix, knob.name);
            values.get(&key).map_or(knob.default, String::as_str).to_owned()
        };
        let pairs = self.knobs.iter().map(|knob| (knob, chosen(knob)));
        let differing = pairs.filter(|(knob, value)| value != knob.upstream);
        differing.map(|(knob, value)| format!("{}:{value}", knob.name)).collect::<Vec<_>>().join(",")
    }
}

impl Knob {
    /// Whether the knob takes this value.
    pub fn takes(&self, value: &str) -> bool {
        // A number has one spelling only, so that the same setting gives the same bytes.
        let number = value.parse().ok().filter(|number: &i64| number.to_string() == value);
        let in_range = number.zip(self.range.as_ref()).is_some_and(|(number, range)| range.contains(&number));
        in_range || self.words.contains(&value)
    }

    /// The values that it takes, for people: `-1 to 3600000 ms`, `true, false`.
    pub fn values(&self) -> String {
        let range = self.range.iter().map(|range| {
            let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
            format!("{} to {}{unit}", range.start(), range.end())
        });
        range.chain(self.words.iter().map(|word| (*word).to_owned())).collect::<Vec<_>>().join(", ")
    }

    /// The end of the range that a number outside it is nearest to.
    pub fn nearest_number(&self, value: &str) -> Option<i64> {
        let range = self.range.as_ref()?;
        let number: i64 = value.parse().ok()?;
        Some(number.clamp(*range.start(), *range.end()))
    }
}
