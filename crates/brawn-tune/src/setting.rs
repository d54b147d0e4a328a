//! A choice of allocator as data: what a candidate carries, a state file keeps, and a manifest is given.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use brawn_libc::{Choice, Malloc, PRESETS};
use serde::{Deserialize, Serialize};

/// An allocator with its knobs, by names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Setting {
    /// The preset, if it is exactly that.
    pub preset: Option<String>,
    /// The allocator's name.
    pub malloc: String,
    /// Whether the kit's string functions come with it.
    pub strings: bool,
    /// The other families of functions that stay musl's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub musl: Vec<String>,
    /// The one kind of processor that they are for.
    pub cpu: Option<String>,
    /// Knobs by their keys, those of the preset as well.
    pub knobs: BTreeMap<String, String>,
}

impl Setting {
    /// The names behind a choice.
    pub fn of(choice: &Choice) -> Self {
        let setting = Self {
            preset: None,
            malloc: choice.malloc.name().to_owned(),
            strings: choice.strings,
            musl: choice.musl.iter().map(|name| (*name).to_owned()).collect(),
            cpu: choice.cpu.map(|cpu| cpu.name().to_owned()),
            knobs: choice.knobs.clone(),
        };
        setting.by_preset(choice.preset.map(|preset| preset.name))
    }

    /// By the name of this preset, which says more than the allocator's, where it is the whole truth.
    pub fn by_preset(self, name: Option<&str>) -> Self {
        let is_it = |name: &&str| Choice::preset(name).is_ok_and(|plain| self.is_all_of(&plain));
        Self { preset: name.filter(is_it).map(str::to_owned), ..self }
    }

    fn is_all_of(&self, preset: &Choice) -> bool {
        let musl = preset.musl.iter().eq(&self.musl);
        (preset.malloc.name(), preset.strings, &preset.knobs) == (&self.malloc, self.strings, &self.knobs)
            && musl
    }

    /// The settings behind the presets, the default first.
    pub fn presets() -> Vec<Self> {
        PRESETS
            .iter()
            .filter_map(|preset| Choice::preset(preset.name).ok())
            .map(|choice| Self::of(&choice))
            .collect()
    }

    /// An allocator with nothing said about it.
    pub fn allocator(name: &str) -> Self {
        Self { malloc: name.to_owned(), strings: true, ..Self::default() }
    }

    /// The families that are musl's where these are the kit's.
    pub fn kept(functions: &[String]) -> Vec<String> {
        let families = brawn_kit::FAMILIES.iter().map(|family| family.name.to_owned());
        families.filter(|name| !functions.contains(name)).collect()
    }

    /// The same allocator with one knob set. The knob `strings` is the one for the string functions.
    pub fn with_knob(&self, key: &str, value: &str) -> Self {
        let mut setting = Self { preset: None, ..self.clone() };
        if key == STRINGS {
            setting.strings = value == "yes";
        } else {
            setting.knobs.insert(key.to_owned(), value.to_owned());
        }
        setting
    }

    /// The choice with these names. A preset that is no longer what it was when this was written says nothing: the allocator's
    /// name and the knobs tell it all.
    ///
    /// # Errors
    /// Those of [`Choice`]: a name that this Brawn does not know.
    pub fn choice(&self) -> Result<Choice, brawn_libc::Error> {
        let preset = self.preset.as_deref().map(Choice::preset).transpose()?;
        let mut choice = match preset.filter(|preset| self.is_all_of(preset)) {
            Some(preset) => preset,
            None => Choice::malloc(&self.malloc)?,
        }
        .with_strings(self.strings)
        .with_musl(self.musl.iter().map(String::as_str))?;
        if let Some(cpu) = &self.cpu {
            choice = choice.with_cpu(cpu)?;
        }
        for (key, value) in &self.knobs {
            if choice.knobs.get(key) != Some(value) {
                choice = choice.with_knob(key, value)?;
            }
        }
        Ok(choice)
    }

    /// Whether both make the same executable, however they are named.
    pub fn same_as(&self, other: &Self) -> bool {
        *self == Self { preset: self.preset.clone(), ..other.clone() }
    }

    /// Whether the allocator is built with hardening.
    pub fn is_hardened(&self) -> bool {
        matches!(Malloc::from_name(&self.malloc), Ok(Malloc::Kit(allocator)) if allocator.secure)
    }

    /// A short name, unique among settings: `balanced`, `jemalloc narenas=1`.
    pub fn name(&self) -> String {
        let mut name = self.preset.clone().unwrap_or_else(|| self.malloc.clone());
        if self.preset.is_none() {
            for (key, value) in &self.knobs {
                let key = key.strip_prefix(&format!("{}.", self.malloc)).unwrap_or(key);
                let _ = write!(name, " {key}={value}");
            }
            if !self.strings && self.malloc != "stock" {
                name.push_str(" no-strings");
            } else if self.strings && self.malloc == "stock" {
                name.push_str(" with-strings");
            }
        }
        name
    }

    /// How far it is from saying nothing at all: of two that are equally good the simpler one is taken.
    pub fn complexity(&self) -> usize {
        match &self.preset {
            Some(name) if *name == PRESETS[0].name => 0,
            Some(_) => 1,
            None => 2 + self.knobs.len() + usize::from(!self.strings),
        }
    }

    /// The options of the command line that ask for it.
    pub fn flags(&self) -> String {
        let mut flags = match &self.preset {
            Some(preset) => format!("--preset {preset}"),
            None => format!("--malloc {}", self.malloc),
        };
        if self.preset.is_none() {
            if !self.strings {
                flags.push_str(" --no-strings");
            }
            if !self.musl.is_empty() {
                let _ = write!(flags, " --musl {}", self.musl.join(","));
            }
            for (key, value) in &self.knobs {
                let _ = write!(flags, " --knob {key}={value}");
            }
        }
        if let Some(cpu) = &self.cpu {
            let _ = write!(flags, " --cpu {cpu}");
        }
        flags
    }
}

/// The key that stands for the string functions in a space of knobs.
pub const STRINGS: &str = "strings";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_go_by_their_names_and_back() {
        for setting in Setting::presets() {
            let name = setting.preset.clone().unwrap();
            assert_eq!(setting.name(), name);
            assert_eq!(setting.flags(), format!("--preset {name}"));
            assert!(Setting::of(&setting.choice().unwrap()).same_as(&setting));
        }
        assert_eq!(Setting::presets()[0].complexity(), 0);
    }

    #[test]
    fn knobs_take_the_presets_name_away() {
        let plain = Setting::presets().into_iter().find(|setting| setting.knobs.is_empty()).unwrap();
        let other = plain.with_knob(STRINGS, "no");
        assert_eq!(other.name(), format!("{} no-strings", plain.malloc));
        assert_eq!(other.flags(), format!("--malloc {} --no-strings", plain.malloc));
        assert!(!other.choice().unwrap().strings && other.complexity() > plain.complexity());
        assert!(!other.same_as(&plain));
        let level = plain.with_knob("strings.level", "avx2");
        assert!(level.flags().ends_with("--knob strings.level=avx2"), "{}", level.flags());
        assert_eq!(level.choice().unwrap().knobs["strings.level"], "avx2");
        // Those of the preset's own stay when its name goes.
        let tuned = Setting::presets().into_iter().find(|setting| !setting.knobs.is_empty()).unwrap();
        let other = tuned.with_knob(STRINGS, "no").choice().unwrap();
        assert!(other.preset.is_none() && other.knobs == tuned.knobs);
    }

    #[test]
    fn a_preset_that_was_another_allocator_says_nothing() {
        let before = Setting { preset: Some("balanced".into()), ..Setting::allocator("mimalloc") };
        let choice = before.choice().unwrap();
        assert_eq!((choice.preset, choice.malloc.name()), (None, "mimalloc"));
        let unknown = Setting { preset: Some("never".into()), ..before };
        assert!(unknown.choice().is_err());
    }

    #[test]
    fn stock_is_musl_as_it_came() {
        let stock = Setting::presets().into_iter().find(|setting| setting.malloc == "stock").unwrap();
        assert_eq!((stock.name().as_str(), stock.strings), ("stock", false));
        assert_eq!(Setting::allocator("stock").name(), "stock with-strings");
    }
}
