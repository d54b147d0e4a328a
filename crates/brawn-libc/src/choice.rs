//! What shall go into an overlay: a preset, or an allocator with its knobs.

use std::collections::BTreeMap;

use brawn_kit::{Allocator, Cpu};

use crate::Error;

/// A complete, valid choice.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The preset that the choice came from, if it was not an allocator by name.
    pub preset: Option<&'static Preset>,
    /// The allocator.
    pub malloc: Malloc,
    /// Whether the kit's string functions take the place of musl's.
    pub strings: bool,
    /// The one kind of processor that the string functions are for, without a look at the machine that they run on.
    pub cpu: Option<Cpu>,
    /// Settings by key: the allocator's own, and [`LEVEL_KNOB`].
    pub knobs: BTreeMap<String, String>,
}

/// The knob that holds the string functions to a level of the processor's vector instructions.
pub const LEVEL_KNOB: &str = "strings.level";

/// The heap of an overlay.
#[derive(Clone, Copy, Debug)]
pub enum Malloc {
    /// musl's own, as it came with the libc.a.
    Stock,
    /// One of the kit's.
    Kit(&'static Allocator),
}

/// An allocator and its knobs, chosen for an aim.
#[derive(Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name for `--preset`.
    pub name: &'static str,
    /// The allocator's name for `--malloc`.
    pub malloc: &'static str,
    /// Whether the kit's string functions come with it.
    pub strings: bool,
    /// What it aims at, in one line.
    pub summary: &'static str,
}

/// Every preset, the default first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "balanced",
        malloc: "mimalloc",
        strings: true,
        summary: "fast under threads (the default)",
    },
    Preset {
        name: "hardened",
        malloc: "mimalloc-secure",
        strings: true,
        summary: "stops the program on heap corruption, for some speed",
    },
    Preset {
        name: "stock",
        malloc: "stock",
        strings: false,
        summary: "musl as it came: its own heap and string functions",
    },
];

impl Choice {
    /// The choice behind a preset's name.
    pub fn preset(name: &str) -> Result<Choice, Error> {
        let preset = PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| Error::UnknownName {
            kind: "preset",
            given: name.to_owned(),
            known: PRESETS.iter().map(|preset| preset.name.to_owned()).collect(),
        })?;
        let malloc = Malloc::from_name(preset.malloc)?;
        Ok(Choice {
            preset: Some(preset),
            malloc,
            strings: preset.strings,
            cpu: None,
            knobs: BTreeMap::new(),
        })
    }

    /// An allocator by name, without a preset.
    pub fn malloc(name: &str) -> Result<Choice, Error> {
        Ok(Choice {
            preset: None,
            malloc: Malloc::from_name(name)?,
            strings: true,
            cpu: None,
            knobs: BTreeMap::new(),
        })
    }

    /// The same choice with the kit's string functions, or with musl's.
    pub fn with_strings(self, strings: bool) -> Choice {
        Choice { strings, ..self }
    }

    /// The same choice with string functions for one kind of processor.
    pub fn with_cpu(self, name: &str) -> Result<Choice, Error> {
        let cpu = Cpu::from_name(name).ok_or_else(|| Error::UnknownName {
            kind: "processor",
            given: name.to_owned(),
            known: Cpu::ALL.iter().map(|cpu| cpu.name().to_owned()).collect(),
        })?;
        Ok(Choice { cpu: Some(cpu), ..self })
    }

    /// The same choice with one more knob set.
    pub fn with_knob(mut self, key: &str, value: &str) -> Result<Choice, Error> {
        if key != LEVEL_KNOB {
            return Err(Error::UnknownKnob { malloc: self.malloc.name().to_owned(), key: key.to_owned() });
        }
        if !brawn_kit::level_names().any(|name| name == value) {
            return Err(Error::UnknownName {
                kind: "level of the string functions",
                given: value.to_owned(),
                known: brawn_kit::level_names().map(str::to_owned).collect(),
            });
        }
        self.knobs.insert(key.to_owned(), value.to_owned());
        Ok(self)
    }
}

impl Default for Choice {
    fn default() -> Choice {
        Choice::preset(PRESETS[0].name).expect("the first preset is complete, as a test shows")
    }
}

impl Malloc {
    /// The allocator with this name for `--malloc`.
    pub fn from_name(name: &str) -> Result<Malloc, Error> {
        if name == "stock" {
            return Ok(Malloc::Stock);
        }
        brawn_kit::allocator(name).map(Malloc::Kit).ok_or_else(|| Error::UnknownName {
            kind: "allocator",
            given: name.to_owned(),
            known: Malloc::names().into_iter().map(str::to_owned).collect(),
        })
    }

    /// Every name for `--malloc`.
    pub fn names() -> Vec<&'static str> {
        brawn_kit::allocators().iter().map(|allocator| allocator.name).chain(["stock"]).collect()
    }

    /// The name for `--malloc`.
    pub fn name(self) -> &'static str {
        match self {
            Malloc::Stock => "stock",
            Malloc::Kit(allocator) => allocator.name,
        }
    }

    /// The allocator's own version, if it is one of the kit's.
    pub fn version(self) -> Option<&'static str> {
        match self {
            Malloc::Stock => None,
            Malloc::Kit(allocator) => Some(allocator.version),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_names_an_allocator_that_exists() {
        for preset in PRESETS {
            let choice = Choice::preset(preset.name).unwrap();
            assert_eq!(choice.malloc.name(), preset.malloc);
        }
        assert_eq!(Choice::default().preset, Some(&PRESETS[0]));
    }

    #[test]
    fn a_slip_of_the_hand_is_answered_with_the_nearest_name() {
        let error = Choice::preset("balancd").unwrap_err();
        assert_eq!(error.to_string(), "unknown preset 'balancd'");
        assert!(error.hint().unwrap().starts_with("did you mean 'balanced'?"), "{:?}", error.hint());
        let error = Choice::malloc("mimaloc").unwrap_err();
        assert!(error.hint().unwrap().starts_with("did you mean 'mimalloc'?"), "{:?}", error.hint());
    }

    #[test]
    fn knobs_of_allocators_without_knobs_are_refused() {
        let error = Choice::default().with_knob("purge_delay", "10").unwrap_err();
        assert!(error.to_string().contains("no knob 'purge_delay'"), "{error}");
    }
}
