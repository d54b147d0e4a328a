//! What shall go into an overlay: a preset, or an allocator with its knobs.

use std::collections::{BTreeMap, BTreeSet};

use brawn_elf::Arch;
use brawn_kit::{Allocator, Cpu, Family, Knob, Knobs};

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
    /// The other families of functions that stay musl's, by name.
    pub musl: BTreeSet<&'static str>,
    /// The one kind of processor that the string functions are for, without a look at the machine that they run on.
    pub cpu: Option<Cpu>,
    /// Settings by key: the allocator's own, and [`LEVEL_KNOB`].
    pub knobs: BTreeMap<String, String>,
}

/// The knob that holds the string functions to a level of the processor's vector instructions.
pub const LEVEL_KNOB: &str = "strings.level";

/// The family of the string functions, for `--musl`.
pub const STRINGS: &str = "strings";

/// Every family, for `--musl`.
pub const ALL: &str = "all";

/// No family, for `--musl` over a place that says more.
const NONE: &str = "none";

fn families() -> impl Iterator<Item = &'static str> {
    brawn_kit::FAMILIES.iter().map(|family| family.name)
}

/// The names for `--musl`.
pub fn musl_names() -> impl Iterator<Item = &'static str> {
    [STRINGS].into_iter().chain(families()).chain([ALL, NONE])
}

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
    /// Its knobs, over those that the allocator has built in.
    pub knobs: &'static [(&'static str, &'static str)],
    /// Whether the kit's functions come with it: those of strings and all other families.
    pub functions: bool,
    /// What it aims at, in one line.
    pub summary: &'static str,
}

/// Every preset, the default first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "balanced",
        malloc: "brawn",
        knobs: &[],
        functions: true,
        summary: "faster than glibc in less memory (the default)",
    },
    Preset {
        name: "fast",
        malloc: "jemalloc",
        // Threads keep buffers of up to 64 KiB, not 32.
        knobs: &[("jemalloc.tcache_max", "65536")],
        functions: true,
        summary: "fast under threads, for memory that grows with the processors",
    },
    Preset {
        name: "small",
        malloc: "brawn",
        // A quarter of the freed memory that lies ready.
        knobs: &[("brawn.keep", "25")],
        functions: true,
        summary: "the least memory, for more time where memory is freed and taken again",
    },
    Preset {
        name: "hardened",
        malloc: "brawn-hardened",
        knobs: &[],
        functions: true,
        summary: "stops the program on heap corruption, for half the speed",
    },
    Preset {
        name: "stock",
        malloc: "stock",
        knobs: &[],
        functions: false,
        summary: "musl as it came: its own heap and string functions",
    },
];

impl Choice {
    /// The choice behind a preset's name.
    pub fn preset(name: &str) -> Result<Choice, Error> {
        let names = PRESETS.iter().map(|preset| preset.name);
        let preset = PRESETS.iter().find(|preset| preset.name == name);
        let preset = preset.ok_or_else(|| Error::unknown("preset", name, names))?;
        let choice = Choice {
            preset: Some(preset),
            malloc: Malloc::from_name(preset.malloc)?,
            strings: preset.functions,
            musl: if preset.functions { BTreeSet::new() } else { families().collect() },
            cpu: None,
            knobs: BTreeMap::new(),
        };
        preset.knobs.iter().try_fold(choice, |choice, (key, value)| choice.with_knob(key, value))
    }

    /// An allocator by name, without a preset.
    pub fn malloc(name: &str) -> Result<Choice, Error> {
        Ok(Choice {
            preset: None,
            malloc: Malloc::from_name(name)?,
            strings: true,
            musl: BTreeSet::new(),
            cpu: None,
            knobs: BTreeMap::new(),
        })
    }

    /// Whether this executable holds what of the kit the choice takes for an architecture.
    ///
    /// # Errors
    /// [`Error::NoKit`].
    pub fn fits(&self, arch: Arch) -> Result<(), Error> {
        let from_kit = self.strings || self.malloc.kit().is_some() || self.families().next().is_some();
        if from_kit && !brawn_kit::ARCHES.contains(&arch) { Err(Error::NoKit { arch }) } else { Ok(()) }
    }

    /// The same choice with the kit's string functions, or with musl's.
    pub fn with_strings(self, strings: bool) -> Choice {
        Choice { strings, ..self }
    }

    /// The families of functions, besides that of strings, that take the place of musl's.
    pub fn families(&self) -> impl Iterator<Item = &'static Family> {
        brawn_kit::FAMILIES.iter().filter(|family| !self.musl.contains(family.name))
    }

    /// The same choice with musl's own functions of these families as well: names of [`musl_names`].
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn with_musl<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Result<Choice, Error> {
        for name in names {
            match name {
                NONE => {}
                STRINGS => self.strings = false,
                ALL => {
                    self.strings = false;
                    self.musl.extend(families());
                }
                name => {
                    let family = families().find(|family| *family == name);
                    self.musl.insert(
                        family.ok_or_else(|| Error::unknown("family of functions", name, musl_names()))?,
                    );
                }
            }
        }
        Ok(self)
    }

    /// The same choice with string functions for one kind of processor.
    pub fn with_cpu(self, name: &str) -> Result<Choice, Error> {
        let names = Cpu::ALL.iter().map(|cpu| cpu.name());
        let cpu = Cpu::from_name(name).ok_or_else(|| Error::unknown("processor", name, names))?;
        Ok(Choice { cpu: Some(cpu), ..self })
    }

    /// The same choice with one more knob set.
    ///
    /// # Errors
    /// [`Error::UnknownName`] and [`Error::UnknownKnob`] for a key that does not exist, [`Error::KnobOfAnother`] for one
    /// of another allocator, [`Error::KnobValue`] for a value that the knob does not take.
    pub fn with_knob(mut self, key: &str, value: &str) -> Result<Choice, Error> {
        if key == LEVEL_KNOB {
            let mut names = brawn_kit::level_names();
            if !names.any(|name| name == value) {
                let kind = "level of the string functions";
                return Err(Error::unknown(kind, value, brawn_kit::level_names()));
            }
        } else {
            let knob = self.malloc.knob(key)?;
            if !knob.takes(value) {
                return Err(Error::KnobValue {
                    key: key.to_owned(),
                    value: value.to_owned(),
                    values: knob.values(),
                    words: knob.words.iter().map(|word| (*word).to_owned()).collect(),
                    nearest: knob.nearest_number(value),
                });
            }
        }
        self.knobs.insert(key.to_owned(), value.to_owned());
        Ok(self)
    }

    /// What the allocator's object reads of the knobs, if that is not what is built into it.
    pub fn knob_text(&self) -> Option<String> {
        let knobs = self.malloc.knobs()?;
        let own = |key: &String| key.split_once('.').is_some_and(|(prefix, _)| prefix == knobs.prefix);
        self.knobs.keys().any(own).then(|| knobs.text(&self.knobs))
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
        let allocator = brawn_kit::allocator(name).map(Malloc::Kit);
        allocator.ok_or_else(|| Error::unknown("allocator", name, Malloc::names()))
    }

    /// Every name for `--malloc`.
    pub fn names() -> Vec<&'static str> {
        brawn_kit::allocators().iter().map(|allocator| allocator.name).chain(["stock"]).collect()
    }

    /// The name for `--malloc`.
    pub fn name(self) -> &'static str {
        self.kit().map_or("stock", |allocator| allocator.name)
    }

    /// The kit's allocator, if it is one.
    pub fn kit(self) -> Option<&'static Allocator> {
        match self {
            Malloc::Stock => None,
            Malloc::Kit(allocator) => Some(allocator),
        }
    }

    /// The allocator's knobs, if it has any.
    pub fn knobs(self) -> Option<&'static Knobs> {
        self.kit()?.knobs.as_ref()
    }

    /// The knob with this key, such as `jemalloc.narenas`.
    fn knob(self, key: &str) -> Result<&'static Knob, Error> {
        let (prefix, name) = key.split_once('.').unwrap_or(("", key));
        if let Some(knobs) = self.knobs().filter(|knobs| knobs.prefix == prefix) {
            return knobs.find(name).ok_or_else(|| self.unknown_knob(key));
        }
        let owners = Malloc::owners(key);
        if owners.is_empty() {
            return Err(self.unknown_knob(key));
        }
        Err(Error::KnobOfAnother {
            key: key.to_owned(),
            owners: owners.into_iter().map(str::to_owned).collect(),
            malloc: self.name().to_owned(),
        })
    }

    fn unknown_knob(self, key: &str) -> Error {
        let Some(knobs) = self.knobs() else {
            return Error::UnknownKnob { malloc: self.name().to_owned(), key: key.to_owned() };
        };
        // Anyone who forgot the prefix need not read the whole list.
        let forgotten = knobs.find(key);
        let listed = knobs.knobs.iter().filter(|knob| forgotten.is_none_or(|it| it.name == knob.name));
        let own = listed.map(|knob| format!("{}.{}", knobs.prefix, knob.name));
        Error::unknown("knob", key, own.chain(forgotten.is_none().then(|| LEVEL_KNOB.to_owned())))
    }

    /// The allocators that have the knob with this key.
    pub fn owners(key: &str) -> Vec<&'static str> {
        let (prefix, name) = key.split_once('.').unwrap_or(("", key));
        let has = |knobs: &Knobs| knobs.prefix == prefix && knobs.find(name).is_some();
        let owners =
            brawn_kit::allocators().iter().filter(|allocator| allocator.knobs.as_ref().is_some_and(has));
        owners.map(|allocator| allocator.name).collect()
    }

    /// The allocator's own version, if it is one of the kit's.
    pub fn version(self) -> Option<&'static str> {
        Some(self.kit()?.version)
    }
}

#[cfg(test)]
mod tests {
    use brawn_base::Diagnostic as _;

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
    fn a_wrong_knob_is_answered_with_the_nearest_right_one() {
        let with = |malloc, key, value| Choice::malloc(malloc).unwrap().with_knob(key, value).unwrap_err();
        let error = with("stock", "purge_delay", "10");
        assert_eq!(error.to_string(), "stock has no knob 'purge_delay'");
        let error = with("mimalloc", "mimalloc.purge_dely", "10");
        assert_eq!(error.to_string(), "unknown knob 'mimalloc.purge_dely'");
        assert!(error.hint().unwrap().starts_with("did you mean 'mimalloc.purge_delay'?"), "{error:?}");
        assert_eq!(with("mimalloc", "purge_delay", "1").hint().unwrap(), "there are: mimalloc.purge_delay");
        let error = with("mimalloc2", "mimalloc.purge_delay", "10");
        assert_eq!(error.to_string(), "'mimalloc.purge_delay' is no knob of mimalloc2");
        assert_eq!(error.hint().unwrap(), "it is one of mimalloc, mimalloc-secure");
        let error = with("mimalloc", "mimalloc.purge_delay", "-2");
        assert_eq!(error.to_string(), "mimalloc.purge_delay cannot be '-2'");
        assert_eq!(error.hint().unwrap(), "it takes -1 to 3600000 ms; the nearest is -1");
        let error = with("mimalloc", "mimalloc.allow_thp", "ture");
        assert_eq!(error.hint().unwrap(), "did you mean 'true'? It takes true, false");
        let error = with("jemalloc", "jemalloc.narenas", "04");
        assert_eq!(error.hint().unwrap(), "it takes 1 to 4094, auto; the nearest is 4");
    }

    #[test]
    fn knobs_come_after_those_that_are_built_in() {
        let choice = Choice::malloc("mimalloc").unwrap();
        assert_eq!(choice.knob_text(), None, "the object is right as it is");
        let choice = choice.with_knob("strings.level", "avx2").unwrap();
        assert_eq!(choice.knob_text(), None);
        let choice = choice.with_knob("mimalloc.generic_collect", "500").unwrap();
        assert_eq!(choice.knob_text().unwrap(), "purge_delay:10,generic_collect:500,allow_thp:false");
        let choice = choice.with_knob("mimalloc.purge_delay", "1000").unwrap();
        assert_eq!(
            choice.knob_text().unwrap(),
            "generic_collect:500,allow_thp:false",
            "mimalloc's own default"
        );
    }

    #[test]
    fn every_knob_takes_its_defaults_and_all_of_them_fit() {
        for malloc in Malloc::names() {
            let Some(knobs) = Malloc::from_name(malloc).unwrap().knobs() else { continue };
            let mut longest = 0;
            for knob in knobs.knobs {
                assert!(knob.takes(knob.default) && knob.takes(knob.upstream), "{malloc}: {}", knob.name);
                let ends =
                    knob.range.iter().flat_map(|range| [range.start().to_string(), range.end().to_string()]);
                let values = ends.chain(knob.words.iter().map(|word| (*word).to_owned()));
                longest += knob.name.len() + 2 + values.map(|value| value.len()).max().unwrap_or(0);
            }
            assert!(longest < brawn_kit::KNOBS_SIZE, "{malloc}: {longest} bytes of knobs");
        }
    }
}
